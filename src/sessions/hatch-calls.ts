/** Requests of programs on their way through the hatch: a frame in, the fields of its reply out. */
import { type Frame, fieldText, fieldTexts } from '#bridge/codec';
import { AppError, messageOf } from '#contracts/errors';
import { BOUNDS } from '#contracts/limits';

/** What the command `mcp` prints, and ends with. */
export interface CommandAnswer {
  readonly exit: number;
  readonly out: Uint8Array;
  readonly err: string;
}

export type ReplyFields = ReadonlyArray<readonly [name: string, value: string | Uint8Array]>;

/** The method by which the command `mcp` asks; its answer is fields of its own. */
const COMMAND_METHOD = 'shell';

/** Answers of this length may wait beside too many others; longer ones may not. */
const SHORT_BYTES = 64 * 1024;

/** What a frame asks for. Params that are no JSON come only from a forged frame, and are as good as none. */
export function readCall(frame: Frame): { method: string; params: unknown } {
  const method = fieldText(frame, 'method') ?? '';
  const json = fieldText(frame, 'params');
  if (json === undefined)
    return { method, params: { words: fieldTexts(frame, 'word'), stdin: fieldText(frame, 'stdin') } };
  try {
    return { method, params: JSON.parse(json) };
  } catch {
    return { method, params: null };
  }
}

/**
 * Throws when the frame is not from the run that is going on: a thread, a task or a child of an earlier one. A forged word
 * for another run gains nothing, since all grants are those of the run that goes on now.
 */
export function assertFromRun(frame: Frame, runId: string | undefined): void {
  const named = fieldText(frame, 'run');
  if (runId !== undefined && (named === undefined || named === runId)) return;
  throw new AppError('SESSION_CLOSED', 'The run that this call belongs to has ended');
}

/** The same for a process that came by itself; it has to say where it comes from. */
export function assertVisitorFromRun(frame: Frame, runId: string | undefined): void {
  if (fieldText(frame, 'run') === undefined)
    throw new AppError('SESSION_CLOSED', 'This process does not say which run it belongs to', {
      hint: 'Leave SALLYPORT_RUN in its environment',
    });
  assertFromRun(frame, runId);
}

/** The fields of the reply to a frame, whatever becomes of the work. `heldBytes` is what waits to be read already. */
export async function replyTo(
  frame: Frame,
  work: () => Promise<unknown>,
  heldBytes: () => number,
): Promise<ReplyFields> {
  const id = ['id', fieldText(frame, 'id') ?? ''] as const;
  const isCommand = fieldText(frame, 'method') === COMMAND_METHOD;
  try {
    const value = await work();
    const fields = isCommand ? commandFields(value as CommandAnswer) : valueFields(value);
    if (lengthOf(fields) > SHORT_BYTES && heldBytes() > BOUNDS.repliesHeldBytesMax)
      throw new AppError('BUSY', 'Too many answers wait to be read', {
        hint: 'Read some of them before making more calls',
      });
    return [id, ...fields];
  } catch (error) {
    const { code, message } = plainError(error);
    if (isCommand) return [id, ...commandFields({ exit: 1, out: Buffer.alloc(0), err: `mcp: ${message}\n` })];
    return [id, ['ok', '0'], ['value', JSON.stringify({ code, message })]];
  }
}

function commandFields({ exit, out, err }: CommandAnswer): ReplyFields {
  return [
    ['ok', '1'],
    ['exit', String(exit)],
    ['err', err],
    ['out', out],
  ];
}

function valueFields(value: unknown): ReplyFields {
  return [
    ['ok', '1'],
    ['value', JSON.stringify(value ?? null)],
  ];
}

function lengthOf(fields: ReplyFields): number {
  return fields.reduce((sum, [, value]) => sum + value.length, 0);
}

function plainError(error: unknown): { code: string; message: string } {
  if (!(error instanceof AppError)) return { code: 'INTERNAL', message: messageOf(error) };
  return { code: error.code, message: error.hint ? `${error.message}. ${error.hint}` : error.message };
}
