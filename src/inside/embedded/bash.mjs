/** The thread of the shell. */
import { commandsOf } from './bash/commands.mjs';
import { Shell } from './bash/shell.mjs';
import { serve } from './serve.mjs';

serve('bash', async (start, ways) => {
  // A command of just-bash that lets go of a promise must not take the shell with it.
  globalThis.addEventListener('unhandledrejection', (event) => event.preventDefault());
  const shell = new Shell({
    places: start.places,
    env: start.env,
    commands: commandsOf(ways),
    print: ways.print,
    isInterrupted: () => Atomics.load(start.flag, 2) !== 0,
  });
  return {
    version: 'just-bash',
    run: ({ code, args, stdin }, conclude) => void shell.run(code, args, stdin).then(conclude),
    check: (_language, code) => {
      const problem = shell.findProblem(code);
      return problem ? { ok: false, ...problem } : { ok: true };
    },
    interrupt: () => shell.interrupt(),
  };
});
