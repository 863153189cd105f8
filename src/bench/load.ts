/**
 * `sallyport bench load`: many callers at once on one server, each in a session of its own, with programs that succeed,
 * fail, flood and run out of time. Every answer is compared with the one that it must be.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { paint, table } from '#cli/print';
import { distributionOf } from './measure.ts';
import { type BenchServer, openSallyport } from './servers.ts';

export interface LoadOptions {
  readonly wall: string;
  readonly clients: number;
  readonly minutes: number;
  readonly progress: (line: string) => void;
}

export interface LoadReport {
  readonly wall: string;
  readonly clients: number;
  readonly seconds: number;
  readonly runs: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers that were not what they must be, the first few in words. */
  readonly errors: number;
  readonly errorSamples: readonly string[];
  /** Answers that told to come back later. */
  readonly busy: number;
  /** Of the server's own process, after the first fifth of the time and over the last one. */
  readonly memoryBytes: Growth;
  readonly openFiles: Growth;
}

interface Growth {
  readonly before: number;
  readonly after: number;
  /** 0.05 is five in a hundred. */
  readonly share: number;
}

interface Job {
  readonly language: string;
  readonly code: (token: string) => string;
  readonly timeout?: number;
  /** What the first text block of the answer must be. */
  readonly isRight: (text: string, token: string, failed: boolean) => boolean;
}

const prints = (text: string, token: string) => text === `${token}\n`;

/** In the order in which a caller takes them, beginning anywhere. */
const JOBS: readonly Job[] = [
  { language: 'python', code: (t) => `print("${t}")`, isRight: prints },
  { language: 'javascript', code: (t) => `void process.stdout.write("${t}\\n")`, isRight: prints },
  { language: 'bash', code: (t) => `echo ${t}`, isRight: prints },
  { language: 'python', code: (t) => `kept = "${t}"\nprint(kept)`, isRight: prints },
  {
    language: 'typescript',
    code: (t) => `const said: string = "${t}"; void process.stdout.write(said + "\\n")`,
    isRight: prints,
  },
  { language: 'python', code: () => 'raise ValueError("no")', isRight: (_text, _token, failed) => failed },
  { language: 'bash', code: () => 'exit 3', isRight: (_text, _token, failed) => failed },
  {
    language: 'python',
    code: (t) => `print("x" * 200_000)\nprint("${t}")`,
    isRight: (text, t) => text.endsWith(`${t}\n`),
  },
  { language: 'python', code: () => 'while True: pass', timeout: 0.1, isRight: (_text, _token, failed) => failed },
  { language: 'bash', code: (t) => `echo ${t} >file && cat file`, isRight: prints },
];

const LOOK_MS = 500;
const EDGE_SHARE = 1 / 5;
const SAMPLES_SHOWN = 5;

export async function benchLoad({ wall, clients, minutes, progress }: LoadOptions): Promise<LoadReport> {
  await using server = await openSallyport([
    '--sandbox',
    wall,
    '--max-sessions',
    String(clients + 8),
    '--log-level',
    'error',
  ]);
  const counts = { runs: 0, busy: 0, errors: [] as string[], samples: [] as number[] };
  await Promise.all(Array.from({ length: clients }, (_, caller) => runJob(server, caller, 0, counts)));
  counts.runs = counts.samples.length = counts.errors.length = 0;

  const startedAt = performance.now();
  const endsAt = startedAt + minutes * 60_000;
  const looks: Array<{ memory: number; files: number }> = [];
  const watching = (async () => {
    for (let turn = 1; performance.now() < endsAt; turn++) {
      looks.push({ memory: residentBytes(server.pid), files: openFiles(server.pid) });
      if (turn % 60 === 0) progress(`${counts.runs} runs, ${counts.errors.length} errors`);
      await sleep(LOOK_MS);
    }
  })();
  const callers = Array.from({ length: clients }, async (_, caller) => {
    for (let turn = 1; performance.now() < endsAt; turn++) await runJob(server, caller, turn, counts);
  });
  await Promise.all([watching, ...callers]);
  const seconds = (performance.now() - startedAt) / 1000;
  const { medianMs, p99Ms } = distributionOf(counts.samples);
  return {
    wall,
    clients,
    seconds,
    runs: counts.runs,
    perSecond: counts.runs / seconds,
    p50Ms: medianMs,
    p99Ms,
    errors: counts.errors.length,
    errorSamples: counts.errors.slice(0, SAMPLES_SHOWN),
    busy: counts.busy,
    memoryBytes: growthOf(looks.map(({ memory }) => memory)),
    openFiles: growthOf(looks.map(({ files }) => files)),
  };
}

async function runJob(
  server: BenchServer,
  caller: number,
  turn: number,
  counts: { runs: number; busy: number; errors: string[]; samples: number[] },
): Promise<void> {
  const job = JOBS[(caller * 3 + turn) % JOBS.length] as Job;
  const token = `${caller}-${turn}`;
  const { language, timeout } = job;
  const input = {
    code: job.code(token),
    language,
    session: `load-${caller}`,
    ...(timeout === undefined ? {} : { timeout }),
  };
  const startedAt = performance.now();
  const result = (await server.client.callTool({ name: 'run_code', arguments: input })) as CallToolResult;
  counts.runs++;
  // A run that is meant to run out of time says nothing about how fast answers come.
  if (timeout === undefined) counts.samples.push(performance.now() - startedAt);
  const [block] = result.content;
  const text = block?.type === 'text' ? block.text : '';
  const { error } = (result._meta?.['sallyport/run'] ?? {}) as { error?: { code: string } | null };
  if (error?.code === 'BUSY') counts.busy++;
  else if (!job.isRight(text, token, result.isError === true))
    counts.errors.push(JSON.stringify({ token, language, text: text.slice(-200) }));
}

/** The middle of the second fifth against the middle of the last one. */
function growthOf(values: readonly number[]): Growth {
  const edge = Math.max(1, Math.floor(values.length * EDGE_SHARE));
  const before = median(values.slice(edge, 2 * edge));
  const after = median(values.slice(-edge));
  return { before, after, share: before === 0 ? 0 : after / before - 1 };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function residentBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) * 1024;
}

function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

export function formatBenchLoad(report: LoadReport): string {
  const growth = ({ before, after, share }: Growth, unit: (value: number) => string) =>
    `${unit(before)} → ${unit(after)} (${(share * 100).toFixed(1)} %)`;
  const rows = [
    ['wall', report.wall],
    ['callers', `${report.clients}, for ${report.seconds.toFixed(0)} s`],
    ['runs', `${report.runs} (${report.perSecond.toFixed(0)} a second)`],
    ['answer', `p50 ${report.p50Ms.toFixed(1)} ms, p99 ${report.p99Ms.toFixed(1)} ms`],
    ['wrong', String(report.errors)],
    ['busy', String(report.busy)],
    ['memory', growth(report.memoryBytes, (bytes) => `${(bytes / 1e6).toFixed(0)} MB`)],
    ['open files', growth(report.openFiles, String)],
  ];
  return table(rows.map(([name = '', value = '']) => [paint('bold', name), value]));
}
