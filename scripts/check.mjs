/** `npm run check`: everything about the code that can be said without running it, and the rules of the house. */
import { runChecks } from './test/checks.mjs';
import { testFiles } from './test/groups.mjs';
import { runNodeTests } from './test/node-tests.mjs';

const checksPassed = await runChecks();
const { failed } = await runNodeTests('architecture', await testFiles('tests/architecture'), { concurrency: 1 });
process.exitCode = checksPassed && failed === 0 ? 0 : 1;
