import { run } from 'node:test';
import { ROOT } from '../setup/ready.mjs';
import { shownPath } from './groups.mjs';
import { reportLine } from './report.mjs';

/** A file that hangs is ended and fails. */
const FILE_MS_MAX = 10 * 60_000;

/** Runs the files with node:test, prints failures in full and one line at the end. */
export async function runNodeTests(name, files, { concurrency }) {
  const totals = { passed: 0, failed: 0, leftOut: [] };
  if (files.length === 0) return totals;
  const startedAt = performance.now();
  const printed = new Map(); // what each file wrote, shown only when it fails
  const stream = run({ files, concurrency, timeout: FILE_MS_MAX, cwd: ROOT });
  for await (const { type, data } of stream) {
    if (type === 'test:stdout' || type === 'test:stderr') keepTail(printed, data);
    if (type === 'test:pass') countPass(totals, data);
    if (type === 'test:fail') countFailure(totals, data, printed);
  }
  reportLine(name, describe(totals, files.length), startedAt);
  return totals;
}

function countPass(totals, { name, file, details, skip }) {
  if (skip !== undefined)
    totals.leftOut.push({ name: titled(file, name), reason: skip === true ? 'no reason given' : skip });
  else if (details.type !== 'suite') totals.passed += 1;
}

function countFailure(totals, { name, file, details }, printed) {
  // A suite fails because of the tests in it, which were counted and shown by themselves.
  if (details.error.failureType === 'subtestsFailed') return;
  totals.failed += 1;
  process.stdout.write(`\n✗ ${titled(file, name)}\n${indent(describeError(details.error.cause ?? details.error))}\n`);
  const output = printed.get(file);
  if (output) process.stdout.write(`  printed by this file:\n${indent(output.trimEnd())}\n`);
  printed.delete(file);
}

/** Message and stack without the frames of the test runner; what an error carries beside them is in its message. */
function describeError(error) {
  if (!(error instanceof Error)) return String(error);
  const stack = (error.stack ?? error.message).replace(/\n *at [^\n]*\(?node:internal[^\n]*/g, '');
  return error.cause === undefined ? stack : `${stack}\ncaused by ${describeError(error.cause)}`;
}

function keepTail(printed, { file, message }) {
  printed.set(file, ((printed.get(file) ?? '') + message).slice(-4_000));
}

function titled(file, name) {
  return file && name !== file ? `${shownPath(file)}: ${name}` : shownPath(name);
}

function describe({ passed, failed, leftOut }, fileCount) {
  const parts = [`${fileCount} files`, `${passed} passed`];
  if (failed > 0) parts.push(`${failed} FAILED`);
  if (leftOut.length > 0) parts.push(`${leftOut.length} left out`);
  return parts.join(', ');
}

function indent(text) {
  return text.replace(/^/gm, '    ');
}
