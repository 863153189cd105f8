/** `sallyport bench run`: what a run, a session and a start cost here, each beside the thing it is compared with. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runBare, runInBareBubblewrap } from './bare.ts';
import { benchContainer, isContainerWall } from './containers.ts';
import { type Distribution, distributionOf, measureInTurns, time } from './measure.ts';
import { privateBytesBelow } from './processes.ts';
import { type BenchRow, row } from './rows.ts';
import { callTool, mustPrint, openEcho, openSallyport, startAndList } from './servers.ts';

export interface BenchRunOptions {
  readonly walls: readonly string[];
  /** For walls made of containers. */
  readonly image: string | undefined;
  /** The binary that sessions use, so that both sides start the same Python. */
  readonly python: string;
  /** Rounds of the warm measurements; others scale with it. */
  readonly rounds: number;
  readonly progress: (line: string) => void;
}

type Language = 'python' | 'javascript' | 'bash';

const TRIVIAL: Readonly<Record<Language, string>> = {
  python: 'print(1)',
  javascript: 'console.log(1)',
  bash: 'echo 1',
};
const LANGUAGES = Object.keys(TRIVIAL) as Language[];
/** Longer than a place takes to be filled again on a slow machine. */
const REFILL_MS = 700;

export async function benchRun(options: BenchRunOptions): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  options.progress('start-up');
  rows.push(...(await benchStart()));
  for (const wall of options.walls) {
    if (isContainerWall(wall)) {
      rows.push(...(await benchContainer(wall, options)));
      continue;
    }
    options.progress(`${wall}: warm runs`);
    rows.push(...(await benchWarm(wall, options.rounds)));
    options.progress(`${wall}: cold one-shots`);
    rows.push(...(await benchCold(wall, options)));
    options.progress(`${wall}: idle memory`);
    rows.push(...(await benchMemory(wall)));
    options.progress(`${wall}: timeouts`);
    rows.push(await benchTimeout(wall));
    options.progress(`${wall}: many sessions`);
    rows.push(await benchManySessions(wall));
  }
  return rows;
}

async function benchStart(): Promise<BenchRow[]> {
  const state = await mkdtemp(join(tmpdir(), 'sallyport-bench-'));
  const sallyport = () => startAndList(() => openSallyport([], state));
  await sallyport(); // the very first start looks for the user's servers; all others know them
  const measured = await measureInTurns({ echo: () => startAndList(openEcho), sallyport }, 9);
  await rm(state, { recursive: true, force: true });
  return [
    row('any', 'start to tools/list, hello-world server', '', measured.echo.medianMs),
    row('any', 'start to tools/list', '', measured.sallyport.medianMs, {
      name: 'hello-world server',
      value: measured.echo.medianMs,
      goal: 1.5,
    }),
  ];
}

async function benchWarm(wall: string, rounds: number): Promise<BenchRow[]> {
  await using echo = await openEcho();
  await using server = await openSallyport(['--sandbox', wall, '--max-sessions', '200']);
  const call = (language: Language, session: string) => () =>
    mustPrint(server, { code: TRIVIAL[language], language, session }, '1\n');
  const echoCall = async () => void (await callTool(echo, 'echo', { text: '1\n' }));
  const actions = {
    echo: echoCall,
    ...Object.fromEntries(LANGUAGES.map((language) => [language, call(language, `warm-${language}`)])),
  } as Record<'echo' | Language, () => Promise<void>>;
  await measureInTurns(actions, Math.ceil(rounds / 5)); // the first calls start interpreters and warm the machine code
  const warm = await measureInTurns(actions, rounds);

  const rows = [row(wall, 'SDK echo tool', '', warm.echo.medianMs)];
  for (const language of LANGUAGES) {
    const compared = { name: 'SDK echo', value: warm.echo.medianMs };
    rows.push(row(wall, 'warm run', language, warm[language].medianMs, { ...compared, goal: 1.6 }));
    rows.push(row(wall, 'warm run, p99', language, warm[language].p99Ms, { ...compared, goal: 5 }));
  }
  for (const language of LANGUAGES) {
    const fresh = await measureNewSessions(language, call);
    rows.push(
      row(wall, 'first run in a new session', language, fresh.medianMs, {
        name: 'warm run',
        value: warm[language].medianMs,
        goal: 3,
      }),
    );
  }
  return rows;
}

