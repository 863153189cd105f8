/**
 * `npm test` runs all there is to check and to test; `npm test -- GROUP…` or `npm test -- PATH…` a part of it, without
 * the checks. `--full` asks for the full counts where tests otherwise take a sample.
 *
 * What a test cannot do on this machine it skips with a reason, and the report names it; with CI=true that fails.
 */
import { resolve } from 'node:path';
import { startBackground } from './test/background.mjs';
import { runChecks } from './test/checks.mjs';
import { allGroups, concurrencyOf, folderOf, testFiles } from './test/groups.mjs';
import { runNodeTests } from './test/node-tests.mjs';
import { runPythonTests } from './test/python-tests.mjs';
import { reportLeftOut } from './test/report.mjs';
import { ensureSystemPackages } from './test/system-packages.mjs';

const FULL_COUNTS = { SALLYPORT_TEST_FULL: '1', SALLYPORT_CHAOS_RUNS: '10000' };

const wanted = process.argv.slice(2).filter((argument) => argument !== '--full');
if (process.argv.includes('--full')) Object.assign(process.env, FULL_COUNTS);

await ensureSystemPackages();
const background = startBackground(wanted);
const checksPassed = wanted.length > 0 || (await runChecks());

const totals = { passed: 0, failed: 0, leftOut: [] };
for (const group of await allGroups(wanted)) {
  const files = await testFiles(folderOf(group));
  const isWhole = wanted.length === 0 || wanted.includes(group);
  const chosen = isWhole ? files : files.filter((file) => wanted.some((path) => file.startsWith(resolve(path))));
  await background.readyFor(group);
  add(await runNodeTests(group, chosen, { concurrency: concurrencyOf(group) }));
  if (group === 'unit' && isWhole) add(await runPythonTests());
}

await background.close();
reportLeftOut(totals.leftOut);
const forbidden = process.env.CI === 'true' ? totals.leftOut.length : 0;
if (forbidden > 0) process.stdout.write(`\nCI=true: nothing may be left out, and ${forbidden} tests were\n`);
if (!checksPassed) process.stdout.write('\nThe checks failed; see above\n');
if (totals.passed + totals.failed === 0) process.stdout.write('\nNo test was found\n');
process.stdout.write(`\n${totals.passed} passed, ${totals.failed} failed\n`);
const isGood = checksPassed && totals.failed === 0 && forbidden === 0 && totals.passed > 0;
process.exitCode = isGood ? 0 : 1;

function add({ passed, failed, leftOut }) {
  totals.passed += passed;
  totals.failed += failed;
  totals.leftOut.push(...leftOut);
}
