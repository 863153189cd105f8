/** `sallyport bench …`: which benchmark, and how its figures are shown. */
import type { BenchFlags } from '#cli/app-port';
import { writeAll } from '#cli/print';
import type { Settings } from '#config/settings';
import { AppError } from '#contracts/errors';

const ROUNDS = 200;
const LOAD_CLIENTS = 16;
const LOAD_MINUTES = 1;

export async function bench(kind: string | undefined, flags: BenchFlags, settings: Settings): Promise<number> {
  switch (kind) {
    case 'run':
      return run(flags, settings);
    case 'hatch':
      return hatch(flags, settings);
    case 'load':
      return load(flags, settings);
    case 'languages':
      return languages(flags, settings);
    case 'search':
      return search(flags);
    case 'detect':
      return detect(flags);
    default:
      throw new AppError('INVALID_INPUT', `Unknown benchmark "${kind ?? ''}"`, {
        hint: 'Use: bench run, bench hatch, bench languages, bench load, bench search, bench detect',
      });
  }
}

async function run(flags: BenchFlags, settings: Settings): Promise<number> {
  const { benchRun } = await import('./run.ts');
  const { formatBenchRun } = await import('./format.ts');
  const { benchTargets } = await import('./targets.ts');
  const targets = await benchTargets(settings);
  const rows = await benchRun({ ...targets, rounds: ROUNDS, progress });
  await writeAll(process.stdout, flags.json ? `${JSON.stringify(rows, null, 2)}\n` : formatBenchRun(rows));
  return 0;
}

async function hatch(flags: BenchFlags, settings: Settings): Promise<number> {
  const { benchHatch } = await import('./hatch.ts');
  const { formatBenchRun } = await import('./format.ts');
  const { benchTargets } = await import('./targets.ts');
  const { walls } = await benchTargets(settings);
  const rows = await benchHatch(walls, progress);
  await writeAll(process.stdout, flags.json ? `${JSON.stringify(rows, null, 2)}\n` : formatBenchRun(rows));
  return 0;
}

async function load(flags: BenchFlags, settings: Settings): Promise<number> {
  const { benchLoad, formatBenchLoad } = await import('./load.ts');
  const { benchTargets } = await import('./targets.ts');
  const clients = positive('clients', flags.clients, LOAD_CLIENTS);
  const minutes = positive('minutes', flags.minutes, LOAD_MINUTES);
  const [wall] = (await benchTargets(settings)).walls;
  if (wall === undefined) {
    throw new AppError('SANDBOX_UNAVAILABLE', 'No wall works here', { hint: 'sallyport doctor says why' });
  }
  const report = await benchLoad({ wall, clients: Math.ceil(clients), minutes, progress });
  await writeAll(process.stdout, flags.json ? `${JSON.stringify(report, null, 2)}\n` : `${formatBenchLoad(report)}\n`);
  return report.errors === 0 ? 0 : 1;
}

function positive(name: string, text: string | undefined, otherwise: number): number {
  const value = text === undefined ? otherwise : Number(text);
  if (value > 0 && Number.isFinite(value)) return value;
  throw new AppError('INVALID_INPUT', `--${name} must be a number above 0, and is "${text}"`, {
    hint: `Leave it out for ${otherwise}`,
  });
}

async function languages(flags: BenchFlags, settings: Settings): Promise<number> {
  const { benchLanguages } = await import('./languages.ts');
  const { formatBenchRun } = await import('./format.ts');
  const { benchTargets } = await import('./targets.ts');
  const { walls } = await benchTargets(settings);
  const wall = walls.find((name) => name !== 'embedded');
  if (wall === undefined)
    throw new AppError('SANDBOX_UNAVAILABLE', 'No wall here runs other languages than the live ones', {
      hint: 'Run `sallyport doctor`',
    });
  const rows = await benchLanguages({ wall, only: flags.only?.split(',') }, progress);
  await writeAll(process.stdout, flags.json ? `${JSON.stringify(rows, null, 2)}\n` : formatBenchRun(rows));
  return 0;
}

function progress(line: string): void {
  process.stderr.write(`bench: ${line}\n`);
}

async function search(flags: BenchFlags): Promise<number> {
  const { tools, queries, distractors } = flags;
  if (tools === undefined || queries === undefined) {
    throw new AppError('INVALID_INPUT', 'bench search needs --tools FILE and --queries FILE', {
      hint: 'Both are JSON lines; --distractors FILE adds tools that no query wants',
    });
  }
  const { benchSearch, formatBenchSearch } = await import('./search.ts');
  const report = await benchSearch({ tools, queries, ...(distractors === undefined ? {} : { distractors }) });
  await writeAll(process.stdout, flags.json ? `${JSON.stringify(report)}\n` : `${formatBenchSearch(report)}\n`);
  return 0;
}

async function detect({ samples, json }: BenchFlags): Promise<number> {
  if (samples === undefined) {
    throw new AppError('INVALID_INPUT', 'bench detect needs --samples FILE', {
      hint: 'JSON lines with "language" and "content", also packed by gzip',
    });
  }
  const { benchDetect, formatBenchDetect } = await import('./detect.ts');
  const report = await benchDetect(samples);
  await writeAll(process.stdout, json ? `${JSON.stringify(report)}\n` : `${formatBenchDetect(report)}\n`);
  return 0;
}
