/**
 * The programs that ran, for the source lines of tracebacks: a function of an earlier run may throw in a later one.
 * The oldest go when they are too many.
 */
import { originalColumn } from './transform.mjs';

const TEXT_LENGTH_MAX = 4_000_000;

/**
 * @typedef {object} Position
 * @property {number} line from 1
 * @property {number} column from 1
 */
export class Sources {
  #entries = new Map();
  #length = 0;
  #readMap;

  /** @param {(map: object) => { findEntry(line: number, column: number): object }} readMap */
  constructor(readMap) {
    this.#readMap = readMap;
  }

  /**
   * @param {string} name
   * @param {string} text as it was sent
   * @param {{ code: string, map: object | undefined, program: { shifts: object[] } } | undefined} compiled
   */
  add(name, text, compiled) {
    this.#remove(name);
    this.#entries.set(name, { text, compiled });
    this.#length += text.length;
    for (const [oldest] of this.#entries) {
      if (this.#length <= TEXT_LENGTH_MAX || oldest === name) break;
      this.#remove(oldest);
    }
  }

  #remove(name) {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    this.#length -= entry.text.length;
    this.#entries.delete(name);
  }

  has(name) {
    return this.#entries.has(name);
  }

  /** @returns {string | undefined} */
  line(name, line) {
    return this.#entries.get(name)?.text.split(/\r\n|[\r\n\u2028\u2029]/)[line - 1];
  }

  /**
   * Where in the sent text a place of the running script comes from.
   * @returns {Position}
   */
  original(name, line, column) {
    const compiled = this.#entries.get(name)?.compiled;
    if (compiled === undefined) return { line, column };
    const place = { line, column: originalColumn(compiled.code, compiled.program.shifts, line, column) };
    if (compiled.map === undefined) return place;
    compiled.reader ??= this.#readMap(compiled.map);
    const entry = compiled.reader.findEntry(place.line - 1, place.column - 1);
    if (entry?.originalLine === undefined) return place;
    return { line: entry.originalLine + 1, column: entry.originalColumn + 1 };
  }
}
