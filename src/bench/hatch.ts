/** `sallyport bench hatch`: what a call of another server costs from inside a program, beside a client that calls it directly. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { distributionOf, time } from './measure.ts';
import { type BenchRow, row } from './rows.ts';
import { type BenchServer, callTool, ECHO, openEcho, openSallyport } from './servers.ts';

interface HatchLanguage {
  readonly language: string;
  /** Prints the milliseconds of so many calls, one after the other, as JSON. */
  readonly inTurn: (calls: number) => string;
  /** Prints the milliseconds of so many calls at once of a tool that takes `ms`. */
  readonly atOnce: (calls: number, ms: number) => string;
}

const LANGUAGES: readonly HatchLanguage[] = [
  {
    language: 'python',
    inTurn: (calls) => `
import json, time
taken = []
for _ in range(${calls}):
    start = time.perf_counter()
    mcp.echo.echo(text="1")
    taken.append((time.perf_counter() - start) * 1000)
print(json.dumps(taken))`,
    atOnce: (calls, ms) => `
import asyncio, json, time
start = time.perf_counter()
await asyncio.gather(*[mcp.echo.wait(ms=${ms}) for _ in range(${calls})])
print(json.dumps([(time.perf_counter() - start) * 1000]))`,
  },
  {
    language: 'javascript',
    inTurn: (calls) => `
const taken = [];
for (let n = 0; n < ${calls}; n++) {
  const start = performance.now();
  await mcp.echo.echo({ text: '1' });
  taken.push(performance.now() - start);
}
void process.stdout.write(JSON.stringify(taken));`,
    atOnce: (calls, ms) => `
const start = performance.now();
await Promise.all(Array.from({ length: ${calls} }, () => mcp.echo.wait({ ms: ${ms} })));
void process.stdout.write(JSON.stringify([performance.now() - start]));`,
  },
];

/** Blocks are taken in turns, so that the machine's noise falls on all alike. */
const BLOCKS = 10;
const BLOCK_CALLS = 40;
const PARALLEL_CALLS = 100;
const PARALLEL_MS = 100;
const PARALLEL_ROUNDS = 5;
const GOALS = { inTurn: 1.6, atOnce: 1.3 };

export async function benchHatch(walls: readonly string[], progress: (line: string) => void): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const wall of walls) {
    progress(`${wall}: calls through the hatch`);
    rows.push(...(await benchWall(wall)));
  }
  return rows;
}

async function benchWall(wall: string): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-bench-'));
  const config = join(folder, 'config.json');
  await writeFile(config, JSON.stringify({ mcpServers: { echo: { command: process.execPath, args: [ECHO] } } }));
  try {
    await using echo = await openEcho();
    await using server = await openSallyport(['--sandbox', wall, '--config', config]);
    return [...(await measureInTurn(wall, echo, server)), ...(await measureAtOnce(wall, echo, server))];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureInTurn(wall: string, echo: BenchServer, server: BenchServer): Promise<BenchRow[]> {
  const direct: number[] = [];
  const nested = LANGUAGES.map((): number[] => []);
  for (let block = -1; block < BLOCKS; block += 1) {
    const found = await directCalls(echo, BLOCK_CALLS);
    const inside: number[][] = [];
    for (const { language, inTurn } of LANGUAGES) inside.push(await run(server, language, inTurn(BLOCK_CALLS)));
    if (block < 0) continue; // the first block starts servers and warms the machine code
    direct.push(...found);
    for (const [index, times] of inside.entries()) nested[index]?.push(...times);
  }
  const compared = { name: 'direct SDK call', value: distributionOf(direct).medianMs, goal: GOALS.inTurn };
  return [
    row(wall, 'call of a stdio server, SDK client', '', compared.value),
    ...LANGUAGES.map(({ language }, index) =>
      row(wall, 'the same call from a program', language, distributionOf(nested[index] ?? []).medianMs, compared),
    ),
  ];
}

async function measureAtOnce(wall: string, echo: BenchServer, server: BenchServer): Promise<BenchRow[]> {
  const slowest: number[] = [];
  const nested = LANGUAGES.map((): number[] => []);
  for (let round = 0; round < PARALLEL_ROUNDS; round += 1) {
    slowest.push(await time(async () => void (await callTool(echo, 'wait', { ms: PARALLEL_MS }))));
    for (const [index, { language, atOnce }] of LANGUAGES.entries()) {
      nested[index]?.push(...(await run(server, language, atOnce(PARALLEL_CALLS, PARALLEL_MS))));
    }
  }
  const compared = { name: 'one such call', value: distributionOf(slowest).medianMs, goal: GOALS.atOnce };
  return [
    row(wall, `call of a tool that takes ${PARALLEL_MS} ms, SDK client`, '', compared.value),
    ...LANGUAGES.map(({ language }, index) =>
      row(
        wall,
        `${PARALLEL_CALLS} such calls at once`,
        language,
        distributionOf(nested[index] ?? []).medianMs,
        compared,
      ),
    ),
  ];
}

async function directCalls(echo: BenchServer, calls: number): Promise<number[]> {
  const taken: number[] = [];
  for (let call = 0; call < calls; call += 1)
    taken.push(await time(async () => void (await callTool(echo, 'echo', { text: '1' }))));
  return taken;
}

async function run(server: BenchServer, language: string, code: string): Promise<number[]> {
  const printed = await callTool(server, 'run_code', { code, language, timeout: 60 });
  try {
    return JSON.parse(printed) as number[];
  } catch {
    throw new Error(`The program printed ${JSON.stringify(printed.slice(0, 200))}`);
  }
}
