/**
 * Which interpreters this machine has, and the folders they need.
 *
 * A Python is asked where it lives: what PATH finds may be a shim of pyenv or asdf, a link, or a virtual environment on
 * top of another installation. Only the answered prefixes are ever mounted. Answers are kept on disk, because a shim
 * takes longer to ask than an interpreter takes to start.
 */
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '#contracts/errors';
import type { InterpreterId } from './backend.ts';
import { findCommandTools } from './command-tools.ts';
import { findOnPath } from './executables.ts';
import { fileStamp, keepFact, readKeptFact } from './kept-facts.ts';
import { runCommand } from './process.ts';
import type { Runtime, RuntimeAnswer, RuntimeFinder, RuntimeOptions } from './runtime.ts';
import { isDirectory, mountedPrefixes } from './runtime-prefixes.ts';

export type { Runtime, RuntimeAnswer, RuntimeFinder, RuntimeOptions };

const ASK_TIMEOUT_MS = 10_000;

export function createRuntimeFinder(options: RuntimeOptions): RuntimeFinder {
  const answers = new Map<InterpreterId, Promise<RuntimeAnswer>>();
  const search: Record<InterpreterId, () => Promise<RuntimeAnswer>> = {
    python: () => findPython(options),
    bash: () => findBash(options),
    command: () => findCommandTools(options),
    javascript: async () => ({
      found: true,
      runtime: { binary: options.node, version: `Node.js ${process.versions.node}`, prefixes: [] },
    }),
  };
  return {
    find(interpreter) {
      const known = answers.get(interpreter) ?? search[interpreter]();
      answers.set(interpreter, known);
      return known;
    },
  };
}

async function findPython(options: RuntimeOptions): Promise<RuntimeAnswer> {
  const install = 'Install Python 3.8 or later (apt install python3, dnf install python3, …) or name one in "runtimes"';
  const override = options.overrides.python;
  const candidates =
    override === undefined
      ? [findOnPath('python3', options.path), findOnPath('python', options.path), '/usr/bin/python3']
      : [pythonOf(override)];
  const reasons: string[] = [];
  for (const candidate of new Set(candidates.filter((path) => path !== undefined))) {
    const answer = await remember(options, 'python', candidate, () => askPython(candidate, options));
    if (typeof answer !== 'string') return { found: true, runtime: answer };
    reasons.push(answer);
  }
  return { found: false, reason: reasons.join('; ') || 'There is no python3 on PATH', install };
}

/** A virtual environment is named by its folder. */
function pythonOf(override: string): string {
  return isDirectory(override) ? join(override, 'bin', 'python') : override;
}

const ASK_PYTHON = `
import json, sys
print(json.dumps({
    "binary": sys.executable,
    "prefixes": [sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix],
    "version": list(sys.version_info[:3]),
}))`;

interface PythonAnswer {
  readonly binary: string;
  readonly prefixes: readonly string[];
  readonly version: readonly [number, number, number];
}

/** The runtime, or why it cannot be used. */
async function askPython(candidate: string, { path, home }: RuntimeOptions): Promise<Runtime | string> {
  const result = await runCommand(candidate, ['-I', '-c', ASK_PYTHON], {
    timeoutMs: ASK_TIMEOUT_MS,
    // A shim finds its versions by these two.
    env: { PATH: path, HOME: home },
  }).catch(messageOf);
  if (typeof result === 'string') return `${candidate} cannot be started: ${result}`;
  if (result.exitCode !== 0) return `${candidate} does not work: ${result.stderr.trim().split('\n').pop()}`;

  const answer = JSON.parse(result.stdout) as PythonAnswer;
  const [major, minor] = answer.version;
  if (major < 3 || (major === 3 && minor < 8))
    return `${candidate} is Python ${answer.version.join('.')}, and 3.8 is needed`;
  return usableRuntime(answer.binary, `Python ${answer.version.join('.')}`, answer.prefixes, home);
}

/** Refuses a prefix that would show the whole home with it. */
function usableRuntime(binary: string, version: string, prefixes: readonly string[], home: string): Runtime | string {
  const mounts = mountedPrefixes(binary, prefixes);
  const wide = mounts.find(({ source }) => source === '/' || source === home || home.startsWith(`${source}/`));
  if (wide) return `${binary} is installed straight into ${wide.source}, which is never shown to programs`;
  return { binary, version, prefixes: mounts };
}

async function findBash(options: RuntimeOptions): Promise<RuntimeAnswer> {
  const candidate = options.overrides.bash ?? findOnPath('bash', options.path) ?? '/bin/bash';
  const answer = await remember(options, 'bash', candidate, async () => {
    const result = await runCommand(candidate, ['--norc', '--noprofile', '-c', 'echo "$BASH_VERSION"'], {
      timeoutMs: ASK_TIMEOUT_MS,
    }).catch(messageOf);
    if (typeof result === 'string') return `${candidate} cannot be started: ${result}`;
    if (result.exitCode !== 0) return `${candidate} does not work: ${result.stderr.trim()}`;
    const version = `Bash ${result.stdout.trim().replace(/\(.*$/, '')}`;
    return usableRuntime(candidate, version, [dirname(dirname(realpathSync(candidate)))], options.home);
  });
  if (typeof answer !== 'string') return { found: true, runtime: answer };
  return { found: false, reason: answer, install: 'Install bash (apt install bash, apk add bash, …)' };
}

/** The kept answer for a candidate, or a new one. Only good news is kept. */
async function remember(
  { path, home, cacheDir, logger }: RuntimeOptions,
  language: string,
  candidate: string,
  ask: () => Promise<Runtime | string>,
): Promise<Runtime | string> {
  const file = join(cacheDir, `runtime-${language}.json`);
  const files = [candidate, ...versionFiles(candidate, home)];
  const keyOf = ({ binary }: Runtime) => JSON.stringify([candidate, path, home, ...[...files, binary].map(fileStamp)]);
  const kept = readKeptFact<Runtime>(file, keyOf);
  if (kept) return kept;
  const runtime = await ask();
  if (typeof runtime !== 'string') keepFact(file, keyOf(runtime), runtime, logger);
  return runtime;
}

/** Files by which pyenv and asdf choose a version. */
function versionFiles(shim: string, home: string): string[] {
  return [join(dirname(dirname(shim)), 'version'), join(home, '.tool-versions')];
}
