import { closeSync, constants, openSync, writeSync } from 'node:fs';

const RETRY_MS = 1;
const pause = new Int32Array(new SharedArrayBuffer(4));

/** Waits for a full pipe: a program may have made it one that does not block. */
export function writeAll(fd, text) {
  for (let rest = Buffer.from(text); rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(pause, 0, 0, RETRY_MS);
    }
  }
}

/**
 * Standard output and error for one program. Opened anew where the system lets us: what a program does to the
 * descriptors it got (not blocking, for one) then ends with it.
 */
export function openOutputs() {
  return [1, 2].map((fd) => {
    try {
      return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_APPEND);
    } catch {
      return fd; // a socket, or a pipe of somebody else
    }
  });
}

export function closeOutputs(fds) {
  for (const fd of fds) if (fd > 2) closeSync(fd);
}
