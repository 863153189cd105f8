/**
 * Ends the JavaScript that is running now, so that no `catch` and no `finally` of the program sees it.
 *
 * Node has no call for that on its own thread, but its inspector has, and needs no port for it. Loaded at the first
 * `process.exit()`: 2 ms and some megabytes.
 */
import { lazy } from './node.mjs';
import { allowTornCallbacks } from './node-internals.mjs';

let session;

/** Never returns: what is on the stack unwinds to the event loop. */
export function stopExecution() {
  session ??= connect();
  allowTornCallbacks();
  session.post('Runtime.terminateExecution');
  // The request is answered at the next turn of a loop.
  for (;;);
}

function connect() {
  const { Session } = lazy.inspector();
  const connected = new Session();
  connected.connect();
  return connected;
}
