/**
 * Starts bwrap with its descriptors in place, and waits until the supervisor behind the wall has said that it is up.
 *
 *    0      nothing                          3      the supervisor
 *    1, 2   the write ends of two FIFOs      4–8    control channels, one for each start of an interpreter
 *    10–12  bwrap's own                      9      free, see supervisor.sh
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, unlinkSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { AppError, messageOf } from '#contracts/errors';
import type { FifoStore } from '../../fifo.ts';
import { isSameProcess, type ProcessRef, processRef } from '../../process.ts';
import { BWRAP_FDS } from './arguments.ts';

const SUPERVISOR_FD = 3;
export const SLOTS = [4, 5, 6, 7, 8] as const;

export interface Launch {
  /** The command line up to and with bwrap's own words. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What bwrap reads from its `--args` descriptor. */
  readonly wallArguments: readonly string[];
  readonly filter: Buffer;
  /** The user that the FIFOs are given to. */
  readonly owner: number | undefined;
}

export interface LaunchParts {
  readonly fifos: FifoStore;
  /** Private: files that only exist until they are opened. */
  readonly directory: string;
}

/** Everything that a running bwrap consists of, seen from the host. */
export interface Launched {
  readonly child: ChildProcess;
  /** First process of the namespace. When it dies, everything inside dies. */
  readonly init: ProcessRef;
  readonly stdout: Socket;
  readonly stderr: Socket;
  readonly supervisor: Socket;
  readonly slots: readonly Socket[];
  /** Resolves when bwrap has ended. */
  readonly ended: Promise<void>;
}

const UP_TIMEOUT_MS = 20_000;
const ERROR_TEXT_BYTES_MAX = 4096;
const COMPLAINT_MS = 100;

/** Throws SANDBOX_FAILED with bwrap's own words; then nothing of it runs any more. */
export async function launch({ fifos, directory }: LaunchParts, plan: Launch): Promise<Launched> {
  const [out, err] = [await fifos.take(plan.owner), await fifos.take(plan.owner)];
  const inputs: number[] = [];
  const input = (bytes: string | Buffer) => {
    const fd = openInput(directory, bytes);
    inputs.push(fd);
    return fd;
  };
  const [file = '', ...args] = plan.command;
  let child: ChildProcess;
  try {
    child = spawn(file, args, {
      env: { ...plan.env },
      cwd: '/',
      // Away from the terminal's process group: Ctrl-C is for the server to hear.
      detached: true,
      stdio: [
        'ignore',
        out.writeFd,
        err.writeFd,
        'pipe',
        ...SLOTS.map(() => 'pipe' as const),
        'ignore',
        input(plan.wallArguments.map((word) => `${word}\0`).join('')),
        input(plan.filter),
        'pipe',
      ],
    });
  } finally {
    for (const fd of [out.writeFd, err.writeFd, ...inputs]) closeSync(fd);
  }
  const sockets = {
    stdout: new Socket({ fd: out.readFd, readable: true, writable: false }),
    stderr: new Socket({ fd: err.readFd, readable: true, writable: false }),
    supervisor: pipeOf(child, SUPERVISOR_FD),
    slots: SLOTS.map((slot) => pipeOf(child, slot)),
  };
  const all = [sockets.stdout, sockets.stderr, sockets.supervisor, ...sockets.slots];
  // A channel that breaks is an end that its own reader sees.
  for (const socket of all) socket.on('error', () => {});
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  try {
    const init = await waitUntilUp(child, sockets.supervisor, sockets.stderr);
    return { child, init, ended, ...sockets };
  } catch (error) {
    child.kill('SIGKILL');
    if (child.pid !== undefined) await ended;
    for (const socket of all) socket.destroy();
    throw error;
  }
}

/** Node makes a socket for each 'pipe', also when the command could not be started. */
function pipeOf(child: ChildProcess, fd: number): Socket {
  return (child.stdio as readonly unknown[])[fd] as Socket;
}

/** Bytes as a descriptor to read them from: a file that has no name any more. A pipe could be too small for them. */
function openInput(directory: string, bytes: string | Buffer): number {
  const path = join(directory, 'input');
  writeFileSync(path, bytes, { mode: 0o600 });
  const fd = openSync(path, 'r');
  unlinkSync(path);
  return fd;
}

async function waitUntilUp(child: ChildProcess, supervisor: Socket, stderr: Socket): Promise<ProcessRef> {
  const { promise, resolve, reject } = Promise.withResolvers<ProcessRef>();
  let complaint = '';
  let status = '';
  let greeting = '';
  const failed = (reason: string, cause?: unknown) =>
    reject(new AppError('SANDBOX_FAILED', `The sandbox did not start: ${reason}`, { cause }));
  const look = () => {
    const pid = /"child-pid"\s*:\s*(\d+)/.exec(status)?.[1];
    if (pid === undefined || greeting !== 'up\n') return;
    const init = processRef(Number(pid));
    if (init && isSameProcess(init)) resolve(init);
    else failed('its first process ended at once');
  };
  const onComplaint = (chunk: Buffer) => {
    if (complaint.length < ERROR_TEXT_BYTES_MAX) complaint += chunk.toString('utf8');
  };
  const onGreeting = (chunk: Buffer) => {
    greeting += chunk.toString('latin1');
    look();
  };
  const statusPipe = pipeOf(child, BWRAP_FDS.status);
  statusPipe.on('error', () => {});
  statusPipe.on('data', (chunk: Buffer) => {
    if (status.length < ERROR_TEXT_BYTES_MAX) status += chunk.toString('latin1');
    look();
  });
  const timer = setTimeout(() => failed(`no sign of life after ${UP_TIMEOUT_MS / 1000} s`), UP_TIMEOUT_MS);
  child.once('error', (error) => failed(messageOf(error), error));
  child.once('exit', (code, signal) => {
    const tell = () => failed(complaint.trim() || `it ended with ${signal ?? `exit code ${code}`}`);
    // What it complained of may still be in the pipe.
    stderr.once('end', tell);
    setTimeout(tell, COMPLAINT_MS);
  });
  stderr.on('data', onComplaint);
  supervisor.on('data', onGreeting);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    stderr.off('data', onComplaint);
    supervisor.off('data', onGreeting);
    stderr.pause();
    supervisor.pause();
  }
}
