/** `sallyport sessions`: what is open in any server of this user, what lies on disk; reset or close one. */
import { AppError } from '#contracts/errors';
import { askServers } from '#sessions/control-socket';
import { SessionHomes } from '#sessions/home';
import type { SessionInfo } from '#sessions/house';
import type { CommandContext } from './app-port.ts';
import { table, writeAll } from './print.ts';

interface SessionRow extends Partial<SessionInfo> {
  readonly name: string;
  readonly state: string;
  readonly pid: number | null;
}

export async function sessions(
  context: CommandContext,
  words: readonly string[],
  flags: { json: boolean },
): Promise<number> {
  const { stateDir } = await context.settings();
  const [action, name] = words;
  if (action === undefined) {
    const rows = await listAll(stateDir);
    await writeAll(process.stdout, flags.json ? `${JSON.stringify(rows, null, 2)}\n` : `${formatRows(rows)}\n`);
    return 0;
  }
  if ((action !== 'reset' && action !== 'close') || name === undefined) {
    throw new AppError('INVALID_INPUT', `Cannot do "${words.join(' ')}" with sessions`, {
      hint: 'Use: sallyport sessions [reset NAME | close NAME]',
    });
  }
  const answers = await askServers(stateDir, { op: action, name });
  const done = answers.find((answer) => answer.value === true);
  const failed = answers.find((answer) => answer.error !== undefined);
  if (done) {
    await writeAll(
      process.stdout,
      `Session "${name}" is ${action === 'reset' ? 'reset' : 'closed'} (server ${done.pid})\n`,
    );
    return 0;
  }
  if (failed) throw new AppError('INTERNAL', `Server ${failed.pid} could not ${action} "${name}": ${failed.error}`);
  throw new AppError('SESSION_UNKNOWN', `No server has a session "${name}" open`, {
    hint: 'sallyport sessions lists them',
  });
}

async function listAll(stateDir: string): Promise<SessionRow[]> {
  const answers = await askServers(stateDir, { op: 'list' });
  const open = answers.flatMap(({ pid, value }) =>
    (value as SessionInfo[]).map((info): SessionRow => ({ ...info, state: info.isBusy ? 'running' : 'idle', pid })),
  );
  const onDisk = (await new SessionHomes(stateDir).list()).filter(
    ({ name }) => !open.some((row) => row.isNamed && row.name === name),
  );
  return [
    ...open,
    ...onDisk.map(({ name, holderPid }) => ({
      name,
      state: holderPid === undefined ? 'on disk' : 'held',
      pid: holderPid ?? null,
    })),
  ];
}

function formatRows(rows: readonly SessionRow[]): string {
  if (rows.length === 0) return 'No sessions. One begins with the first run_code.';
  const cells = rows.map((row) => [
    row.name,
    row.state,
    row.interpreters?.join(', ') ?? '',
    row.memoryBytes ? `${Math.round(row.memoryBytes / 1024 ** 2)} MiB` : '',
    row.idleMs ? `${Math.round(row.idleMs / 1000)} s` : '',
    row.pid === null ? '' : String(row.pid),
  ]);
  return table([['NAME', 'STATE', 'LIVE', 'MEMORY', 'IDLE', 'SERVER'], ...cells]);
}
