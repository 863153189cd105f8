/** Pyodide, started anew or from the image of its memory, with our Python files in it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';

/** Where our Python files are inside. */
const LIBRARY = '/lib/sallyport';
/** Of these folders, the packages whose name begins so. */
const PACKAGES = /^_sallyport(?:_embedded)?$/;
/** The image file ends with its hash (`src/sandbox/backends/embedded/image.ts`). */
const HASH_BYTES = 32;

/**
 * @param {string} folder host path of the Pyodide package
 * @param {object} options of `loadPyodide`
 */
async function load(folder, options) {
  const { loadPyodide } = await import(pathToFileURL(join(folder, 'pyodide.mjs')).href);
  return loadPyodide({
    indexURL: `${folder}/`,
    createPyodideModule: loadMachine(join(folder, 'pyodide.asm.mjs')),
    env: {},
    // Names the process otherwise.
    _sysExecutable: '/usr/bin/python3',
    ...options,
  });
}

/**
 * The large module that drives the WebAssembly, as the script that it nearly is: Deno would take the ES module apart
 * before it ran it, for 20 MB and a tenth of a second.
 */
function loadMachine(file) {
  const source = readFileSync(file, 'utf8')
    .replace(/\bexport default (\w+);\s*$/, '$1')
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href));
  const importModuleDynamically = vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  return new vm.Script(source, { filename: file, importModuleDynamically }).runInThisContext();
}

/** @param {string} folder @param {string} image host path */
export async function loadImage(folder, image) {
  const bytes = readFileSync(image);
  return load(folder, { _loadSnapshot: bytes.subarray(0, bytes.length - HASH_BYTES) });
}

export function loadAnew(folder) {
  return load(folder, {});
}

export function loadForImage(folder) {
  return load(folder, { _makeSnapshot: true });
}

/** Puts our files into the file system, which is no part of an image. @param {string[]} folders host paths */
export function addLibrary(pyodide, folders) {
  for (const folder of folders) {
    for (const name of readdirSync(folder).filter((entry) => PACKAGES.test(entry))) {
      addPackage(pyodide.FS, join(folder, name), `${LIBRARY}/${name}`);
    }
  }
}

function addPackage(FS, source, target) {
  FS.mkdirTree(target);
  for (const name of readdirSync(source).filter((entry) => entry.endsWith('.py') && !entry.endsWith('_test.py'))) {
    FS.writeFile(`${target}/${name}`, readFileSync(join(source, name)));
  }
}

/** Imports our package; a second call finds it imported. */
export function importProcess(pyodide) {
  const sys = pyodide.pyimport('sys');
  if (!sys.path.includes(LIBRARY)) sys.path.append(LIBRARY);
  sys.destroy();
  return pyodide.pyimport('_sallyport_embedded.process');
}
