/** JSON text, re-encoded as TOON where that is really smaller. */
import { createRequire } from 'node:module';
import type * as Toon from '@toon-format/toon';

/** `text` itself when it is not JSON of an array or object as a whole, or TOON would not be shorter or not say the same. */
export function shorterAsToon(text: string): string {
  const json = text.trim();
  if (!/^[[{]/.test(json)) return text;
  const value = parseExactly(json);
  if (value === undefined) return text;
  const toon = encode(value);
  // An empty object is no text at all in TOON.
  const isShorter = toon !== '' && Buffer.byteLength(toon) < Buffer.byteLength(json);
  return isShorter ? toon + (text.endsWith('\n') ? '\n' : '') : text;
}

/** Undefined for what is not JSON, and for JSON with a number that JavaScript cannot hold: TOON would show another one. */
function parseExactly(json: string): unknown {
  let isExact = true;
  const check = (_key: string, value: unknown, context?: { readonly source?: string }) => {
    if (typeof value === 'number' && context?.source !== undefined)
      isExact &&= digitsOf(String(value)) === digitsOf(context.source);
    return value;
  };
  try {
    const value: unknown = JSON.parse(json, check);
    return isExact ? value : undefined;
  } catch {
    return undefined; // text that only begins like JSON
  }
}

/** The digits that count: `1.50`, `15e-1` and `1.5` are the same number. */
function digitsOf(number: string): string {
  return number
    .replace(/e.*$/i, '')
    .replace(/\D/g, '')
    .replace(/^0+|0+$/g, '');
}

let toon: typeof Toon | undefined;

/** Loaded at first use: most servers never need it. */
function encode(value: unknown): string {
  toon ??= createRequire(import.meta.url)('@toon-format/toon') as typeof Toon;
  return toon.encode(value);
}
