/**
 * `require`, `import` and their relatives for code that is in no file: it behaves as if it were `main.js` in the
 * working directory. Wherever they are imported, `mcp` is the hatch, and `node:fs`, `node:process` and
 * `node:child_process` are the ones that were adapted.
 */
import childProcess from 'node:child_process';
import fs from 'node:fs';
import module from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import vm from 'node:vm';
import { defineGlobal } from '../../javascript/realm.mjs';
import { IMPORT_META } from '../../javascript/transform.mjs';

const SCHEME = 'sallyport:';
const KEY = 'sallyport.modules';
/** Kept off the global object of programs, or with a meaning of their own there. */
const NOT_GLOBALS = new Set(['console', 'process', 'module', 'constants', 'sys', 'punycode', 'test']);

export class Modules {
  #places;
  #hatch;
  #directory;
  #import = new vm.Script('(specifier, options) => import(specifier, options)', {
    filename: '<sallyport>',
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  }).runInThisContext();

  /** @param {import('./places.mjs').Places} places @param {object} hatch */
  constructor(places, hatch) {
    this.#places = places;
    this.#hatch = hatch;
    this.#registerHooks({ mcp: hatch, fs, 'fs/promises': fs.promises, process, child_process: childProcess });
    defineBuiltinGlobals();
  }

  /** Before a run. */
  prepare(args) {
    const directory = process.cwd();
    const file = path.posix.join(directory, 'main.js');
    process.argv = ['/usr/bin/node', file, ...args];
    if (directory === this.#directory) return;
    this.#directory = directory;
    const require = this.#createRequire(this.#places.toHost(file));
    const main = { id: '.', filename: file, exports: {}, loaded: false, children: [], paths: [] };
    defineGlobal('module', main);
    defineGlobal('exports', main.exports);
    defineGlobal('require', require);
    defineGlobal('__filename', file);
    defineGlobal('__dirname', directory);
    const url = pathToFileURL(file).href;
    const resolve = (specifier) => new URL(specifier, url).href;
    defineGlobal(IMPORT_META, { url, filename: file, dirname: directory, main: true, resolve });
  }

  /** @returns {Promise<object>} the module's namespace */
  load = (specifier, attributes) => this.#import(specifier, { with: attributes });

  #createRequire(file) {
    const nodeRequire = module.createRequire(file);
    const require = (id) => (id === 'mcp' ? this.#hatch : nodeRequire(this.#places.toHost(id)));
    const resolve = (id, options) => this.#places.toInside(nodeRequire.resolve(this.#places.toHost(id), options));
    return Object.assign(require, nodeRequire, { resolve });
  }

  #registerHooks(ours) {
    Object.defineProperty(globalThis, Symbol.for(KEY), { value: ours });
    const resolve = (specifier, context, next) => {
      // `require` gets the modules themselves, and finds the rest by itself.
      if (context.conditions?.includes('require')) return next(specifier, context);
      const name = specifier.replace(/^node:/, '');
      if (Object.hasOwn(ours, name)) return { url: SCHEME + name, format: 'module', shortCircuit: true };
      if (module.isBuiltin(specifier)) return next(`node:${name}`, context);
      return next(this.#fileUrl(specifier, context.parentURL) ?? specifier, context);
    };
    const load = (url, context, next) => {
      const name = url.startsWith(SCHEME) ? url.slice(SCHEME.length) : undefined;
      if (name !== undefined) return { format: 'module', source: moduleSource(name, ours[name]), shortCircuit: true };
      const loaded = next(url, context);
      // Deno forgets it when there are hooks.
      return url.endsWith('.json') ? { ...loaded, format: 'json' } : loaded;
    };
    module.registerHooks({ resolve, load });
  }

  /** The file of a specifier that Deno would not find: one of our names for folders, or a package in `node_modules`. */
  #fileUrl(specifier, parentUrl) {
    const path = this.#places.toHost(specifier.startsWith('file:') ? new URL(specifier) : specifier);
    if (path !== specifier && typeof path === 'string') return pathToFileURL(path).href;
    if (!/^(?:@[\w.-]+\/)?[\w-][\w.-]*(?:\/|$)/.test(specifier)) return undefined;
    const parent = parentUrl?.startsWith('file:')
      ? fileURLToPath(parentUrl)
      : this.#places.toHost('/workspace/main.js');
    try {
      return pathToFileURL(module.createRequire(parent).resolve(specifier)).href;
    } catch {
      return undefined; // Deno says what is missing
    }
  }
}

/** A module with the object as its default export, and the object's properties as they are now under their names. */
function moduleSource(name, object) {
  const names = Object.keys(object).filter((key) => /^[a-zA-Z_]\w*$/.test(key) && key !== 'default');
  return `const it = globalThis[Symbol.for('${KEY}')]['${name}'];
export default it;
${names.map((key) => `const ${key}_ = it.${key};\nexport { ${key}_ as ${key} };`).join('\n')}
`;
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
