/** How each interpreter is started behind the wall, and where its parts are there. Words have no newline in them. */
import type { InterpreterId } from '../backend.ts';
import { INSIDE } from './places.ts';

/** `binary` is where the runtime was found; JavaScript always runs on Sallyport's own Node. */
export const INTERPRETER_COMMANDS: Readonly<Record<InterpreterId, (binary: string) => string[]>> = {
  // -I: neither the workspace nor PYTHON… variables decide what the interpreter itself imports. -B: no __pycache__ in
  // the workspace.
  python: (binary) => [binary, '-I', '-B', '-X', 'utf8', `${INSIDE.files}/python/kernel.py`],
  javascript: () => [
    INSIDE.node,
    '--disable-warning=ExperimentalWarning',
    '--expose-internals',
    `${INSIDE.files}/javascript/start.mjs`,
  ],
  command: () => [INSIDE.node, `${INSIDE.files}/command/kernel.mjs`],
  bash: (binary) => [binary, '--norc', '--noprofile', `${INSIDE.files}/bash/kernel.sh`],
};
