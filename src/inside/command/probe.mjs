/** Which languages have a runtime behind this wall, and in which version. */
import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { findRuntime } from './tools.mjs';

const ASKED_AT_ONCE = 4;
const ASK_MS = 20_000;
const ANSWER_BYTES_MAX = 64 * 1024;

/**
 * @param {{ languages: Array<{ id: string, runtimes: object[] }>, known: Record<string, string> }} plan
 *   `known`: versions that were told before, by the stamp of the tool that told them. `isShort`: do not ask for others.
 * @returns {Promise<Record<string, { tool: string, stamp: string, version: string | null }>>} by id, those that are there
 */
export async function probeTools({ languages, known, isShort = false }) {
  const found = {};
  const waiting = languages.flatMap(({ id, runtimes }) => {
    const runtime = findRuntime(runtimes);
    return runtime === undefined ? [] : [{ id, runtime, stamp: stampOf(runtime) }];
  });
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { id, runtime, stamp } = next;
      found[id] = { tool: runtime.tool, stamp, version: known[stamp] ?? (isShort ? null : await askVersion(runtime)) };
    }
  };
  await Promise.all(Array.from({ length: ASKED_AT_ONCE }, work));
  return found;
}

function stampOf({ tool, version }) {
  const { size, mtimeMs } = statSync(tool);
  return [tool, size, Math.round(mtimeMs), ...version.ask].join(' ');
}

function askVersion({ tool, version, env }) {
  return new Promise((resolve) => {
    const options = {
      timeout: ASK_MS,
      killSignal: 'SIGKILL',
      maxBuffer: ANSWER_BYTES_MAX,
      env: { ...process.env, ...env },
      cwd: '/tmp',
    };
    // Some tell their version with a non-zero exit, or on standard error.
    const child = execFile(tool, version.ask, options, (_error, stdout, stderr) => {
      const match = new RegExp(version.find ?? '\\d+(?:\\.\\d+)+[\\w.+-]*').exec(`${stdout}\n${stderr}`);
      resolve(match === null ? null : (match[1] ?? match[0]));
    });
    child.stdin?.on('error', () => {}); // it may not wait for what it does not read
    child.stdin?.end(version.input ?? '');
  });
}
