/**
 * The programs that ran, for the source lines of tracebacks: a function of an earlier run may throw in a later one.
 * The oldest go when they are too many.
 */
import { originalColumn } from './transform.mjs';

const LENGTH_MAX = 4_000_000;
/** Of an entry without its text: many short programs take room too. */
const ENTRY_LENGTH = 500;

/**
 * @typedef {object} Position
 * @property {number} line from 1
 * @property {number} column from 1
 */
export class Sources {
  #entries = new Map();
  #length = 0;
  #readMap;
  #readFile;

  /**
   * @param {(map: object) => { findEntry(line: number, column: number): object }} readMap
   * @param {(name: string) => string | undefined} [readFile] for frames in files
   */
  constructor(readMap, readFile = () => undefined) {
    this.#readMap = readMap;
    this.#readFile = readFile;
  }

  /**
   * @param {string} name
   * @param {string} text as it was sent
   * @param {{ code: string, map: object | undefined, program: { shifts: object[] } } | undefined} compiled
   */
  add(name, text, compiled) {
    this.#remove(name);
    const { code, map, program } = compiled ?? { code: text, map: undefined, program: { shifts: [] } };
    this.#entries.set(name, { text, code, map, shifts: program.shifts });
    this.#length += text.length + ENTRY_LENGTH;
    for (const [oldest] of this.#entries) {
      if (this.#length <= LENGTH_MAX || oldest === name) break;
      this.#remove(oldest);
    }
  }

  #remove(name) {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    this.#length -= entry.text.length + ENTRY_LENGTH;
    this.#entries.delete(name);
  }

  has(name) {
    return this.#entries.has(name);
  }

  /** @returns {string | undefined} */
  line(name, line) {
    const text = this.#entries.get(name)?.text ?? this.#readFile(name);
    return text?.split(/\r\n|[\r\n\u2028\u2029]/)[line - 1];
  }

  /**
   * Where in the sent text a place of the running script comes from.
   * @returns {Position}
   */
  original(name, line, column) {
    const source = this.#entries.get(name);
    if (source === undefined) return { line, column };
    const place = { line, column: originalColumn(source.code, source.shifts, line, column) };
    if (source.map === undefined) return place;
    source.reader ??= this.#readMap(source.map);
    const entry = source.reader.findEntry(place.line - 1, place.column - 1);
    if (entry?.originalLine === undefined) return place;
    return { line: entry.originalLine + 1, column: entry.originalColumn + 1 };
  }
}
