/**
 * Pictures that a run shows: recognised by their first bytes, and made to fit together into one answer. What does not
 * fit and cannot be scaled becomes a file beside the program.
 */

const BYTES_MAX = 750_000;
const COUNT_MAX = 20;

const KINDS = [
  {
    mime: 'image/png',
    extension: 'png',
    isKind: (bytes) => startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  },
  { mime: 'image/jpeg', extension: 'jpg', isKind: (bytes) => startsWith(bytes, [0xff, 0xd8, 0xff]) },
  { mime: 'image/gif', extension: 'gif', isKind: (bytes) => startsWith(bytes, [0x47, 0x49, 0x46, 0x38]) },
  {
    mime: 'image/webp',
    extension: 'webp',
    isKind: (bytes) =>
      startsWith(bytes, [0x52, 0x49, 0x46, 0x46]) && startsWith(bytes.subarray(8), [0x57, 0x45, 0x42, 0x50]),
  },
];

function startsWith(bytes, start) {
  return start.every((byte, index) => bytes[index] === byte);
}

/**
 * @param {unknown} value a buffer or a `data:` URL, to be a picture
 * @returns {{ mime: string, extension: string, bytes: Uint8Array } | undefined}
 */
export function recogniseImage(value) {
  const bytes = bytesOf(value);
  const kind = bytes && KINDS.find(({ isKind }) => isKind(bytes));
  return kind && { mime: kind.mime, extension: kind.extension, bytes: Uint8Array.from(bytes) };
}

function bytesOf(value) {
  if (value instanceof Uint8Array) return value;
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (typeof value !== 'string') return undefined;
  const encoded = /^data:image\/[a-z+]+;base64,([A-Za-z0-9+/=]+)$/.exec(value)?.[1];
  return encoded && Buffer.from(encoded, 'base64');
}

/**
 * @param {Array<{ mime: string, extension: string, bytes: Uint8Array }>} images
 * @param {object} tools
 * @param {(bytes: Uint8Array, bytesMax: number) => Uint8Array | undefined} tools.shrinkPng
 * @param {(extension: string, bytes: Uint8Array) => string} tools.save returns the name of the new file
 * @returns {{ fitting: Array<{ mime: string, bytes: Uint8Array }>, notes: string[] }}
 */
export function fitImages(images, { shrinkPng, save }) {
  const fitting = [];
  const notes = [];
  const shown = images.slice(0, COUNT_MAX);
  const share = fairShare(shown.map(({ bytes }) => bytes.length));
  for (const [index, { mime, extension, bytes }] of images.entries()) {
    const fits = index < COUNT_MAX && bytes.length <= share;
    const scaled = !fits && index < COUNT_MAX && mime === 'image/png' ? shrinkPng(bytes, share) : undefined;
    if (fits || scaled) {
      fitting.push({ mime, bytes: scaled ?? bytes });
      continue;
    }
    const reason = index < COUNT_MAX ? 'image too large to show' : 'more images than can be shown';
    notes.push(`${reason}: ${attemptSave(save, extension, bytes)}`);
  }
  return { fitting, notes };
}

function attemptSave(save, extension, bytes) {
  try {
    return `saved as ${save(extension, bytes)}`;
  } catch (error) {
    return `not saved (${error.message})`; // no room, or no folder any more
  }
}

/** The most that each may have so that all together keep the limit; small ones leave room to the others. */
function fairShare(sizes) {
  let left = BYTES_MAX;
  const ascending = sizes.toSorted((a, b) => a - b);
  for (const [index, size] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (size > share) return share;
    left -= size;
  }
  return BYTES_MAX;
}
