/** `process` (and what of `Deno` would end the thread) as a program knows it that runs in a process of its own. */
import process from 'node:process';

/**
 * @param {object} parts
 * @param {import('./places.mjs').Places} parts.places
 * @param {import('./input.mjs').Input} parts.input
 * @param {Record<string, string>} parts.env
 * @param {(code?: number) => never} parts.exit
 */
export function adaptProcess({ places, input, env, exit }) {
  process.env = { ...env };
  process.execPath = '/usr/bin/node';
  process.title = 'node';
  process.exit = exit;
  process.reallyExit = exit;
  process.abort = () => exit(134);
  Deno.exit = exit;
  // Ends the thread.
  globalThis.close = exit;
  // The interpreter needs them.
  for (const stream of [Deno.stdin, Deno.stdout, Deno.stderr]) stream.close = () => {};

  process.cwd = () => places.toInside(Deno.cwd());
  process.chdir = (folder) => Deno.chdir(places.toHost(folder));
  Object.defineProperty(process, 'stdin', { configurable: true, enumerable: true, get: () => input.stream });
}
