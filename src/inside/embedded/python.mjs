/**
 * The thread of Python. A run is one call into WebAssembly that returns when the program has ended; while it lasts the
 * thread takes no messages. So everything that must reach a running program is shared memory: the flag of interrupts,
 * and a port that is read without waiting for the event loop.
 */
import { addLibrary, importProcess, loadAnew, loadImage } from './pyodide.mjs';
import { serve } from './serve.mjs';

const encoder = new TextEncoder();
/** As a process that is ended by SIGABRT. */
const FATAL_EXIT = 134;

serve('python', async (start, ways) => {
  const { places, flag } = start;
  const pyodide = start.image ? await loadImage(places.pyodide, start.image) : await loadAnew(places.pyodide);
  addLibrary(pyodide, places.library);
  mountFolders(pyodide, places);
  connectStreams(pyodide, ways.print);
  pyodide.setInterruptBuffer(interruptBuffer(flag));

  const host = {
    /** Returns when the time is over or the flag is set. */
    wait: (seconds) => {
      Atomics.wait(flag, 0, 0, seconds * 1000);
    },
    isInterrupted: () => Atomics.load(flag, 2) !== 0,
    ask: (method, params, run) => ways.ask(method, params, run),
    look: (id) => pyodide.toPy(ways.look(id)),
    waitFor: (id) => pyodide.toPy(ways.waitFor(id)),
  };
  const library = importProcess(pyodide);
  const process = library.Process(host, pyodide.toPy(start.env));
  return {
    version: pyodide.runPython('import sys; "%d.%d.%d" % sys.version_info[:3]'),
    run: (run, conclude) => {
      const outcome = runProgram(pyodide, process, ways, run);
      if (outcome) conclude(outcome);
    },
    check: (_language, code) => verdictOf(process.check(code)),
    // The flag is enough.
    interrupt: () => {},
  };
});

/** Pyodide reads the first number and then writes 0 to it: an interrupt in between would be lost. Here both are one. */
function interruptBuffer(flag) {
  return {
    get 0() {
      return Atomics.exchange(flag, 0, 0);
    },
    set 0(_value) {},
  };
}

function mountFolders({ FS, mountNodeFS }, { workspace, output, tmp }) {
  const { NODEFS } = FS.filesystems;
  const attempt = NODEFS.tryFSOperation;
  // Pyodide expects errors of an operating system; one that has no number ends it.
  NODEFS.tryFSOperation = (operation) => {
    try {
      return attempt(operation);
    } catch (error) {
      if (error instanceof FS.ErrnoError) throw error;
      throw new FS.ErrnoError(error instanceof Deno.errors.NotCapable ? PERMISSION_DENIED : INPUT_OUTPUT_ERROR);
    }
  };
  for (const [path, folder] of Object.entries({ '/workspace': workspace, '/output': output, '/tmp': tmp })) {
    FS.mkdirTree(path);
    mountNodeFS(path, folder);
  }
}

/** EACCES and EIO, as WebAssembly counts errors. */
const PERMISSION_DENIED = 2;
const INPUT_OUTPUT_ERROR = 29;

function connectStreams(pyodide, print) {
  let isFailing = false;
  // What Pyodide has to say of its own end, here and then on standard output, is for its maintainers. Ours is one line.
  console.error = (text) => {
    isFailing ||= String(text).startsWith('Pyodide has suffered a fatal error');
  };
  const writer = (stream) => ({
    write: (bytes) => {
      if (!isFailing) print(stream, bytes);
      return bytes.length;
    },
    isatty: false,
  });
  pyodide.setStdout(writer('stdout'));
  pyodide.setStderr(writer('stderr'));
  // A program's input is a file that is put in this place; without one, input is at its end.
  pyodide.setStdin({ stdin: () => undefined, isatty: false });
}

/** Ends the thread when Python itself has ended: `os._exit`, or an error that it does not survive. */
function runProgram(pyodide, process, ways, run) {
  try {
    return runInProcess(pyodide, process, run);
  } catch (error) {
    if (error.name !== 'Exit') ways.print('stderr', encoder.encode(`Fatal Python error: ${error.message}\n`));
    ways.leave(error.name === 'Exit' ? error.status : FATAL_EXIT);
    return undefined;
  }
}

function runInProcess(pyodide, process, { id, code, name, args, stdin }) {
  const given = [pyodide.toPy(args), stdin === undefined ? undefined : pyodide.toPy(encoder.encode(stdin))];
  const told = process.run(id, code, name, ...given);
  const [exit, status, error, value, notes, images] = told.toJs({ create_pyproxies: false });
  told.destroy();
  for (const proxy of given) proxy?.destroy();
  return { exit, status, error, value, notes, images: images.map(([mime, data]) => ({ mime, data })) };
}

function verdictOf(problem) {
  if (problem === undefined) return { ok: true };
  const [line, column, message] = problem.toJs();
  problem.destroy();
  return { ok: false, line, column, message };
}
