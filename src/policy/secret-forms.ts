/** How a secret may be written where it turns up: as it is, in an address, in JSON, in base64 alone or within more. */

/** Parts of a longer text in base64 that are shorter than this turn up by accident. */
const FORM_CHARS_MIN = 6;

export function formsOf(value: string): Set<string> {
  const inAddress = encodeURIComponent(value);
  const forms = [
    value,
    inAddress,
    inAddress.replaceAll('%20', '+'),
    inAddress.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    JSON.stringify(value).slice(1, -1),
    ...base64Forms(Buffer.from(value)),
  ];
  return new Set(forms.filter((form) => form === value || form.length >= FORM_CHARS_MIN));
}

/**
 * Alone, and as part of something longer: then its first byte may be the first, second or third of a group of three,
 * and what neighbours have a share in is left out.
 */
function base64Forms(bytes: Buffer): string[] {
  const whole = bytes.toString('base64');
  const parts = [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const isLastShared = (bytes.length + shift) % 3 !== 0;
    return text.slice(shift === 0 ? 0 : shift + 1, isLastShared ? -1 : undefined);
  });
  const standard = [whole, whole.replace(/=+$/, ''), ...parts];
  return [...standard, ...standard.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))];
}
