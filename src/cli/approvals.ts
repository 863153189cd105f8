/** `sallyport approvals`: what programs wait for a person to allow, in any server of this user; and what is allowed for good. */
import { AppError } from '#contracts/errors';
import type { PendingApproval } from '#policy/approvals';
import { KeptApprovals } from '#policy/kept-approvals';
import { askServers } from '#sessions/control-socket';
import type { CommandContext } from './app-port.ts';
import { table, writeAll } from './print.ts';

const WORDS = ['once', 'session', 'always'] as const;
type Word = (typeof WORDS)[number];

const ARGS_CHARS_MAX = 80;

export async function approvals(
  context: CommandContext,
  words: readonly string[],
  flags: { json: boolean },
): Promise<number> {
  const { stateDir } = await context.settings();
  const [action, ...rest] = words;
  if (action === undefined) return await list(stateDir, flags);
  if (action === 'forget' && rest.length === 1) return await forget(stateDir, rest[0] as string);
  const last = WORDS.find((word) => word === rest.at(-1));
  const ids = last === undefined ? rest : rest.slice(0, -1);
  if (action === 'approve' && ids.length > 0) return await answer(stateDir, ids, last ?? 'once');
  if (action === 'deny' && ids.length > 0 && last === undefined) return await answer(stateDir, ids, 'deny');
  throw new AppError('INVALID_INPUT', `Cannot do "${words.join(' ')}" with approvals`, {
    hint: 'Use: sallyport approvals [approve ID… [once|session|always] | deny ID… | forget SERVER.TOOL]',
  });
}

async function list(stateDir: string, flags: { json: boolean }): Promise<number> {
  const answers = await askServers(stateDir, { op: 'approvals' });
  const waiting = answers.flatMap(({ pid, value }) =>
    ((value ?? []) as PendingApproval[]).map((pending) => ({ ...pending, pid })),
  );
  const allowed = await new KeptApprovals(stateDir).list();
  if (flags.json) return await print(JSON.stringify({ waiting, allowed }, null, 2));
  const questions = waiting.map(({ id, server, tool, args, session, caller, askedAt }) => [
    id,
    `${server}.${tool}`,
    shortJson(args),
    session,
    caller,
    `${Math.round((Date.now() - Date.parse(askedAt)) / 1000)} s`,
  ]);
  const parts = [
    questions.length === 0
      ? 'Nothing waits for an answer.'
      : `${table([['ID', 'TOOL', 'ARGUMENTS', 'SESSION', 'CALLER', 'WAITS'], ...questions])}\n\nsallyport approvals approve ID [once|session|always], or deny ID`,
    ...(allowed.length === 0
      ? []
      : [
          `\nAllowed for good:\n${table(allowed.map(({ server, tool, at }) => [`  ${server}.${tool}`, at.slice(0, 10)]))}`,
        ]),
  ];
  return await print(parts.join('\n'));
}

async function answer(stateDir: string, ids: readonly string[], approval: Word | 'deny'): Promise<number> {
  for (const id of ids) {
    const answers = await askServers(stateDir, { op: 'answer', id, approval });
    if (!answers.some(({ value }) => value === true)) {
      throw new AppError('NOT_FOUND', `Nothing waits under "${id}"`, {
        hint: 'It was answered, withdrawn or has expired; sallyport approvals lists what waits',
      });
    }
    await print(approval === 'deny' ? `${id}: denied` : `${id}: allowed (${approval})`);
  }
  return 0;
}

async function forget(stateDir: string, name: string): Promise<number> {
  const kept = new KeptApprovals(stateDir);
  const meant = (await kept.list()).find(({ server, tool }) => `${server}.${tool}` === name);
  if (!meant)
    throw new AppError('NOT_FOUND', `"${name}" is not allowed for good`, { hint: 'sallyport approvals lists what is' });
  await kept.forget(meant.server, meant.tool);
  return await print(`${name}: asked about again from now on`);
}

function shortJson(value: unknown): string {
  const text = (JSON.stringify(value) ?? '').replaceAll(/\p{C}/gu, ' ');
  return text.length > ARGS_CHARS_MAX ? `${text.slice(0, ARGS_CHARS_MAX - 1)}…` : text;
}

async function print(text: string): Promise<number> {
  await writeAll(process.stdout, `${text}\n`);
  return 0;
}
