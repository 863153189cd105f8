/**
 * `require`, `module`, `import` and their relatives for code that is in no file: it behaves as if it were
 * `main.js` in the working directory. `mcp` can be imported from everywhere.
 */
import { module, path, process, url, vm } from './node.mjs';
import { defineGlobal } from './realm.mjs';
import { IMPORT_META } from './transform.mjs';

const HATCH_URL = 'sallyport:mcp';
const HATCH_KEY = 'sallyport.mcp';
const HATCH_SOURCE = `
const mcp = globalThis[Symbol.for('${HATCH_KEY}')];
export { mcp, mcp as default, mcp as 'module.exports' };
`;

/** Kept off the global object of programs, or with a meaning of their own there. */
const NOT_GLOBALS = new Set(['console', 'process', 'module', 'constants', 'sys', 'punycode', 'test']);

export class Modules {
  #directory = undefined;
  #module = undefined;
  #hatch;
  /** Resolves as code in the working directory does. */
  #import = new vm.Script('(specifier, options) => import(specifier, options)', {
    filename: '<sallyport>',
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  }).runInThisContext();

  constructor(hatch) {
    this.#hatch = hatch;
    Object.defineProperty(globalThis, Symbol.for(HATCH_KEY), { value: hatch });
    module.registerHooks({
      resolve: (specifier, context, next) =>
        specifier === 'mcp' ? { url: HATCH_URL, format: 'module', shortCircuit: true } : next(specifier, context),
      load: (address, context, next) =>
        address === HATCH_URL ? { format: 'module', source: HATCH_SOURCE, shortCircuit: true } : next(address, context),
    });
    defineBuiltinGlobals();
  }

  /** Before a run. A program that declared `module` or `require` for itself keeps its own, until it changes directory. */
  prepare(directory, args) {
    const file = path.join(directory, 'main.js');
    if (directory !== this.#directory) this.#moveTo(directory, file);
    if (globalThis.module === this.#module) {
      this.#module.exports = {};
      defineGlobal('exports', this.#module.exports);
    }
    process.argv = [process.execPath, file, ...args];
  }

  #moveTo(directory, file) {
    this.#directory = directory;
    this.#module = new module.Module('.');
    this.#module.filename = file;
    this.#module.paths = module.Module._nodeModulePaths(directory);
    // For `require.main === module`.
    process.mainModule = this.#module;
    const require = module.createRequire(file);
    defineGlobal('module', this.#module);
    defineGlobal('require', require);
    defineGlobal('__filename', file);
    defineGlobal('__dirname', directory);
    const { href } = url.pathToFileURL(file);
    const resolve = (specifier) => new URL(specifier, href).href;
    defineGlobal(IMPORT_META, { url: href, filename: file, dirname: directory, main: true, resolve });
  }

  /** @returns {Promise<object>} the module's namespace; for `mcp` the hatch itself, which has every name */
  load = (specifier, attributes) => {
    if (specifier === 'mcp') return Promise.resolve(this.#hatch);
    return this.#import(specifier, { with: attributes });
  };
}

/** As in `node -e`: `fs`, `path` and so on are there without `require`, and loaded when they are asked for. */
function defineBuiltinGlobals() {
  const { getBuiltinModule } = process;
  for (const name of module.builtinModules) {
    if (!/^[a-z]\w*$/.test(name) || NOT_GLOBALS.has(name) || name in globalThis) continue;
    Object.defineProperty(globalThis, name, {
      configurable: true,
      enumerable: false,
      get: () => getBuiltinModule(name),
      set: (value) => defineGlobal(name, value),
    });
  }
}
