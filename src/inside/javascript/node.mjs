/**
 * Node's own modules, fetched without `import`: that would read every one of their exports, lazy ones too, which takes
 * a third of the start and opens `process.stderr` in a way that makes it non-blocking for all who share it.
 */
const { getBuiltinModule } = globalThis.process;

/** A program may declare its own `process`. */
export const { process } = globalThis;

export const asyncHooks = getBuiltinModule('node:async_hooks');
export const diagnosticsChannel = getBuiltinModule('node:diagnostics_channel');
export const events = getBuiltinModule('node:events');
export const fs = getBuiltinModule('node:fs');
export const module = getBuiltinModule('node:module');
export const os = getBuiltinModule('node:os');
export const path = getBuiltinModule('node:path');
export const url = getBuiltinModule('node:url');
export const util = getBuiltinModule('node:util');
export const vm = getBuiltinModule('node:vm');

/** Large, and not needed by every program. */
export const lazy = {
  stream: () => getBuiltinModule('node:stream'),
  inspector: () => getBuiltinModule('node:inspector'),
  zlib: () => getBuiltinModule('node:zlib'),
};
