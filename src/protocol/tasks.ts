/**
 * Long runs as MCP tasks, for callers that declare the tasks extension: instead of an early answer they get a task,
 * ask for it with `tasks/get` and end it with `tasks/cancel`. Nothing of the output is shown before the task is done.
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
  lastUpdatedAt: string;
  status: 'working' | 'completed' | 'cancelled';
  result: CallToolResult | undefined;
}

export class RunTasks {
  readonly #tasks = new Map<string, Task>();

  /** Answers `tasks/get` and `tasks/cancel` of a server. */
  serve(server: Server): void {
    const params = z.looseObject({ taskId: z.string() });
    server.setRequestHandler('tasks/get', { params }, ({ taskId }) => describe(this.#find(taskId)) as never);
    server.setRequestHandler('tasks/cancel', { params }, ({ taskId }) => {
      const task = this.#find(taskId);
      if (task.status === 'working') task.controller.abort();
      return {} as never;
    });
  }

  /** The result when it comes within the time, else a task that will have it. The run ends with the request until then. */
  async answer(
    run: (signal: AbortSignal) => Promise<CallToolResult>,
    requestSignal: AbortSignal,
    answerMs: number,
  ): Promise<CallToolResult> {
    const controller = new AbortController();
    const abort = () => controller.abort();
    requestSignal.addEventListener('abort', abort, { once: true });
    const result = run(controller.signal);
    const { promise: time, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(resolve, answerMs, undefined);
    const inTime = await Promise.race([result, time]);
    clearTimeout(timer);
    requestSignal.removeEventListener('abort', abort);
    return inTime ?? ({ resultType: 'task', ...describe(this.#open(result, controller)) } as never);
  }

  #open(result: Promise<CallToolResult>, controller: AbortController): Task {
    const now = new Date().toISOString();
    const task: Task = {
      taskId: randomUUID(),
      createdAt: now,
      lastUpdatedAt: now,
      controller,
      status: 'working',
      result: undefined,
    };
    const oldest = this.#tasks.keys().next();
    if (this.#tasks.size >= TASKS_MAX && !oldest.done) this.#tasks.delete(oldest.value);
    this.#tasks.set(task.taskId, task);
    void result.then((value) => {
      task.result = value;
      task.status = controller.signal.aborted ? 'cancelled' : 'completed';
      task.lastUpdatedAt = new Date().toISOString();
      setTimeout(() => this.#tasks.delete(task.taskId), KEPT_MS).unref();
    });
    return task;
  }

  #find(taskId: string): Task {
    const task = this.#tasks.get(taskId);
    if (!task) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no task "${taskId.slice(0, 80)}"`);
    return task;
  }
}

function describe({ taskId, status, createdAt, lastUpdatedAt, result }: Task) {
  return {
    taskId,
    status,
    createdAt,
    lastUpdatedAt,
    ttlMs: KEPT_MS,
    pollIntervalMs: POLL_MS,
    ...(result ? { result } : {}),
  };
}

/** Only a request that declares the extension may be answered with a task. */
export function declaresTasks(ctx: ServerContext): boolean {
  const envelope = ctx.mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  const capabilities = envelope?.[CLIENT_CAPABILITIES_META_KEY] as { extensions?: Record<string, unknown> } | undefined;
  return capabilities?.extensions?.[EXTENSION] !== undefined;
}
