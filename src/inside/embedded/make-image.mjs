/** Writes Python's start-up image to standard output. Started by the host, by itself, with no program anywhere near. */
import { addLibrary, importProcess, loadForImage } from './pyodide.mjs';
import { printBytes } from './records.mjs';

const [folder, ...library] = Deno.args;
const pyodide = await loadForImage(folder);
addLibrary(pyodide, library);
const process = importProcess(pyodide);
process.load();
process.destroy();
printBytes('stdout', pyodide.makeMemorySnapshot());
Deno.exit(0);
