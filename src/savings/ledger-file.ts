/**
 * The ledger on disk: a line of JSON for each run and each connection in `<state>/savings.jsonl`. When it gets long, it is
 * put aside and its lines are summed into one; several processes may write meanwhile.
 */
import { randomBytes } from 'node:crypto';
import { appendFile, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '#contracts/errors';

/** What would have been paid without Sallyport, and what was paid with it, in tokens. */
export interface LedgerLine {
  readonly time: string;
  readonly kind: 'run' | 'connection' | 'sum';
  readonly without: number;
  readonly with: number;
  readonly calls?: number;
  readonly run?: string;
  readonly session?: string;
  readonly caller?: string;
  /** Of a sum: how many runs and connections, and the file that they were in. */
  readonly runs?: number;
  readonly connections?: number;
  readonly of?: string;
  /** By length instead of by tokenizer: the process ended before anybody had counted. */
  readonly isEstimate?: true;
}

export interface LedgerTotals {
  readonly runs: number;
  readonly connections: number;
  readonly calls: number;
  readonly without: number;
  readonly with: number;
  readonly saved: number;
}

const FILE = 'savings.jsonl';
const ASIDE = /^savings-[\dTZ.-]+-[\da-f]+\.jsonl$/;
const FILE_BYTES_MAX = 1024 ** 2;
/** Runs that stay to be looked at when their file is summed. */
const RUNS_KEPT = 200;
/** Whoever had the file open when it was put aside has written by then. */
const SETTLE_MS = 1_000;

export async function appendLedger(
  stateDir: string,
  lines: readonly LedgerLine[],
  fileBytesMax = FILE_BYTES_MAX,
): Promise<void> {
  const file = join(stateDir, FILE);
  await mkdir(stateDir, { recursive: true });
  await appendFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { mode: 0o600 });
  const size = (await stat(file).catch(() => undefined))?.size ?? 0; // put aside by another process
  if (size > fileBytesMax) await sumUp(stateDir);
}

export async function readLedger(stateDir: string): Promise<{ totals: LedgerTotals; runs: readonly LedgerLine[] }> {
  const names: string[] = await readdir(stateDir).catch(() => []); // nothing was ever written
  const current = names.includes(FILE) ? await readLines(join(stateDir, FILE)) : [];
  const summed = new Set(current.map((line) => line.of));
  const aside = names.filter((name) => ASIDE.test(name) && !summed.has(name)).sort();
  const older = await Promise.all(aside.map((name) => readLines(join(stateDir, name))));
  const lines = [...older.flat(), ...current];
  return { totals: totalsOf(lines), runs: lines.filter(({ kind }) => kind === 'run') };
}

async function sumUp(stateDir: string): Promise<void> {
  const name = `savings-${new Date().toISOString().replaceAll(':', '-')}-${randomBytes(4).toString('hex')}.jsonl`;
  try {
    await rename(join(stateDir, FILE), join(stateDir, name));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return; // another process was faster
    throw error;
  }
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const lines = await readLines(join(stateDir, name));
  const kept = lines.filter(({ kind }) => kind === 'run').slice(-RUNS_KEPT);
  const rest = new Set(kept);
  const { saved: _saved, ...totals } = totalsOf(lines.filter((line) => !rest.has(line)));
  const sum: LedgerLine = { time: new Date().toISOString(), kind: 'sum', of: name, ...totals };
  await appendFile(join(stateDir, FILE), [sum, ...kept].map((line) => `${JSON.stringify(line)}\n`).join(''), {
    mode: 0o600,
  });
  await rm(join(stateDir, name), { force: true });
}

function totalsOf(lines: readonly LedgerLine[]): LedgerTotals {
  const sum = (read: (line: LedgerLine) => number) => lines.reduce((total, line) => total + read(line), 0);
  const without = sum((line) => line.without);
  const own = sum((line) => line.with);
  return {
    runs: sum(({ kind, runs = 0 }) => (kind === 'run' ? 1 : runs)),
    connections: sum(({ kind, connections = 0 }) => (kind === 'connection' ? 1 : connections)),
    calls: sum(({ calls = 0 }) => calls),
    without,
    with: own,
    saved: without - own,
  };
}

async function readLines(file: string): Promise<LedgerLine[]> {
  const text = await readFile(file, 'utf8').catch(() => ''); // summed meanwhile
  return text.split('\n').flatMap((line) => {
    try {
      const value = JSON.parse(line) as LedgerLine;
      return Number.isFinite(value.without) && Number.isFinite(value.with) ? [value] : [];
    } catch {
      return []; // half a line of a process that died
    }
  });
}
