/**
 * The interpreter and its parser are JavaScript in the same realm as the programs, which may break `Array.prototype`
 * for themselves. While the interpreter works it has the functions that it found at its start; afterwards programs
 * find their own again.
 *
 * This file uses no method that a program could have replaced.
 */

const { apply, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect;

const CONSTRUCTORS = [Array, Map, Object, Promise, RegExp, Set, String, SyntaxError, Uint8Array];
const NAMESPACES = { JSON };
/** Of these only the names are looked after. */
const GLOBALS = ['Buffer', 'Error', 'Math', 'Number', 'Reflect', 'Symbol', 'TextDecoder', 'TextEncoder', 'URL'];

/** @type {Array<{ holder: object, name: PropertyKey, value: unknown }>} */
const originals = collectOriginals();

/** Those that some program has replaced. */
let suspects = [];
/** What programs have put in their places. */
let replaced = [];
let depth = 0;

function collectOriginals() {
  const found = [];
  const addFunctionsOf = (owner, holder = owner) => {
    for (const name of ownKeys(owner)) {
      if (name === 'constructor') continue;
      const { value, configurable } = getOwnPropertyDescriptor(owner, name);
      if (typeof value === 'function' && configurable) found.push({ holder, name, value });
    }
  };
  for (const value of CONSTRUCTORS) {
    found.push({ holder: globalThis, name: value.name, value });
    if (value === Object || value === Array) addFunctionsOf(value);
    addFunctionsOf(value.prototype);
  }
  for (const [name, value] of Object.entries(NAMESPACES)) {
    found.push({ holder: globalThis, name, value });
    addFunctionsOf(value);
  }
  for (const name of GLOBALS) found.push({ holder: globalThis, name, value: globalThis[name] });
  addFunctionsOf(Function.prototype);
  addFunctionsOf(getPrototypeOf(Uint8Array.prototype), Uint8Array.prototype);
  for (const iterable of [[], new Map(), new Set(), '']) addFunctionsOf(getPrototypeOf(iterable[Symbol.iterator]()));
  return found;
}

function enter(candidates) {
  for (let index = 0; index < candidates.length; index++) {
    const { holder, name, value } = candidates[index];
    const found = holder[name];
    if (found === value) continue;
    if (candidates === originals) suspects[suspects.length] = candidates[index];
    // Node itself cannot live without most of these: what was deleted or is no function comes back for good.
    if (typeof found === 'function') {
      replaced[replaced.length] = { holder, name, descriptor: getOwnPropertyDescriptor(holder, name) };
    }
    defineProperty(holder, name, { __proto__: null, value, writable: true, enumerable: false, configurable: true });
  }
}

function enterAll() {
  suspects = [];
  enter(originals);
}

function leave() {
  for (let index = 0; index < replaced.length; index++) {
    const { holder, name, descriptor } = replaced[index];
    if (descriptor !== undefined) defineProperty(holder, name, descriptor);
  }
  replaced = [];
}

/** Wraps a function of the interpreter that is called after code of programs. */
export function guarded(work) {
  return guardedBy(work, enterAll);
}

/** The same for what is called while no program runs: only what is known to be replaced is looked at. */
export function guardedWhenIdle(work) {
  return guardedBy(work, () => enter(suspects));
}

function guardedBy(work, enterFirst) {
  return function guardedWork(...args) {
    if (depth === 0) enterFirst();
    depth += 1;
    try {
      return apply(work, this, args);
    } finally {
      depth -= 1;
      if (depth === 0) leave();
    }
  };
}

/** The program's turn, in the middle of the interpreter's. */
export function asProgram(work) {
  const outer = depth;
  giveBack();
  try {
    return work();
  } finally {
    enterAll();
    depth = outer;
  }
}

/** For an end that no `finally` sees: the interpreter has done its part. */
export function giveBack() {
  leave();
  depth = 0;
}
