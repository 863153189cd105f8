/**
 * What a program replaced and the next run needs: the console, the streams, `process.exit`, `mcp`. All else that
 * programs change (prototypes, `Math.random`, …) is theirs and stays.
 */

/** A program's own `display` is more likely than an accident: once declared, it is the program's. */
const MAY_BE_TAKEN = ['display'];

export class Repairs {
  #parts = new Map();

  /** Remembers what `holder[name]` is now, or its getter. @param {string} label what notes call it */
  watch(holder, name, label) {
    const descriptor = Object.getOwnPropertyDescriptor(holder, name);
    this.#parts.set(label, { holder, name, value: descriptor?.get ?? holder[name], descriptor });
  }

  /**
   * @param {ReadonlySet<string>} declared names that the program declared at its top level
   * @returns {string[]} one note for each part that had to be put back
   */
  putBack(declared) {
    for (const name of MAY_BE_TAKEN) if (declared.has(name)) this.#parts.delete(name);
    const notes = [];
    for (const [label, { holder, name, value, descriptor }] of this.#parts) {
      const found = descriptor?.get ? Object.getOwnPropertyDescriptor(holder, name)?.get : read(holder, name);
      if (Object.is(found, value)) continue;
      const isBack = restore(holder, name, descriptor) || Reflect.set(holder, name, value);
      notes.push(`${label} was replaced; ${isBack ? 'restored' : 'it cannot be restored'}`);
    }
    return notes;
  }
}

function read(holder, name) {
  try {
    return holder[name];
  } catch {
    return undefined; // replaced by a getter that throws
  }
}

function restore(holder, name, descriptor) {
  return descriptor ? Reflect.defineProperty(holder, name, descriptor) : Reflect.deleteProperty(holder, name);
}
