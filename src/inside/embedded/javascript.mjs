/** The thread of JavaScript and TypeScript: one realm for all runs of a session, with Node's API on top of Deno's. */
import { AsyncLocalStorage } from 'node:async_hooks';
import fs from 'node:fs';
import module from 'node:module';
import process from 'node:process';
import { createHatch, ToolError } from '../javascript/hatch.mjs';
import { guarded } from '../javascript/intrinsics.mjs';
import { defineGlobal } from '../javascript/realm.mjs';
import { Repairs } from '../javascript/repairs.mjs';
import { RunOfCaller } from '../javascript/run-of-caller.mjs';
import { Sources } from '../javascript/sources.mjs';
import { FRAMES_TAKEN, stackFormatter } from '../javascript/traceback.mjs';
import { Activity } from './javascript/activity.mjs';
import { refuseChildProcesses } from './javascript/child-process.mjs';
import { adaptFiles } from './javascript/files.mjs';
import { Input } from './javascript/input.mjs';
import { Modules } from './javascript/modules.mjs';
import { Output } from './javascript/output.mjs';
import { Places } from './javascript/places.mjs';
import { adaptProcess } from './javascript/process.mjs';
import { Runner } from './javascript/runner.mjs';
import { serve } from './serve.mjs';

serve(
  'javascript',
  async (start, ways) => {
    const places = new Places(start.places);
    const { inside } = start.places;
    /** Deno's own code, and ours. */
    const isForeign = (file) =>
      /^(?:ext:|node:|sallyport:|<sallyport>)/.test(file) || file.replace(/^file:\/\//, '').startsWith(inside);
    const activity = new Activity();
    const input = new Input();
    const output = new Output(ways.print);
    const sources = new Sources((map) => new module.SourceMap(map));
    const repairs = new Repairs();
    const runOfCaller = new RunOfCaller(AsyncLocalStorage);
    const call = (method, params) =>
      activity.during(
        ways.call(method, params, runOfCaller.get()).catch((refusal) => {
          throw new ToolError(refusal);
        }),
      );
    const hatch = createHatch(call, (text) => process.stdout.write(text));

    activity.install();
    output.install();
    adaptFiles({ places, activity, input, print: ways.print });
    refuseChildProcesses();
    const runner = new Runner({
      output,
      input,
      modules: new Modules(places, hatch),
      activity,
      repairs,
      sources,
      isForeign,
      tidy: (text) => withoutAdvice(places.toInside(text)),
      saveImage,
    });
    adaptProcess({ places, input, env: start.env, exit: runner.exit });
    defineGlobal('mcp', hatch);
    defineGlobal('display', runner.display);
    Error.stackTraceLimit = FRAMES_TAKEN;
    const format = stackFormatter(sources, isForeign);
    Error.prepareStackTrace = (error, frames) => places.toInside(format(error, frames));
    for (const name of ['console', 'process', 'mcp', 'display']) repairs.watch(globalThis, name, name);
    for (const name of ['exit', 'stdout', 'stderr']) repairs.watch(process, name, `process.${name}`);
    for (const name of Object.keys(console)) repairs.watch(console, name, `console.${name}`);
    for (const name of ['stdout', 'stderr']) repairs.watch(process[name], 'write', `process.${name}.write`);

    return {
      version: process.version,
      run: (run, conclude) => {
        runOfCaller.begin(run.id);
        runner.run(run, conclude);
      },
      check: (language, code) => runner.check(language, code),
      interrupt: () => runner.interrupt(),
    };
  },
  guarded,
);

/** Deno tells whoever starts it how to give a permission. That is not the reader here. */
function withoutAdvice(text) {
  return text.replace(/, run again with the --allow-[a-z]+ flag/g, '');
}

function saveImage(extension, bytes) {
  for (let number = 1; ; number++) {
    const name = `image-${number}.${extension}`;
    try {
      fs.writeFileSync(name, bytes, { flag: 'wx' });
      return name;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
  }
}
