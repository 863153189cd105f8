/** One run from request to outcome: the order of the steps, and nothing else. */
import { randomUUID } from 'node:crypto';
import { AppError } from '#contracts/errors';
import type { RunOutcome, RunRequest } from '#contracts/run';
import { requireLanguage } from '#languages/registry';
import type { LiveRun, RunSpec } from '#sessions/live-run';
import type { Session } from '#sessions/session';
import { auditRefusal, auditRun } from './audit-run.ts';
import { explainOutcome, workOf } from './command-work.ts';
import { hintMissingPackage } from './package-hint.ts';
import type { EngineParts, Watcher } from './parts.ts';
import { preparePackages } from './prepare-packages.ts';
import { readProgram } from './read-program.ts';

/** Short enough to read, long enough never to meet another. */
const RUN_ID_LENGTH = 12;

/** A run whose door left before it could be answered (`Watcher.left`). */
export interface LeftRun {
  readonly session: Session;
  readonly run: LiveRun;
}

/** Throws AppError when the run is refused; the program's own failure is an outcome. */
export async function runCode(parts: EngineParts, request: RunRequest, watcher: Watcher): Promise<RunOutcome> {
  const outcome = await followCode(parts, request, watcher);
  if ('run' in outcome) throw new TypeError('A door that may leave follows with followCode');
  return outcome;
}

/** The same for doors that may leave. */
export async function followCode(
  parts: EngineParts,
  request: RunRequest,
  watcher: Watcher,
): Promise<RunOutcome | LeftRun> {
  if (request.code.trim() === '') return pickUp(parts, request, watcher);

  const { session, run } = await begin(parts, request, watcher).catch((error: unknown) => {
    auditRefusal(parts, request, error);
    throw error;
  });
  auditRun(parts, session, run);
  hintMissingPackage(parts, run);
  return answer(session, run, watcher, watcher.answerMs);
}

async function begin(parts: EngineParts, request: RunRequest, watcher: Watcher): Promise<LeftRun> {
  // Whoever looks for servers learns their secrets, which a mounted folder may hold too.
  if (parts.hasMounts) await parts.upstreams.servers();
  const { code: sent, language } = await readProgram(parts, request);
  const { code, prepare } = preparePackages(parts, language.id, sent, watcher.person);
  const work = workOf(parts, language, code, request);
  return await submit(parts, request, {
    runId: randomUUID().replaceAll('-', '').slice(0, RUN_ID_LENGTH),
    language: language.id,
    interpreter: language.interpreter,
    ...work,
    code,
    args: request.args,
    stdin: request.stdin,
    files: request.files,
    timeoutMs: request.timeoutMs ?? parts.limits.timeoutMs,
    caller: request.caller,
    ...(prepare && { prepare }),
  });
}

/** A session may end between finding it and using it (idle, evicted); then a new one takes its place. */
async function submit(
  parts: EngineParts,
  request: RunRequest,
  spec: RunSpec,
): Promise<{ session: Session; run: LiveRun }> {
  const session = await parts.house.lease(request.session, spec.interpreter);
  try {
    return { session, run: session.submit(spec) };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'SESSION_CLOSED') throw error;
    const next = await parts.house.lease(request.session, spec.interpreter);
    return { session: next, run: next.submit(spec) };
  }
}

/** The running or finished-but-unread run of the session: what it has not shown yet. */
async function pickUp(parts: EngineParts, request: RunRequest, watcher: Watcher): Promise<RunOutcome | LeftRun> {
  const session = parts.house.find(request.session);
  const run = session?.unread[0];
  if (!session || !run) {
    throw new AppError(
      'NOTHING_TO_PICK_UP',
      'The code is empty, and this session has no run that is going on or unread',
      {
        hint: 'Send code to run; empty code only picks up a run that was answered before its end',
      },
    );
  }
  if (request.timeoutMs === 0) run.stop('cancelled');
  const waitMs =
    request.timeoutMs === 0
      ? undefined
      : Math.min(request.timeoutMs ?? parts.limits.timeoutMs, watcher.answerMs ?? Infinity);
  return answer(session, run, watcher, waitMs);
}

/** The door is back. */
export async function comeBack({ session, run }: LeftRun, watcher: Watcher): Promise<RunOutcome | LeftRun> {
  return answer(session, run, watcher, watcher.answerMs);
}

/** Waits for the end or for the time to answer, whichever comes first. */
async function answer(
  session: Session,
  run: LiveRun,
  watcher: Watcher,
  waitMs: number | undefined,
): Promise<RunOutcome | LeftRun> {
  const cancel = () => run.stop('cancelled');
  run.onOutput = watcher.onOutput;
  run.person = watcher.person;
  watcher.signal.addEventListener('abort', cancel, { once: true });
  if (watcher.signal.aborted) cancel();
  try {
    await endOrTime(run, waitMs, watcher.left);
  } finally {
    watcher.signal.removeEventListener('abort', cancel);
    run.onOutput = undefined;
  }

  const place = session.unread.indexOf(run);
  if (!run.hasEnded) {
    if (place === -1) session.unread.push(run);
    return watcher.left?.aborted ? { session, run } : lookWhileRunning(run);
  }
  if (place !== -1) session.unread.splice(place, 1);
  if (run.refusal) throw run.refusal;
  return explainOutcome(requireLanguage(run.spec.language), run.look());
}

/** Whoever sees that a run goes on also learns what it waits for. */
function lookWhileRunning(run: LiveRun): RunOutcome {
  const outcome = run.look();
  return run.clock.isHeld ? { ...outcome, hints: [...outcome.hints, WAITS_FOR_PERSON] } : outcome;
}

const WAITS_FOR_PERSON =
  'the run waits for a person to answer a question, in the client or with `sallyport approvals`; its clock stands still';

async function endOrTime(run: LiveRun, waitMs: number | undefined, left: AbortSignal | undefined): Promise<void> {
  if (run.hasEnded || left?.aborted) return;
  const { promise: time, resolve } = Promise.withResolvers<void>();
  const timer = waitMs === undefined ? undefined : setTimeout(resolve, waitMs);
  left?.addEventListener('abort', () => resolve(), { once: true });
  await Promise.race([run.ended, time]);
  clearTimeout(timer);
}
