/**
 * What has no public name in Node, in one place; all of it needs `--expose-internals`.
 *
 * The interpreter always runs in the Node that Sallyport brings along, so these names are as fixed as its version.
 */
import { diagnosticsChannel, module, process } from './node.mjs';

const load = module.createRequire(import.meta.url);
const { timerListMap, immediateQueue, getTimerCallbacks } = load('internal/timers');
const AsyncContextFrame = load('internal/async_context_frame');
const { internalBinding } = withoutWarnings(() => load('internal/test/binding'));
const timers = internalBinding('timers');
const taskQueue = internalBinding('task_queue');
const asyncWrap = internalBinding('async_wrap');
const contextify = internalBinding('contextify');
const spawnSync = internalBinding('spawn_sync');
const { Pipe, constants: pipeConstants } = internalBinding('pipe_wrap');
const { WriteWrap, streamBaseState, kReadBytesOrError } = internalBinding('stream_wrap');
const { arrow_message_private_symbol: arrowSymbol } = internalBinding('util').privateSymbols;

const HAS_TICK = 0;
const READ_BYTES = 64 * 1024;
const runTicks = process._tickCallback;
let wrapCallback = (callback) => callback;

function withoutWarnings(work) {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Runs ticks and promise reactions that are due. */
export function runDueTicks() {
  runTicks();
}

/**
 * Everything that the event loop calls goes through `wrap` from now on: timers, immediates, and after each callback
 * its ticks and promise reactions. Callbacks of files, sockets and so on do not.
 */
export function wrapCallbacks(wrap) {
  wrapCallback = wrap;
  taskQueue.setTickCallback(wrap(() => runTicks()));
  installTimerCallbacks();
}

function installTimerCallbacks() {
  const { processImmediate, processTimers } = getTimerCallbacks(runTicks);
  timers.setupTimers(wrapCallback(processImmediate), wrapCallback(processTimers));
}

/** Without this, promise reactions alone would be run by the engine itself, past the wrapped callback. */
export function requestTicks() {
  taskQueue.tickInfo[HAS_TICK] = 1;
}

/** Timers that hold the event loop. Others are mostly Node's own. */
export function activeTimers() {
  const found = [];
  for (const list of Object.values(timerListMap)) {
    for (let timer = list._idlePrev; timer !== list; timer = timer._idlePrev) if (timer.hasRef()) found.push(timer);
  }
  return found;
}

export function activeImmediates() {
  const found = [];
  for (let immediate = immediateQueue.head; immediate; immediate = immediate._idleNext) found.push(immediate);
  return found;
}

/** For when a timer's callback is torn down and so never counted out: Node takes it that none is left. */
export function forgetTimers() {
  timers.timeoutInfo[0] = 0;
  timers.toggleTimerRef(false);
  timers.immediateInfo.fill(0);
  timers.toggleImmediateRef(false);
  installTimerCallbacks();
}

/**
 * A callback that is torn down leaves Node's stack of async contexts as it is; with its check on, that is fatal.
 * `createHook()` turns the check on.
 */
export function allowTornCallbacks() {
  asyncWrap.async_hook_fields[asyncWrap.constants.kCheck] = 0;
}

/** After a callback was torn down: forgets the async contexts that it was in. */
export function forgetTornCallbacks() {
  asyncWrap.clearAsyncIdStack();
  AsyncContextFrame.set(undefined);
}

/**
 * An inherited stream socket, without `net` and streams: they take a tenth of the start.
 *
 * @param {number} fd
 * @param {{ onData: (bytes: Uint8Array) => void, onEnd: () => void }} listeners
 */
export function openSocket(fd, { onData, onEnd }) {
  const handle = new Pipe(pipeConstants.SOCKET);
  if (handle.open(fd) !== 0) throw new Error(`Descriptor ${fd} is no stream socket`);
  // One buffer for all reads: Node would take 64 kB for each.
  const buffer = new Uint8Array(READ_BYTES);
  handle.useUserBuffer(buffer);
  handle.onread = () => {
    const length = streamBaseState[kReadBytesOrError];
    if (length > 0) onData(buffer.slice(0, length));
    else if (length < 0) onEnd();
  };
  handle.readStart();
  return {
    handle,
    write(bytes) {
      const request = new WriteWrap();
      request.bytes = bytes; // what is not written at once must not be collected
      request.oncomplete = (status) => {
        if (status < 0) onEnd();
      };
      if (handle.writeBuffer(request, bytes) < 0) onEnd();
    },
  };
}

/**
 * Node's thread that waits for SIGINT. `isPending`: the signal came while no script was being watched. Starts are
 * counted, and only the last stop ends the thread; every stop forgets the signal.
 */
export const watchdog = {
  start: () => contextify.startSigintWatchdog(),
  isPending: () => contextify.watchdogHasPendingSigint(),
  forget() {
    contextify.startSigintWatchdog();
    contextify.stopSigintWatchdog();
  },
  /** For when somebody else has taken the signal. */
  restart() {
    contextify.stopSigintWatchdog();
    contextify.startSigintWatchdog();
  },
};

/** Tells of every child process that ends, and of what signal, before the program hears of it. */
export function watchChildren(onEnd) {
  const { spawn } = spawnSync;
  spawnSync.spawn = (options) => {
    const result = spawn(options);
    onEnd(result.signal);
    return result;
  };
  diagnosticsChannel.subscribe('child_process', ({ process: child }) => {
    const handle = child._handle;
    const { onexit } = handle;
    handle.onexit = (code, signal) => {
      onEnd(signal);
      onexit(code, signal);
    };
  });
}

/** Where a file could not be parsed: file, line and caret, as the engine notes it on the error. */
export function engineExcerpt(error) {
  const excerpt = error instanceof SyntaxError ? error[arrowSymbol] : undefined;
  return excerpt && `${excerpt.trimEnd()}\n\n`;
}
