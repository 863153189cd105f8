/** Reading values whose type nobody promises. Each function says what is wrong and where, for the person who wrote it. */
import type { Fields } from '../client.ts';

/** One entry cannot be used; the others of its file can. */
export class EntryError extends Error {
  override readonly name = 'EntryError';
  /** Below the entry. */
  readonly keys: readonly (string | number)[];

  constructor(message: string, keys: readonly (string | number)[]) {
    super(message);
    this.keys = keys;
  }
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The first of these keys that is there; null counts as not there. */
export function firstKey(entry: Fields, keys: readonly string[]): string | undefined {
  return keys.find((key) => Object.hasOwn(entry, key) && entry[key] !== undefined && entry[key] !== null);
}

export function textAt(entry: Fields, keys: readonly string[]): string | undefined {
  const key = firstKey(entry, keys);
  if (key === undefined) return undefined;
  const value = entry[key];
  if (typeof value !== 'string') throw new EntryError(`"${key}" must be text`, [key]);
  return value === '' ? undefined : value;
}

/** Numbers and booleans are taken as they are written: `"args": ["--port", 8080]` means what it looks like. */
export function textsAt(entry: Fields, keys: readonly string[]): string[] | undefined {
  const key = firstKey(entry, keys);
  if (key === undefined) return undefined;
  const value = entry[key];
  if (!Array.isArray(value)) throw new EntryError(`"${key}" must be a list of texts`, [key]);
  return value.map((item: unknown, index) => {
    const text = textOf(item);
    if (text === undefined)
      throw new EntryError(`"${key}" must hold texts only; item ${index + 1} is none`, [key, index]);
    return text;
  });
}

/** Names → texts. A null takes the name out, as VS Code has it. */
export function textMapAt(entry: Fields, keys: readonly string[]): Record<string, string> | undefined {
  const key = firstKey(entry, keys);
  if (key === undefined) return undefined;
  const value = entry[key];
  if (!isFields(value)) throw new EntryError(`"${key}" must be a map of names to texts`, [key]);
  const pairs: [string, string][] = [];
  for (const [name, item] of Object.entries(value)) {
    if (item === null) continue;
    const text = textOf(item);
    if (text === undefined) throw new EntryError(`"${name}" in "${key}" must be text`, [key, name]);
    pairs.push([name, text]);
  }
  return Object.fromEntries(pairs);
}

/** A number above zero; anything else is nobody's wish and is passed over. */
export function positiveAt(entry: Fields, keys: readonly string[]): number | undefined {
  const key = firstKey(entry, keys);
  const value = key === undefined ? undefined : entry[key];
  return typeof value === 'number' && value > 0 && Number.isFinite(value) ? value : undefined;
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint'
    ? String(value)
    : undefined;
}
