/** A wall with a supervisor up behind it, seen from the host. */
import { Socket } from 'node:net';
import type { ProcessRef } from '../process.ts';

/** Descriptors of the control channels inside, one for each start of an interpreter. */
export const SLOTS = [4, 5, 6, 7, 8] as const;

export interface Launched {
  /** First process of the namespace. When it dies, everything inside dies. */
  readonly init: ProcessRef;
  readonly stdout: Socket;
  readonly stderr: Socket;
  readonly supervisor: Socket;
  readonly slots: readonly Socket[];
  /** Resolves when the wall is coming down. */
  readonly ended: Promise<void>;
  /** Ends everything inside. */
  kill(): void;
  /** The harder way, for a wall that is still there a while after `kill`. */
  forceEnd(): void;
}

const READ_BYTES = 64 * 1024;

/**
 * Reads into one buffer for its whole life. Left to itself, Node makes a new one of 64 kB for every read, which for the
 * few bytes of a run costs more than the read. Nothing is read before somebody resumes it.
 */
export function readingSocket(fd: number): Socket {
  const socket: Socket = new Socket({
    fd,
    readable: true,
    writable: false,
    onread: {
      buffer: Buffer.allocUnsafeSlow(READ_BYTES),
      callback: (bytes, buffer) => socket.emit('data', Buffer.from(buffer.subarray(0, bytes))),
    },
  });
  return socket.pause();
}
