/** The forms in which people write durations, sizes and counts. Each parser throws a sentence that says what to write. */

export type ValueParser<T> = (text: string) => T;

const DURATION = /^(\d+(?:\.\d+)?)(ms|s|m|min|h)?$/i;
const DURATION_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, min: 60_000, h: 3_600_000 };

/** `30`, `30s`, `500ms`, `5m`, `1h` → milliseconds. A bare number is seconds. */
export function parseDurationMs(text: string): number {
  const match = DURATION.exec(text.trim());
  const value = match ? Number(match[1]) * (DURATION_MS[(match[2] ?? 's').toLowerCase()] as number) : 0;
  if (value <= 0) throw new RangeError('must be a time above zero, such as 30, 30s, 500ms, 5m or 1h');
  return value;
}

const SIZE = /^(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?$/i;
const SIZE_STEP: Readonly<Record<string, number>> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 };

/** `512m`, `1g`, `64k`, `1048576` → bytes. */
export function parseBytes(text: string): number {
  const match = SIZE.exec(text.trim());
  const value = match ? Math.floor(Number(match[1]) * (SIZE_STEP[(match[2] ?? '').toLowerCase()] as number)) : 0;
  if (value <= 0) throw new RangeError('must be a size above zero, such as 512m, 1g or 64k');
  return value;
}

export function parseCount(text: string): number {
  const value = /^\d{1,9}$/.test(text.trim()) ? Number(text) : 0;
  if (value < 1) throw new RangeError('must be a whole number above zero');
  return value;
}

/** `1`, `0.5`, `2` cores. */
export function parseCpus(text: string): number {
  const value = /^\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) : 0;
  if (value < 0.01) throw new RangeError('must be a number of cores, such as 1 or 0.5');
  return value;
}

export function parseOneOf<const T extends string>(allowed: readonly T[]): ValueParser<T> {
  return (text) => {
    const value = allowed.find((name) => name === text.trim().toLowerCase());
    if (value === undefined) throw new RangeError(`must be one of: ${allowed.join(', ')}`);
    return value;
  };
}

export function parseText(text: string): string {
  if (text === '') throw new RangeError('must not be empty');
  return text;
}

/** The words that people use for a switch. */
export function parseSwitch(text: string): boolean {
  if (/^(?:on|true|1|yes)$/i.test(text.trim())) return true;
  if (/^(?:off|false|0|no)$/i.test(text.trim())) return false;
  throw new RangeError('must be on or off');
}

export function parseHttps(text: string): string {
  const value = text.trim();
  if (!URL.canParse(value) || new URL(value).protocol !== 'https:' || new URL(value).pathname === '/') {
    throw new RangeError('must be an https address with a path');
  }
  return value;
}
