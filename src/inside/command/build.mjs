/** The steps before a program runs, each with its output captured, so that it can be told apart from the program's. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fillWords, safePath } from './words.mjs';

/** Our own programs for languages, beside the kernel. */
const TOOLS = fileURLToPath(new URL('tools', import.meta.url));

/** More than a compiler says that somebody will read. */
const OUTPUT_BYTES_MAX = 256 * 1024;

/**
 * What the words of steps may name.
 * @param {{ entry: string, out: string, tool: string, args: string[], sources: string[], names: Record<string, string> }} parts
 */
export function wordNames({ entry, out, tool, args, sources, names }) {
  return {
    lists: { '{args}': args, '{sources}': [entry, ...sources].map(safePath), '{others}': sources.map(safePath) },
    names: {
      ...names,
      entry: safePath(entry),
      stem: entry.replace(/\.[^.]*$/, ''),
      out,
      tool,
      tools: TOOLS,
      workspace: process.cwd(),
    },
  };
}

/** For compilers that leave their files beside the sources. */
export function copySources(entry, sources, out) {
  for (const path of [entry, ...sources]) {
    mkdirSync(dirname(join(out, path)), { recursive: true });
    copyFileSync(path, join(out, path));
  }
}

/** @returns {Promise<{ output: string, end: import('./children.mjs').ChildEnd }>} of the first step that failed, or of all. */
export async function performSteps(children, steps, names, { env, cwd }) {
  const chunks = [];
  let bytes = 0;
  const onOutput = (chunk) => {
    if (bytes < OUTPUT_BYTES_MAX) chunks.push(chunk.subarray(0, OUTPUT_BYTES_MAX - bytes));
    bytes += chunk.length;
  };
  let end = { exitCode: 0, signal: null };
  for (const step of steps) {
    end = await children.run(fillWords(step, names), { stdio: ['ignore', 'pipe', 'pipe'], env, cwd, onOutput });
    if (end.exitCode !== 0) break;
  }
  return { output: Buffer.concat(chunks).toString('utf8'), end };
}
