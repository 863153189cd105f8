/** Bytes and numbers as text that a model or a person reads. */

/** Decodes without ever failing; a character that a cut went through at either end is left out. */
export function decode(bytes: Buffer, cut: { start?: boolean; end?: boolean } = {}): string {
  const start = cut.start ? firstWhole(bytes) : 0;
  const end = cut.end ? lastWhole(bytes) : bytes.length;
  return bytes.toString('utf8', start, end);
}

/** Continuation bytes at the beginning belong to a character that began before. */
function firstWhole(bytes: Buffer): number {
  let at = 0;
  while (at < Math.min(3, bytes.length) && ((bytes[at] as number) & 0xc0) === 0x80) at++;
  return at;
}

/** Where the last character that is whole ends. */
function lastWhole(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if ((byte & 0xc0) === 0x80) continue;
    const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needs > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
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

/** `30 s`, `0.3 s`. */
export function formatSeconds(ms: number): string {
  return `${Math.round(ms / 10) / 100} s`;
}
