import { capture } from '../setup/command.mjs';
import { ROOT } from '../setup/ready.mjs';
import { reportLine } from './report.mjs';

const CHECKS = {
  'format, lint': ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '--colors=off'],
  types: ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.check.json', '--pretty', 'false'],
  'dead exports': ['node_modules/knip/bin/knip.js', '--no-progress'],
};

/** Runs every check, also after one that failed; resolves to whether all is well. */
export async function runChecks() {
  let allPassed = true;
  for (const [name, args] of Object.entries(CHECKS)) {
    const startedAt = performance.now();
    const { code, output } = await capture(process.execPath, args, { cwd: ROOT });
    reportLine(name, code === 0 ? 'ok' : 'FAILED', startedAt);
    if (code !== 0) process.stdout.write(`${output.trimEnd()}\n`);
    allPassed &&= code === 0;
  }
  return allPassed;
}
