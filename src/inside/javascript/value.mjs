/** How a value reads as text; values of programs may do anything when they are looked at. */
import { util } from './node.mjs';

const STYLE = { depth: 4, maxStringLength: 1_000_000 };

/** @returns {string | undefined} undefined for what is not worth showing */
export function describeValue(value) {
  if (value === undefined) return undefined;
  const handle = handleName(value);
  // `setTimeout(…)` as the last line means the effect, not the timer.
  if (handle === 'Timeout' || handle === 'Immediate') return undefined;
  return handle === undefined ? inspectValue(value) : `[${handle}]`;
}

/** A server, stream or child process is pages of Node's own fields: its name is enough. */
function handleName(value) {
  try {
    const isHandle = typeof value?.ref === 'function' && typeof value.unref === 'function';
    const isStream = typeof value?.pipe === 'function' && typeof value.on === 'function';
    return isHandle || isStream ? String(value.constructor.name) : undefined;
  } catch {
    return undefined; // a getter or proxy that throws; it is then shown like any other object
  }
}

export function inspectValue(value) {
  try {
    return util.inspect(value, STYLE);
  } catch (error) {
    return `[a value that cannot be shown: ${describeShortly(error)}]`; // its own inspect method threw
  }
}

function describeShortly(error) {
  try {
    return String(error);
  } catch {
    return 'it throws what cannot be shown either'; // a broken toString
  }
}