async function measureNewSessions(
  language: Language,
  call: (language: Language, session: string) => () => Promise<void>,
): Promise<Distribution> {
  const samples: number[] = [];
  for (let index = 0; index < 9; index++) {
    await new Promise((resolve) => setTimeout(resolve, REFILL_MS));
    // A warm call first, so that only the session is new and not the caller's own path cold after the pause.
    await call(language, `warm-${language}`)();
    samples.push(await time(call(language, `new-${language}-${index}`)));
  }
  return distributionOf(samples);
}

async function benchCold(wall: string, { python }: BenchRunOptions): Promise<BenchRow[]> {
  await using server = await openSallyport(['--sandbox', wall, '--warm', 'off', '--max-sessions', '200']);
  let count = 0;
  const rows: BenchRow[] = [];
  for (const language of LANGUAGES) {
    const measured = await measureInTurns(
      {
        bare: () => runBare(language, python),
        bubblewrap: () => runInBareBubblewrap(language, python),
        cold: () => mustPrint(server, { code: TRIVIAL[language], language, session: `cold-${++count}` }, '1\n'),
      },
      9,
    );
    rows.push(row(wall, 'bare interpreter', language, measured.bare.medianMs));
    rows.push(row(wall, 'bare bwrap + interpreter', language, measured.bubblewrap.medianMs));
    rows.push(
      row(wall, 'cold one-shot, no pool', language, measured.cold.medianMs, {
        name: 'bare bwrap',
        value: measured.bubblewrap.medianMs,
        goal: 1.5,
      }),
    );
  }
  return rows;
}

const MEMORY_GOALS_MB: Readonly<Partial<Record<Language, number>>> = { python: 15, javascript: 50 };

async function benchMemory(wall: string): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const language of LANGUAGES) {
    await using server = await openSallyport(['--sandbox', wall, '--warm', 'off']);
    // Two sessions: the second one's pages are what a further session costs, once libraries are shared.
    await mustPrint(server, { code: TRIVIAL[language], language, session: 'a' }, '1\n');
    const before = privateBytesBelow(server.pid);
    await mustPrint(server, { code: TRIVIAL[language], language, session: 'b' }, '1\n');
    const megabytes = (privateBytesBelow(server.pid) - before) / 1e6;
    rows.push({
      wall,
      what: 'idle session, private memory',
      language,
      value: megabytes,
      unit: 'MB',
      comparedWith: null,
      ratio: null,
      goal: MEMORY_GOALS_MB[language] ?? null,
    });
  }
  return rows;
}

async function benchTimeout(wall: string): Promise<BenchRow> {
  await using server = await openSallyport(['--sandbox', wall]);
  const stubborn = 'import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass';
  await mustPrint(server, { code: 'print(1)', language: 'python' }, '1\n');
  const samples: number[] = [];
  for (let index = 0; index < 5; index++)
    samples.push(
      (await time(
        async () => void (await callTool(server, 'run_code', { code: stubborn, language: 'python', timeout: 0.5 })),
      )) - 500,
    );
  return {
    ...row(wall, 'answer after the deadline, SIGINT ignored', 'python', distributionOf(samples).medianMs),
    goal: 300,
  };
}

/** 100 sessions with 10 runs each, interleaved: every answer must be its own. */
async function benchManySessions(wall: string): Promise<BenchRow> {
  const sessions = wall === 'bubblewrap' ? 100 : 10;
  await using server = await openSallyport(['--sandbox', wall, '--max-sessions', String(sessions)]);
  let wrong = 0;
  for (let round = 0; round < 10; round++) {
    const code = (index: number) => (round === 0 ? `n = ${index}\nprint(n * 1000)` : `n += 1\nprint(n * 1000)`);
    const answers = await Promise.all(
      Array.from({ length: sessions }, (_, index) =>
        callTool(server, 'run_code', { code: code(index), language: 'python', session: `s${index}`, timeout: 60 }),
      ),
    );
    wrong += answers.filter((answer, index) => answer !== `${(index + round) * 1000}\n`).length;
  }
  return {
    wall,
    what: `${sessions} sessions × 10 runs, wrong answers`,
    language: 'python',
    value: wrong,
    unit: 'count',
    comparedWith: null,
    ratio: null,
    goal: 0,
  };
}
