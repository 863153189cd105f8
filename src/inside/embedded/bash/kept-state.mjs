/**
 * just-bash makes a new shell for every call and forgets it afterwards; this keeps it.
 *
 * Each call works on a copy of `bash.state`. That copy is what we want to keep, and nothing hands it out. But every
 * statement begins by setting `errexitSafe` on it, a property that it does not have before: a setter of that name on
 * `Object.prototype` is called with the copy as `this`. It is the only thing in this thread that such a setter can meet,
 * since programs of this thread are shell scripts. Checked by the tests against the version that is installed.
 */

const PROPERTY = 'errexitSafe';

let current;

Object.defineProperty(Object.prototype, PROPERTY, {
  configurable: true,
  get: () => undefined,
  set(value) {
    Object.defineProperty(this, PROPERTY, { value, writable: true, enumerable: true, configurable: true });
    // The first one is the shell's; those of `bash -c` and subshells come later.
    current ??= this;
  },
});

/**
 * Runs `body`, which calls `bash.exec` once, and has the next call begin where this one ended.
 *
 * @returns {Promise<{ result: T, input: string }>} and what is left of standard input
 * @template T
 */
export async function keepingState(bash, body) {
  current = undefined;
  const result = await body().finally(() => {
    if (current) bash.state = betweenCalls(current);
  });
  return { result, input: current?.groupStdin ?? '' };
}

/** Without what belongs to a call: its input, its place in functions and loops. */
function betweenCalls(state) {
  leaveFunctions(state);
  const {
    [PROPERTY]: _safe,
    groupStdin: _input,
    groupStdinSourceFd: _fd,
    signal: _signal,
    extraArgs: _args,
    ...kept
  } = state;
  return { ...kept, callDepth: 0, sourceDepth: 0, loopDepth: 0, inCondition: false };
}

/** An interrupted function leaves its local variables in place of the global ones. */
function leaveFunctions(state) {
  for (const scope of state.localScopes.splice(0).reverse()) {
    for (const [name, value] of scope) {
      if (value === undefined) state.env.delete(name);
      else state.env.set(name, value);
    }
  }
  for (const scope of state.localArrayScopes?.splice(0).reverse() ?? []) {
    for (const [name, value] of scope) {
      if (value === undefined) state.arrays.delete(name);
      else state.arrays.set(name, value);
    }
  }
}

/** Standard input, output and error as at the start, whatever `exec` did to them. */
export function putBackDescriptors(bash) {
  const { closedStandardFds, fileDescriptors, inputFds, fdAliases } = bash.state;
  for (const fd of [0, 1, 2])
    for (const table of [closedStandardFds, fileDescriptors, inputFds, fdAliases]) table?.delete(fd);
}
