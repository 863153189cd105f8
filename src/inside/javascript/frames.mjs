/**
 * Bytes ↔ frames of `../PROTOCOL.md`, with nothing but typed arrays, so that it runs wherever JavaScript does.
 *
 * A frame that cannot be read ends the channel: after it there is no telling where the next one begins.
 */

/** @typedef {{ verb: string, fields: Array<[name: string, value: Uint8Array]> }} Frame */

export class FrameError extends Error {
  name = 'FrameError';
}

const NEWLINE = 0x0a;
const HEADER_BYTES_MAX = 96;
const FIELDS_MAX = 2048;
const FRAME_BYTES_MAX = 96 * 1024 * 1024;
/** As many bytes as characters. */
const PLAIN = /^[\x20-\x7e]{0,256}$/;
const HEADER = /^([a-z-]{1,32}) (\d{1,9})$/;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * @param {string} verb
 * @param {Array<[name: string, value: string | Uint8Array]>} fields
 * @returns {Uint8Array}
 */
export function encodeFrame(verb, fields) {
  const parts = [];
  // Most values are short text: what lies between two others is encoded at once.
  let text = `${verb} ${fields.length}\n`;
  for (const [name, value] of fields) {
    if (typeof value === 'string' && PLAIN.test(value)) {
      text += `${name} ${value.length}\n${value}\n`;
    } else {
      const bytes = typeof value === 'string' ? encoder.encode(value) : value;
      parts.push(encoder.encode(`${text}${name} ${bytes.length}\n`), bytes);
      text = '\n';
    }
  }
  parts.push(encoder.encode(text));
  return parts.length === 1 ? parts[0] : join(parts);
}

/** The first field of a name as text, or undefined. */
export function fieldText(frame, name) {
  const bytes = fieldBytes(frame, name);
  return bytes && decoder.decode(bytes);
}

export function fieldTexts(frame, name) {
  return frame.fields.filter(([field]) => field === name).map(([, value]) => decoder.decode(value));
}

export function fieldBytes(frame, name) {
  return frame.fields.find(([field]) => field === name)?.[1];
}

export class FrameReader {
  #chunks = [];
  #bytes = 0;
  /** Nothing can be read before this many bytes are there; chunks of a long value are joined once, not each time. */
  #needed = 1;

  /**
   * @param {Uint8Array} chunk
   * @returns {Frame[]} the frames that are whole now
   */
  push(chunk) {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < this.#needed) return [];

    const bytes = this.#chunks.length === 1 ? chunk : join(this.#chunks);
    const frames = [];
    let at = 0;
    for (;;) {
      const parsed = parseFrame(bytes, at);
      if (typeof parsed === 'number') {
        const rest = bytes.subarray(at);
        this.#chunks = rest.length > 0 ? [rest] : [];
        this.#bytes = rest.length;
        this.#needed = Math.max(parsed - at, rest.length + 1);
        return frames;
      }
      frames.push(parsed.frame);
      at = parsed.end;
    }
  }
}

/** The frame at `start`; or, while it is not whole, a length that the bytes must at least have for it. */
function parseFrame(bytes, start) {
  const head = parseHeader(bytes, start);
  if (head === undefined) return bytes.length + 1;
  if (head.count > FIELDS_MAX) throw new FrameError(`Frame "${head.word}" has ${head.count} fields`);

  const fields = [];
  let at = head.end;
  for (let index = 0; index < head.count; index++) {
    const field = parseHeader(bytes, at);
    if (field === undefined) return bytes.length + 1;
    const end = field.end + field.count;
    if (end - start > FRAME_BYTES_MAX) throw new FrameError(`Frame "${head.word}" is too long`);
    if (bytes.length <= end) return end + 1;
    if (bytes[end] !== NEWLINE) throw new FrameError(`Field "${field.word}" does not end where it says`);
    fields.push([field.word, bytes.subarray(field.end, end)]);
    at = end + 1;
  }
  return { frame: { verb: head.word, fields }, end: at };
}

function parseHeader(bytes, start) {
  const newline = bytes.indexOf(NEWLINE, start);
  const end = newline === -1 ? bytes.length : newline;
  if (end - start > HEADER_BYTES_MAX) throw new FrameError('A header line is too long');
  if (newline === -1) return undefined;
  const match = HEADER.exec(decoder.decode(bytes.subarray(start, end)));
  if (match === null) throw new FrameError('A header line is not of the form "word number"');
  return { word: match[1], count: Number(match[2]), end: newline + 1 };
}

function join(parts) {
  const joined = new Uint8Array(parts.reduce((total, part) => total + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
