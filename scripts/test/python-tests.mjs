import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { capture } from '../setup/command.mjs';
import { shownPath, testFiles } from './groups.mjs';
import { reportLine } from './report.mjs';

/** The files that run behind the wall have tests in their own language: `x_test.py` beside `x.py`. */
export async function runPythonTests() {
  const totals = { passed: 0, failed: 0, leftOut: [] };
  const files = await testFiles('src', /_test\.py$/);
  if (files.length === 0) return totals;
  const startedAt = performance.now();
  const python = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3';
  for (const file of files) await runFile(python, file, totals);
  reportLine('python', `${files.length} files, ${totals.passed} passed, ${totals.failed} failed`, startedAt);
  return totals;
}

async function runFile(python, file, totals) {
  // Compiled copies in src would look like a change of the sources.
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
  const { folder, module } = placeOf(file);
  const args = ['-m', 'unittest', '-v', module];
  let result;
  try {
    result = await capture(python, args, { cwd: folder, env });
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    totals.leftOut.push({ name: shownPath(file), reason: 'python3 is missing' });
    return;
  }
  const skipped = [...result.output.matchAll(/^(.*) \.\.\. skipped ['"](.*)['"]$/gm)];
  for (const [, name, reason] of skipped) totals.leftOut.push({ name, reason });
  const ran = Number(/^Ran (\d+) test/m.exec(result.output)?.[1] ?? 0);
  const failures = [...result.output.matchAll(/(?:failures|errors|unexpected successes)=(\d+)/g)];
  const failed = failures.reduce((sum, [, count]) => sum + Number(count), 0);
  totals.passed += Math.max(ran - failed - skipped.length, 0);
  if (result.code === 0) return;
  totals.failed += Math.max(failed, 1);
  process.stdout.write(`\n✗ ${shownPath(file)}\n${result.output.trimEnd()}\n`);
}

/** A module's name begins at the first folder above it that is not a package. */
function placeOf(file) {
  const names = [basename(file, '.py')];
  let folder = dirname(file);
  while (existsSync(join(folder, '__init__.py'))) {
    names.unshift(basename(folder));
    folder = dirname(folder);
  }
  return { folder, module: names.join('.') };
}
