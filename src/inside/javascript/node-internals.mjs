/**
 * What has no public name in Node, in one place; all of it needs `--expose-internals`.
 *
 * The interpreter always runs in the Node that Sallyport brings along, so these names are as fixed as its version.
 */
import { module, process } from './node.mjs';

const require = module.createRequire(import.meta.url);
const { timerListMap, immediateQueue } = require('internal/timers');
const { internalBinding } = withoutWarnings(() => require('internal/test/binding'));
const timers = internalBinding('timers');
const asyncWrap = internalBinding('async_wrap');
const contextify = internalBinding('contextify');

function withoutWarnings(load) {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
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

/** Makes Node's counts say that no timer and no immediate is left. */
export function forgetTimers() {
  timers.timeoutInfo[0] = 0;
  timers.toggleTimerRef(false);
  timers.immediateInfo.fill(0);
  timers.toggleImmediateRef(false);
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
}

/** Node's thread that waits for SIGINT. `isPending`: the signal came while no script was being watched. */
export const watchdog = {
  start: () => contextify.startSigintWatchdog(),
  stop: () => contextify.stopSigintWatchdog(),
  isPending: () => contextify.watchdogHasPendingSigint(),
};
