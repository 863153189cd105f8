/** Bytes and numbers as text that a model or a person reads. */

/** Where the first whole character begins, in bytes that may have been cut before it. */
export function firstWhole(bytes: Buffer): number {
  let at = 0;
  // At most three bytes continue a character.
  while (at < Math.min(3, bytes.length) && isContinuation(bytes[at] as number)) at++;
  return at;
}

/** Where the last whole character ends, in bytes that may have been cut after it. */
export function lastWhole(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if (!isContinuation(byte)) return charBytes(byte) > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

function charBytes(first: number): number {
  if (first >= 0xf0) return 4;
  if (first >= 0xe0) return 3;
  return first >= 0xc0 ? 2 : 1;
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** `34 kB`, `1.2 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit > 0 && value < 9.95 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`;
}

/** `30 s`, `0.25 s`. */
export function formatSeconds(ms: number): string {
  return `${Math.round(ms / 10) / 100} s`;
}

/** One line, whatever a program put into it. */
export function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what has to go
  return text.replace(/[\u0000-\u001f\u007f]+/g, ' ').trim();
}

/** A file's name in a list: quoted when it would not be clear where it ends. */
export function fileName(path: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: names may have them
  return /[\u0000-\u001f\u007f",]|^\s|\s$/.test(path) ? JSON.stringify(path) : path;
}
