/** The folders that a runtime outside of the system consists of. */
import { readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';

export interface RuntimePrefix {
  readonly source: string;
  readonly target: string;
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

export function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
