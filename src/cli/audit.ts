/** `sallyport audit`: what ran and what was called, from the audit log. */
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '#contracts/errors';
import { AUDIT_FILE, type AuditLine } from '#policy/audit-log';
import { type AuditFilter, parseAuditLine, readAudit } from '#policy/audit-read';
import type { CommandContext } from './app-port.ts';
import { table, writeAll } from './print.ts';

export interface AuditFlags extends Omit<AuditFilter, 'since'> {
  readonly json: boolean;
  readonly limit: string | undefined;
  readonly since: string | undefined;
  readonly follow: boolean;
}

const LIMIT_DEFAULT = 50;
const FOLLOW_EVERY_MS = 300;

export async function audit(context: CommandContext, flags: AuditFlags): Promise<number> {
  const { stateDir } = await context.settings();
  const filter = { ...flags, since: parseSince(flags.since) };
  const limit = parseLimit(flags.limit);
  const stopped = flags.follow ? interrupted() : undefined;
  const lines: AuditLine[] = [];
  for await (const line of readAudit(stateDir, filter)) {
    lines.push(line);
    if (lines.length > limit) lines.shift();
  }
  if (flags.json) for (const line of lines) await writeAll(process.stdout, `${JSON.stringify(line)}\n`);
  else await writeAll(process.stdout, `${lines.length === 0 ? 'Nothing yet.' : asTable(lines)}\n`);
  if (stopped !== undefined) await follow(stateDir, filter, flags.json, stopped);
  return 0;
}

function asTable(lines: readonly AuditLine[]): string {
  return table([
    ['TIME', 'SESSION', 'RUN', 'WHAT', 'DECISION', 'OUTCOME', 'MS', 'BYTES', 'CALLER'],
    ...lines.map(cells),
  ]);
}

function cells(line: AuditLine): string[] {
  const word = (key: string) => (line[key] === undefined ? '' : String(line[key]));
  const what = {
    run: `run ${word('language')}`,
    call: `${word('server')}.${word('tool')}`,
    egress: `${word('host')}:${word('port')}`,
    lost: `${word('lines')} lines lost`,
  };
  const decision = line.answer === undefined ? word('decision') : `${word('decision')} (person: ${word('answer')})`;
  return [
    line.time.replace('T', ' ').slice(0, 19),
    word('session'),
    word('run'),
    what[line.kind],
    decision,
    word('outcome'),
    word('durationMs'),
    word(line.kind === 'run' ? 'outputBytes' : 'resultBytes'),
    word('caller'),
  ].map((cell) => cell.replaceAll(/\p{C}/gu, ' '));
}

/** Until the person has seen enough. A file that was put aside is left, and the new one read from its beginning. */
async function follow(
  stateDir: string,
  filter: AuditFilter,
  isJson: boolean,
  stopped: Promise<'stopped'>,
): Promise<void> {
  const path = join(stateDir, AUDIT_FILE);
  let at = (await stat(path).catch(() => undefined))?.size ?? 0;
  let rest = '';
  while ((await Promise.race([stopped, pause(FOLLOW_EVERY_MS)])) !== 'stopped') {
    const size = (await stat(path).catch(() => undefined))?.size ?? 0;
    if (size < at) at = 0;
    if (size === at) continue;
    const texts = (rest + (await readFrom(path, at, size - at))).split('\n');
    at = size;
    rest = texts.pop() ?? '';
    for (const text of texts) {
      const line = parseAuditLine(text, filter);
      if (line)
        await writeAll(
          process.stdout,
          isJson ? `${JSON.stringify(line)}\n` : `${cells(line).filter(Boolean).join('  ')}\n`,
        );
    }
  }
}

async function readFrom(path: string, at: number, bytes: number): Promise<string> {
  await using file = await open(path);
  return (await file.read(Buffer.alloc(bytes), 0, bytes, at)).buffer.toString('utf8');
}

function interrupted(): Promise<'stopped'> {
  return new Promise((resolve) => process.once('SIGINT', () => resolve('stopped')));
}

function pause(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, ms, undefined));
}

/** `2h`, `30m`, `1d`, or a date. */
function parseSince(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const span = /^(\d+)([smhd])$/.exec(text);
  const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
  const date = span ? new Date(Date.now() - Number(span[1]) * (unitMs[span[2] as string] as number)) : new Date(text);
  if (!Number.isNaN(date.getTime())) return date;
  throw new AppError('INVALID_INPUT', `--since takes a time such as 30m, 2h, 1d or 2026-01-31, not "${text}"`);
}

function parseLimit(text: string | undefined): number {
  if (text === undefined) return LIMIT_DEFAULT;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new AppError('INVALID_INPUT', `--limit takes a number above zero, not "${text}"`);
}
