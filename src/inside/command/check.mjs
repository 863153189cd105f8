/** Whether a program parses, or compiles where the language knows no less. Nothing of it is started. */
import { copySources, performSteps, wordNames } from './build.mjs';
import { dropResult, newResult } from './cache.mjs';
import { placeEntry } from './entry.mjs';
import { withoutNoise } from './noise.mjs';
import { findRuntime } from './tools.mjs';

/** @returns {Promise<Array<[string, string]>>} the fields of `checked` */
export async function checkProgram(children, { plan, code }) {
  const runtime = findRuntime(plan.runtimes);
  if (runtime === undefined) return failed('RUNTIME_MISSING', 'no runtime of this language was found');
  const steps = runtime.check ?? runtime.compile;
  if (steps === undefined)
    return failed('NOT_CHECKABLE', 'this language has no way to check a program without running it');
  const entry = placeEntry(plan.entry, code);
  if (entry.problem) return failed('INVALID_INPUT', entry.problem);
  const out = newResult('check');
  children.begin();
  try {
    const sources = plan.sources.filter((path) => path !== entry.name);
    if (runtime.copies) copySources(entry.name, sources, out);
    const names = wordNames({ entry: entry.name, tool: runtime.tool, args: [], sources, names: plan.names, out });
    const env = { ...process.env, ...plan.env, ...runtime.env };
    const cwd = runtime.copies ? out : undefined;
    const { output, end } = await performSteps(children, steps, names, { env, cwd });
    if (end.exitCode === 0 && !(plan.failure && new RegExp(plan.failure, 'm').test(output))) return [['ok', '1']];
    return [
      ['ok', '0'],
      ['diagnostics', end.error ?? withoutNoise(output, plan.noise)],
    ];
  } finally {
    entry.remove();
    dropResult(out);
  }
}

function failed(code, message) {
  return [
    ['ok', '0'],
    ['code', code],
    ['message', message],
  ];
}
