/**
 * Starts the interpreter: its bundle `kernel.js`, and what the engine made of it when it was built (`kernel.cache`). That
 * spares the engine most of its work at the start. It refuses data of another engine, and then compiles as always.
 *
 * `start.mjs --write-cache` makes the data when the interpreter ends, from all that was called until then.
 */
const { getBuiltinModule, reallyExit } = globalThis.process;
const fs = getBuiltinModule('node:fs');
const { Script } = getBuiltinModule('node:vm');

const KERNEL = new URL('./kernel.js', import.meta.url);
const CACHE = new URL('./kernel.cache', import.meta.url);

const isWriting = process.argv[2] === '--write-cache';
const script = new Script(fs.readFileSync(KERNEL, 'latin1'), {
  filename: KERNEL.href,
  cachedData: isWriting ? undefined : readCache(),
});
if (isWriting) {
  process.reallyExit = (code) => {
    fs.writeFileSync(CACHE, script.createCachedData());
    reallyExit.call(process, code);
  };
}
script.runInThisContext()(KERNEL.href);

function readCache() {
  try {
    return fs.readFileSync(CACHE);
  } catch {
    return undefined; // built without it: the start is slower, and that is all
  }
}
