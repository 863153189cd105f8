import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Whether `node_modules` is what the lock file says, by whatever means it got there. npm writes its own list as the
 * last act of an install, so an install that was broken off has none.
 */
export async function dependenciesAreCurrent(root) {
  const [wanted, present] = await Promise.all([
    readPackages(join(root, 'package-lock.json')),
    readPackages(join(root, 'node_modules', '.package-lock.json')),
  ]);
  if (!wanted || !present) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '') return true;
    const found = present[path];
    if (!found) return entry.optional === true && !isMadeForThisMachine(entry);
    return found.version === entry.version && found.integrity === entry.integrity;
  });
}

async function readPackages(path) {
  try {
    return JSON.parse(await readFile(path, 'utf8')).packages;
  } catch {
    // missing or broken: an install mends both
    return undefined;
  }
}

/** True only for an optional package that names our system: one that names none may be left out by npm. */
function isMadeForThisMachine({ os, cpu, libc }) {
  if (os === undefined && cpu === undefined) return false;
  const fits = (list, mine) => list === undefined || [list].flat().includes(mine);
  return (
    fits(os, process.platform) && fits(cpu, process.arch) && (libc === undefined || fits(libc, libcOfThisMachine()))
  );
}

function libcOfThisMachine() {
  if (process.platform !== 'linux') return undefined;
  return process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl';
}
