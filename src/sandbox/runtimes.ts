/**
 * Which interpreters this machine has, and the folders they need.
 *
 * A Python is asked where it lives: what PATH finds may be a shim of pyenv or asdf, a link, or a virtual environment on
 * top of another installation. Only the answered prefixes are ever mounted. Answers are kept on disk, because a shim
 * takes longer to ask than an interpreter takes to start.
 */
import { readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { messageOf } from '#contracts/errors';
import type { Logger } from '#observability/logger';
import type { InterpreterId } from './backend.ts';
import { findOnPath } from './executables.ts';
import { fileStamp, keepFact, readKeptFact } from './kept-facts.ts';
import { runCommand } from './process.ts';

export interface Runtime {
  /** Path of the binary, on the host and behind the wall. */
  readonly binary: string;
  /** `Python 3.12.4`. */
  readonly version: string;
  /** Folders outside of the system's own that the runtime consists of: host folder and the path it must be seen at. */
  readonly prefixes: readonly RuntimePrefix[];
}

export interface RuntimePrefix {
  readonly source: string;
  readonly target: string;
}

export type RuntimeAnswer =
  | { readonly found: true; readonly runtime: Runtime }
  | { readonly found: false; readonly reason: string; readonly install: string };

export interface RuntimeFinder {
  /** Asks once; later calls get the same answer. */
  find(interpreter: InterpreterId): Promise<RuntimeAnswer>;
}

export interface RuntimeOptions {
  /** Sallyport's own Node, which runs JavaScript and TypeScript. */
  readonly node: string;
  /** The value of PATH. */
  readonly path: string;
  readonly home: string;
  /** From the configuration: language id → binary, or the folder of a virtual environment. */
  readonly overrides: Readonly<Record<string, string>>;
  readonly cacheDir: string;
  readonly logger: Logger;
}

const ASK_TIMEOUT_MS = 10_000;

export function createRuntimeFinder(options: RuntimeOptions): RuntimeFinder {
  const answers = new Map<InterpreterId, Promise<RuntimeAnswer>>();
  const search: Record<InterpreterId, () => Promise<RuntimeAnswer>> = {
    python: () => findPython(options),
    bash: () => findBash(options),
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

/** Folders that every sandbox has from the system. */
const SYSTEM_TREES = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/nix/store', '/gnu/store'];

/** Each prefix by the name it is called and by its true name; links between them are then whole behind the wall. */
export function mountedPrefixes(binary: string, prefixes: readonly string[]): RuntimePrefix[] {
  const mounts = new Map<string, string>();
  const add = (folder: string) => {
    if (!isAbsolute(folder) || !isDirectory(folder)) return;
    const source = realpathSync(folder);
    for (const target of [folder, source]) {
      if (!isUnder(target, SYSTEM_TREES) && !isUnder(target, [...mounts.keys()])) mounts.set(target, source);
    }
  };
  for (const prefix of prefixes) add(prefix);
  for (const step of linkSteps(binary)) {
    if (!isUnder(step, [...SYSTEM_TREES, ...mounts.keys()]))
      add(basename(dirname(step)) === 'bin' ? dirname(dirname(step)) : dirname(step));
  }
  return [...mounts].map(([target, source]) => ({ source, target }));
}

/** The file, what it links to, what that links to, … */
function linkSteps(file: string): string[] {
  const steps = [file];
  for (let step = file; steps.length < 40; ) {
    const target = readLink(step);
    if (target === undefined) break;
    step = target;
    steps.push(step);
  }
  return steps;
}

function readLink(path: string): string | undefined {
  try {
    const real = realpathSync(dirname(path));
    const target = readlinkSync(path);
    return isAbsolute(target) ? target : join(real, target);
  } catch {
    return undefined; // not a link
  }
}

function isUnder(path: string, trees: readonly string[]): boolean {
  return trees.some((tree) => path === tree || path.startsWith(`${tree}/`));
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
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
