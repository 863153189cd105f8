/**
 * Which programs a command line really starts, behind wrappers, shells, runtimes, package runners and containers.
 *
 * Deliberately only the programs: a folder or a search word that an upstream gets as an argument starts nothing.
 */
import { splitWords } from '#clients/shape/map-command';
import { containerOf } from './container-line.ts';

/** Something that gets started. A `folder` holds a package whose script is run. */
export interface Started {
  readonly kind: 'program' | 'package' | 'folder' | 'image';
  readonly what: string;
  /** The folder that a relative path starts in, where the line itself goes there. */
  readonly cwd?: string;
}

/** A wrapper in a wrapper in a wrapper; past this nobody means well. */
const DEPTH_MAX = 6;

/** Programs that start what follows them, and how many words they take for themselves first. */
const WRAPPERS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    ['env', 'sudo', 'doas', 'nice', 'nohup', 'setsid', 'exec', 'time', 'command', 'stdbuf', 'systemd-run'].map(
      (name) => [name, 0],
    ),
  ),
  timeout: 1,
  ssh: 1,
  direnv: 2,
};
/** Those that say with `--` where the other command begins. */
const DASHED_WRAPPERS = new Set([
  'op',
  'doppler',
  'infisical',
  'dotenv',
  'dotenvx',
  'aws-vault',
  'chamber',
  'mise',
  'kubectl',
]);
const SHELLS = new Set(['sh', 'bash', 'zsh', 'dash', 'ash', 'ksh', 'fish', 'cmd', 'powershell', 'pwsh', 'wsl']);
const RUNTIMES = new Set(['node', 'nodejs', 'bun', 'deno', 'tsx', 'ts-node', 'electron']);
const RUNNERS = new Set(['npx', 'bunx', 'pnpx', 'pnpm', 'npm', 'yarn', 'bun', 'deno', 'uvx', 'volta']);
const ENGINES = new Set(['docker', 'podman', 'nerdctl', 'container']);

export function startedBy(command: string, args: readonly string[]): Started[] {
  return startedByWords([command, ...args], 0);
}

/** `C:\bin\npx.cmd` → `npx`. */
export function programName(path: string): string {
  return path
    .replace(/^.*[\\/]/s, '')
    .replace(/\.(?:exe|cmd|bat|ps1|sh|[cm]?[jt]s)$/i, '')
    .toLowerCase();
}

function startedByWords([command, ...args]: readonly string[], depth: number): Started[] {
  if (command === undefined || depth > DEPTH_MAX) return [];
  const name = programName(command);
  const next = (words: readonly string[]) => startedByWords(words, depth + 1);
  const started: Started[] = [{ kind: 'program', what: command }];
  if (Object.hasOwn(WRAPPERS, name)) started.push(...wrapped(args, WRAPPERS[name] as number).flatMap(next));
  if (DASHED_WRAPPERS.has(name) && args.includes('--')) started.push(...next(args.slice(args.indexOf('--') + 1)));
  if (SHELLS.has(name)) started.push(...startedByShell(name, args, next));
  if (RUNTIMES.has(name)) started.push(...scripts(args));
  if (RUNNERS.has(name)) started.push(...startedByRunner(args, next));
  if (ENGINES.has(name)) {
    const { image, commands } = containerOf(args);
    if (image !== undefined) started.push({ kind: 'image', what: image });
    started.push(...commands.flatMap(next));
  }
  return started;
}

/** From the first plain word and from the second: a flag before them may take the first as its value. */
function wrapped(args: readonly string[], ownWords: number): (readonly string[])[] {
  const plain = args.flatMap((arg, index) => (arg.startsWith('-') || /^\w+=/.test(arg) ? [] : [index]));
  return plain.slice(ownWords, ownWords + 2).map((index) => {
    const [first = '', ...rest] = args.slice(index);
    return [...splitWords(first), ...rest]; // `env -S` and ssh take a whole line as one word
  });
}

/** The commands of `-c 'cd DIR && one; two'`, or the script. Windows' shells take all that follows as one line. */
function startedByShell(
  name: string,
  args: readonly string[],
  next: (words: readonly string[]) => Started[],
): Started[] {
  const isFlag = name === 'cmd' ? /^\/[ck]$/i : /^-(?:\w*c|-?command)$/i;
  const flag = args.findIndex((arg) => isFlag.test(arg));
  if (name === 'wsl') return next(args.filter((arg) => arg !== '--' && arg !== '-e' && arg !== '--exec'));
  if (flag === -1) return scripts(args);
  const joinsWords = ['cmd', 'powershell', 'pwsh'].includes(name);
  const script = joinsWords ? args.slice(flag + 1).join(' ') : (args[flag + 1] ?? '');
  let cwd: string | undefined;
  return script.split(/[;&|\n]+/).flatMap((line) => {
    const words = splitWords(line);
    if (words[0] === 'cd') cwd = words.at(-1);
    const folder = cwd;
    return next(words).map((started) => (folder === undefined ? started : { cwd: folder, ...started }));
  });
}

/** The first plain argument, and any that looks like a script: flags may take values, and nobody can list them all. */
function scripts(args: readonly string[]): Started[] {
  const plain = args.filter((arg) => !arg.startsWith('-') && arg !== 'run');
  const files = plain.filter((arg, index) => index === 0 || /\.[cm]?[jt]s$/.test(arg));
  return files.map((what) => ({ kind: 'program', what }));
}

const RUNNER_VERBS = new Set(['exec', 'x', 'dlx', 'run', 'run-script', 'start', 'create']);
const VALUE_FLAGS: Readonly<Record<string, 'package' | 'call' | 'folder'>> = {
  '-p': 'package',
  '--package': 'package',
  '--from': 'package',
  '-c': 'call',
  '--call': 'call',
  '--prefix': 'folder',
  '-C': 'folder',
  '--cwd': 'folder',
  '--dir': 'folder',
};

function startedByRunner(args: readonly string[], next: (words: readonly string[]) => Started[]): Started[] {
  const started: Started[] = [];
  const plain: number[] = [];
  let folder = '.';
  for (let at = 0; at < args.length; at++) {
    const [flag = '', value] = splitFlag(args[at] as string);
    const kind = VALUE_FLAGS[flag];
    if (!flag.startsWith('-')) plain.push(at);
    if (kind === undefined) continue;
    const given = value ?? args[++at] ?? '';
    if (kind === 'package') started.push({ kind: 'package', what: given });
    if (kind === 'call') started.push(...next(splitWords(given)));
    if (kind === 'folder') folder = given;
  }
  const verbs = plain.filter((index) => RUNNER_VERBS.has(args[index] as string));
  if (verbs.some((index) => ['run', 'run-script', 'start'].includes(args[index] as string))) {
    started.push({ kind: 'folder', what: folder });
  }
  const first = plain.find((index) => !verbs.includes(index));
  if (first === undefined) return started;
  return [...started, { kind: 'package', what: args[first] as string }, ...next(args.slice(first))];
}

function splitFlag(arg: string): [flag: string, value: string | undefined] {
  const at = arg.startsWith('--') ? arg.indexOf('=') : -1;
  return at === -1 ? [arg, undefined] : [arg.slice(0, at), arg.slice(at + 1)];
}
