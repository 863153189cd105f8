/**
 * Has the engine note what it compiles while the built JavaScript interpreter starts and runs: every later start in the
 * same Node is a third faster (`src/inside/javascript/start.mjs`).
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { encodeFrame, FrameReader } from '../src/inside/javascript/frames.mjs';

const FLAGS = ['--disable-warning=ExperimentalWarning', '--expose-internals'];
const PROGRAMS = ['console.log(1)', '({ a: [await 0] })'];
const PATIENCE_MS = 30_000;

/** @param {string} folder the built interpreter @returns {Promise<boolean>} */
export function writeCodeCache(folder) {
  const child = spawn(process.execPath, [...FLAGS, join(folder, 'start.mjs'), '--write-cache'], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    env: { SALLYPORT_CONTROL_FD: '3' },
    timeout: PATIENCE_MS,
  });
  // Only worth reading when it fails: the interpreter marks the end of every run there.
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  const control = child.stdio[3];
  const reader = new FrameReader();
  let ended = 0;
  control.on('error', () => {}); // its end is told by the exit
  control.on('data', (chunk) => {
    ended += reader.push(chunk).filter(({ verb }) => verb === 'done').length;
    if (ended === PROGRAMS.length) control.end();
  });
  for (const code of PROGRAMS) {
    control.write(
      encodeFrame('run', [
        ['id', 'cache'],
        ['nonce', ''],
        ['language', 'javascript'],
        ['name', '<run 1>'],
        ['timeout', String(PATIENCE_MS)],
        ['code', code],
      ]),
    );
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      if (code !== 0) process.stderr.write(said);
      resolve(code === 0);
    });
  });
}
