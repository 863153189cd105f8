/** `sallyport savings`: what runs saved and cost, in tokens. */
import { AppError } from '#contracts/errors';
import { readLedger } from '#savings/ledger-file';
import type { CommandContext } from './app-port.ts';
import { table, writeAll } from './print.ts';

const RUNS_SHOWN = 10;

export async function savings(
  context: CommandContext,
  flags: { json: boolean; limit: string | undefined },
): Promise<number> {
  const { stateDir } = await context.settings();
  const limit = parseLimit(flags.limit);
  const { totals, runs } = await readLedger(stateDir);
  const last = runs.slice(-limit).map((line) => ({ ...line, saved: line.without - line.with }));
  if (flags.json) return await print(JSON.stringify({ ...totals, lastRuns: last }, null, 2));
  if (totals.runs === 0 && totals.connections === 0)
    return await print('Nothing yet. A run counts when there are servers that it could call.');
  const number = (value: number) => value.toLocaleString('en-US');
  const total = table([
    ['Tokens without Sallyport', number(totals.without)],
    ['Tokens with it', number(totals.with)],
    ['Saved', number(totals.saved)],
    ['Over', `${number(totals.connections)} connections, ${number(totals.runs)} runs, ${number(totals.calls)} calls`],
  ]);
  const rows = last.map(({ time, session = '', run = '', calls = 0, saved, ...line }) => [
    time.replace('T', ' ').slice(0, 19),
    session,
    run,
    String(calls),
    number(line.without),
    number(line.with),
    number(saved),
  ]);
  const heads = ['TIME', 'SESSION', 'RUN', 'CALLS', 'WITHOUT', 'WITH', 'SAVED'];
  return await print(rows.length === 0 ? total : `${total}\n\n${table([heads, ...rows])}`);
}

function parseLimit(text: string | undefined): number {
  if (text === undefined) return RUNS_SHOWN;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new AppError('INVALID_INPUT', `--limit takes a number above zero, not "${text}"`);
}

async function print(text: string): Promise<number> {
  await writeAll(process.stdout, `${text}\n`);
  return 0;
}
