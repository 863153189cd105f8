/** Takes what must not be seen out of texts that leave the host. */

export interface KnownSecret {
  /** Shown instead. */
  readonly name: string;
  readonly value: string;
}

/** Shorter ones would turn up by accident, and everywhere. */
const SECRET_CHARS_MIN = 6;

/** The text with every known secret replaced by its name, also where it stands encoded in an address or in JSON. */
export function redact(text: string, secrets: Iterable<KnownSecret>): string {
  let clean = text;
  for (const { name, value } of longestFirst(secrets)) {
    for (const form of formsOf(value)) if (clean.includes(form)) clean = clean.replaceAll(form, () => `[${name}]`);
  }
  return clean;
}

/** One secret may be part of another. */
function longestFirst(secrets: Iterable<KnownSecret>): KnownSecret[] {
  return [...secrets]
    .filter(({ value }) => value.length >= SECRET_CHARS_MIN)
    .sort((a, b) => b.value.length - a.value.length);
}

function formsOf(value: string): Set<string> {
  const bytes = Buffer.from(value);
  return new Set([value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1), bytes.toString('base64')]);
}
