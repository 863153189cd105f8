import { run } from 'node:test';
import { ROOT } from '../setup/ready.mjs';
import { shownPath } from './groups.mjs';
import { reportLine } from './report.mjs';

/** A file that hangs, also one that spins, is ended and fails. */
const FILE_MS_MAX = 10 * 60_000;
/** The full counts: half an hour of load, ten thousand hostile runs. */
const FULL_FILE_MS_MAX = 4 * 60 * 60_000;

/** Runs the files with node:test, prints failures in full and one line at the end. */
export async function runNodeTests(name, files, { concurrency }) {
  const totals = { passed: 0, failed: 0, leftOut: [] };
  if (files.length === 0) return totals;
  const startedAt = performance.now();
  const waiting = [...files];
  const work = async () => {
    for (let file = waiting.shift(); file; file = waiting.shift()) await runFile(file, totals);
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  reportLine(name, describe(totals, files.length), startedAt);
  return totals;
}

async function runFile(file, totals) {
  const fileMsMax = process.env.SALLYPORT_TEST_FULL === '1' ? FULL_FILE_MS_MAX : FILE_MS_MAX;
  let printed = ''; // shown only when the file fails
  const failures = [];
  for await (const { type, data } of run({ files: [file], signal: AbortSignal.timeout(fileMsMax), cwd: ROOT })) {
    if (type === 'test:stdout' || type === 'test:stderr') printed = (printed + data.message).slice(-4_000);
    if (type === 'test:pass') countPass(totals, data);
    // A suite fails because of the tests in it, which are counted and shown by themselves.
    if (type === 'test:fail' && data.details.error.failureType !== 'subtestsFailed') failures.push(data);
  }
  totals.failed += failures.length;
  for (const { name, details } of failures) {
    const error = describeError(details.error.cause ?? details.error);
    process.stdout.write(`\n✗ ${titled(file, name)}\n${indent(error)}\n`);
  }
  if (failures.length > 0 && printed !== '') {
    process.stdout.write(`  printed by this file:\n${indent(printed.trimEnd())}\n`);
  }
}

function countPass(totals, { name, file, details, skip }) {
  if (skip !== undefined) {
    totals.leftOut.push({ name: titled(file, name), reason: skip === true ? 'no reason given' : skip });
  } else if (details.type !== 'suite' && name !== file) {
    totals.passed += 1; // a file without any test reports itself as one that passed
  }
}

/** Message and stack without the frames of the test runner; what an error carries beside them is in its message. */
function describeError(error) {
  if (!(error instanceof Error)) return String(error);
  const stack = (error.stack ?? error.message).replace(/\n *at [^\n]*\(?node:internal[^\n]*/g, '');
  return error.cause === undefined ? stack : `${stack}\ncaused by ${describeError(error.cause)}`;
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
