/**
 * A small door for the same user's command line: the sessions of a server that is running, and the questions that wait
 * there for a person.
 * One socket per server process in `<state>/servers`, in a folder that only this user may enter.
 */
import { chmod, mkdir, readdir, rm } from 'node:fs/promises';
import net from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { AppError, errnoOf, messageOf } from '#contracts/errors';

const requestSchema = z.discriminatedUnion('op', [
  z.object({ op: z.literal('list') }),
  z.object({ op: z.literal('reset'), name: z.string() }),
  z.object({ op: z.literal('close'), name: z.string() }),
  z.object({ op: z.literal('approvals') }),
  z.object({ op: z.literal('answer'), id: z.string(), approval: z.enum(['once', 'session', 'always', 'deny']) }),
]);

export type ControlRequest = z.infer<typeof requestSchema>;

export interface ControlAnswer {
  readonly pid: number;
  /** What the handler gave; undefined when the server has no such session or failed. */
  readonly value?: unknown;
  readonly error?: string;
}

const ANSWER_MS_MAX = 5_000;

export interface ControlSocket {
  close(): Promise<void>;
}

export async function openControlSocket(
  stateDir: string,
  handle: (request: ControlRequest) => Promise<unknown>,
): Promise<ControlSocket> {
  const folder = join(stateDir, 'servers');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  await removeDeadSockets(folder);
  const path = join(folder, `${process.pid}.sock`);
  await rm(path, { force: true });
  const server = net.createServer((socket) => serveOne(socket, handle));
  server.unref();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve));
  return {
    async close() {
      server.close();
      await rm(path, { force: true });
    },
  };
}

/** Those of servers that were killed: nobody listens there. */
async function removeDeadSockets(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sock'));
  await Promise.all(
    names.map(async (name) => {
      if (await isDead(join(folder, name))) await rm(join(folder, name), { force: true });
    }),
  );
}

function isDead(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(path);
    socket.once('error', (error) => resolve(errnoOf(error) === 'ECONNREFUSED'));
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
  });
}

function serveOne(socket: net.Socket, handle: (request: ControlRequest) => Promise<unknown>): void {
  socket.on('error', () => socket.destroy());
  socket.unref();
  createInterface(socket).once('line', (line) => {
    const answer = Promise.resolve(line)
      .then(JSON.parse)
      .then((value) => handle(requestSchema.parse(value)));
    answer.then(
      (value) => socket.end(`${JSON.stringify({ pid: process.pid, value })}\n`),
      (error: unknown) => socket.end(`${JSON.stringify({ pid: process.pid, error: messageOf(error) })}\n`),
    );
  });
}

/** Asks every server that runs on this state; one that does not answer is left out, and a dead one's socket removed. */
export async function askServers(stateDir: string, request: ControlRequest): Promise<ControlAnswer[]> {
  const folder = join(stateDir, 'servers');
  const sockets = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.sock')); // no server has run yet
  const answers = await Promise.all(sockets.map((name) => askOne(join(folder, name), request)));
  return answers.filter((answer) => answer !== undefined);
}

async function askOne(path: string, request: ControlRequest): Promise<ControlAnswer | undefined> {
  const socket = net.connect(path);
  socket.setTimeout(ANSWER_MS_MAX, () => socket.destroy(new AppError('INTERNAL', 'The server did not answer')));
  try {
    socket.write(`${JSON.stringify(request)}\n`);
    for await (const line of createInterface(socket)) return JSON.parse(line) as ControlAnswer;
    return undefined;
  } catch {
    await rm(path, { force: true }); // nobody listens there: its server was killed
    return undefined;
  } finally {
    socket.destroy();
  }
}
