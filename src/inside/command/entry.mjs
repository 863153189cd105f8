/** The program's own file in the workspace, there for the time of the run. A file of the user is never touched. */
import { closeSync, constants, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { extname } from 'node:path';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
const NAMES_TRIED = 20;

/**
 * @param {{ file: string, isFixed: boolean }} entry
 * @returns {{ name: string, remove: () => void } | { problem: string }}
 */
export function placeEntry({ file, isFixed }, code) {
  for (const name of isFixed ? [file] : candidates(file)) {
    if (write(name, code)) return { name, remove: () => removeEntry(name, code) };
    if (holds(name, code)) return { name, remove: () => {} };
  }
  return { problem: `the workspace has another file "${file}"; move it, or send other code` };
}

function* candidates(file) {
  yield file;
  const ending = extname(file);
  for (let number = 2; number <= NAMES_TRIED; number++) yield `${file.slice(0, -ending.length)}${number}${ending}`;
}

function write(name, code) {
  let fd;
  try {
    fd = openSync(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o644);
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
  try {
    for (let rest = Buffer.from(code); rest.length > 0; ) rest = rest.subarray(writeSync(fd, rest));
  } finally {
    closeSync(fd);
  }
  return true;
}

/** A program may have replaced it by something that it wants to keep. */
function removeEntry(name, code) {
  try {
    if (holds(name, code)) unlinkSync(name);
  } catch {
    // removed by the program itself
  }
}

function holds(name, code) {
  try {
    return readFileSync(name, 'utf8') === code;
  } catch {
    return false;
  }
}
