/**
 * Listeners of the interpreter's own on `process`, and Node's, which turn listeners for signals into handlers. They come
 * back when a program removes them: without the one that hears the event loop run dry, the process would end with the
 * run.
 */
import { process } from './node.mjs';

const { nextTick } = process;
/** @type {Array<{ event: string, listener: Function }>} */
const own = ['newListener', 'removeListener'].flatMap((event) =>
  process.rawListeners(event).map((listener) => ({ event, listener })),
);

export function listen(event, listener) {
  own.push({ event, listener });
  process.on(event, listener);
}

listen('removeListener', (event, listener) => {
  // Not at once: `removeAllListeners()` forgets what is added while it is at work.
  if (own.some((known) => known.event === event && known.listener === listener)) nextTick(restore);
});

function restore() {
  for (const { event, listener } of own) {
    if (!process.listeners(event).includes(listener)) process.on(event, listener);
  }
}
