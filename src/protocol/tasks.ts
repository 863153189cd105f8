/**
 * Long runs as MCP tasks, for callers that declare the tasks extension: instead of an early answer they get a task,
 * ask for it with `tasks/get` and end it with `tasks/cancel`; what servers ask a person meanwhile is in the task, and is
 * answered with `tasks/update`. Nothing of the output is shown before the task is done.
 */
import { randomUUID } from 'node:crypto';
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { ComeBack } from './call-run-code.ts';

const EXTENSION = 'io.modelcontextprotocol/tasks';
const POLL_MS = 1_000;
/** How long the result of a finished task can be asked for. */
const KEPT_MS = 10 * 60_000;
const TASKS_MAX = 256;

/** For the server's capabilities. */
export const TASKS_CAPABILITY = { extensions: { [EXTENSION]: {} } };

interface Task {
  readonly taskId: string;
  readonly createdAt: string;
  readonly controller: AbortController;
  readonly run: Run;
  lastUpdatedAt: string;
  status: 'working' | 'input_required' | 'completed' | 'cancelled';
  result: CallToolResult | undefined;
  questions: Questions | undefined;
}

/** The result of a call that sends its caller away with questions. */
interface Questions {
  readonly inputRequests: object;
  readonly requestState: string;
}

type Run = (signal: AbortSignal, back?: ComeBack) => Promise<CallToolResult>;

export class RunTasks {
  readonly #tasks = new Map<string, Task>();

  /** Answers `tasks/get`, `tasks/update` and `tasks/cancel` of a server. */
  serve(server: Server): void {
    const params = z.looseObject({ taskId: z.string() });
    server.setRequestHandler('tasks/get', { params }, ({ taskId }) => describe(this.#find(taskId)) as never);
    server.setRequestHandler('tasks/cancel', { params }, ({ taskId }) => {
      const task = this.#find(taskId);
      if (!task.result) task.controller.abort();
      if (task.questions) this.#resume(task, task.questions, {});
      return {} as never;
    });
    const updateParams = z.looseObject({ taskId: z.string(), inputResponses: z.record(z.string(), z.unknown()) });
    const update = { params: updateParams, result: z.looseObject({}) };
    server.setRequestHandler('tasks/update', update, ({ taskId, inputResponses }) => {
      const task = this.#find(taskId);
      const { questions } = task;
      if (!questions) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The task asks for nothing');
      this.#resume(task, questions, inputResponses);
      return {};
    });
  }

  /** The result when it comes within the time, else a task that will have it. The run ends with the request until then. */
  async answer(run: Run, requestSignal: AbortSignal, answerMs: number): Promise<CallToolResult> {
    const controller = new AbortController();
    const abort = () => controller.abort();
    requestSignal.addEventListener('abort', abort, { once: true });
    const result = run(controller.signal);
    const { promise: time, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(resolve, answerMs, undefined);
    const inTime = await Promise.race([result, time]);
    clearTimeout(timer);
    requestSignal.removeEventListener('abort', abort);
    return inTime ?? ({ resultType: 'task', ...describe(this.#open(run, result, controller)) } as never);
  }

  #open(run: Run, result: Promise<CallToolResult>, controller: AbortController): Task {
    const now = new Date().toISOString();
    const task: Task = {
      taskId: randomUUID(),
      createdAt: now,
      lastUpdatedAt: now,
      controller,
      run,
      status: 'working',
      result: undefined,
      questions: undefined,
    };
    const oldest = this.#tasks.keys().next();
    if (this.#tasks.size >= TASKS_MAX && !oldest.done) this.#tasks.delete(oldest.value);
    this.#tasks.set(task.taskId, task);
    this.#work(task, result);
    return task;
  }

  #resume(task: Task, { requestState }: Questions, answers: ComeBack['answers']): void {
    this.#work(task, task.run(task.controller.signal, { word: requestState, answers }));
  }

  #work(task: Task, result: Promise<CallToolResult>): void {
    task.status = 'working';
    task.questions = undefined;
    void result.then((value) => {
      task.lastUpdatedAt = new Date().toISOString();
      if ('inputRequests' in value) {
        task.status = 'input_required';
        task.questions = value as unknown as Questions;
        return;
      }
      task.result = value;
      task.status = task.controller.signal.aborted ? 'cancelled' : 'completed';
      setTimeout(() => this.#tasks.delete(task.taskId), KEPT_MS).unref();
    });
  }

  #find(taskId: string): Task {
    const task = this.#tasks.get(taskId);
    if (!task) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no task "${taskId.slice(0, 80)}"`);
    return task;
  }
}

function describe({ taskId, status, createdAt, lastUpdatedAt, result, questions }: Task) {
  return {
    taskId,
    status,
    createdAt,
    lastUpdatedAt,
    ttlMs: KEPT_MS,
    pollIntervalMs: POLL_MS,
    ...(result ? { result } : {}),
    ...(questions ? { inputRequests: questions.inputRequests } : {}),
  };
}

/** Only a request that declares the extension may be answered with a task. */
export function declaresTasks(ctx: ServerContext): boolean {
  const envelope = ctx.mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  const capabilities = envelope?.[CLIENT_CAPABILITIES_META_KEY] as { extensions?: Record<string, unknown> } | undefined;
  return capabilities?.extensions?.[EXTENSION] !== undefined;
}
