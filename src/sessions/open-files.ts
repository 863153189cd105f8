/** How many files this process may still open. Without /proc nobody can tell, and the system's own error has to do. */
import { readdirSync, readFileSync } from 'node:fs';

/** Pipes, sockets and figures of one sandbox, with some on the way to it. */
const FILES_PER_SESSION = 40;

/** Why no more sessions can be opened; undefined when they can. `opening` are on their way already. */
export function lackOfFiles(opening: number): string | undefined {
  try {
    const max = Number(/^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1] ?? Infinity);
    const open = readdirSync('/proc/self/fd').length;
    return open + opening * FILES_PER_SESSION > max ? `the server may open no more than ${max} files` : undefined;
  } catch {
    return undefined; // not Linux; or none can be opened at all, which the next step says
  }
}
