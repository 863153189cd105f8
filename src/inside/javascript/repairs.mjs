/**
 * What a program replaced and the next run needs: the console, the streams, `process.exit`, `mcp`. Everything else that
 * programs change (prototypes, `Math.random`, …) is theirs and stays.
 */

export class Repairs {
  #parts = [];

  /** Remembers what `holder[name]` is now. @param {string} label what notes call it */
  watch(holder, name, label) {
    this.#parts.push({ holder, name, label, value: holder[name], descriptor: Object.getOwnPropertyDescriptor(holder, name) });
  }

  /** Forgets all about an object that has been exchanged. */
  unwatch(holder) {
    this.#parts = this.#parts.filter((part) => part.holder !== holder);
  }

  /**
   * Puts back what was replaced.
   * @param {ReadonlySet<string>} declared names that the program took for itself, by declaring them
   * @returns {string[]} one note for each
   */
  putBack(declared) {
    const notes = [];
    for (const { holder, name, label, value, descriptor } of this.#parts) {
      if (isSame(holder, name, value) || declared.has(label)) continue;
      notes.push(`${label} was replaced; ${restore(holder, name, descriptor) ? 'restored' : 'it cannot be restored'}`);
    }
    return notes;
  }
}

function isSame(holder, name, value) {
  try {
    return Object.is(holder[name], value);
  } catch {
    return false; // replaced by a getter that throws
  }
}

function restore(holder, name, descriptor) {
  return descriptor ? Reflect.defineProperty(holder, name, descriptor) : Reflect.deleteProperty(holder, name);
}
