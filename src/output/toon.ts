/** JSON on stdout, re-encoded as TOON where that is really smaller. */
import { encode } from '@toon-format/toon';

/** Undefined when the text is not JSON as a whole, or TOON would not be shorter. */
export function smallerAsToon(text: string): string | undefined {
  const trimmed = text.trim();
  if (!/^[[{]/.test(trimmed)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(trimmed);
  } catch {
    return undefined; // text that only begins like JSON
  }
  const toon = encode(value);
  return toon.length < trimmed.length ? toon : undefined;
}
