/**
 * Bytes ↔ frames of `src/inside/PROTOCOL.md`.
 *
 * The reader takes bytes that a hostile program may have written. It bounds what it holds, never recurses, and turns
 * anything that is not a frame into one `FrameError`, after which the channel is of no more use.
 */
import { BOUNDS } from '#contracts/limits';

export interface Frame {
  readonly verb: string;
  readonly fields: ReadonlyArray<readonly [name: string, value: Buffer]>;
}

export class FrameError extends Error {
  override readonly name = 'FrameError';
}

const NEWLINE = 0x0a;
/** Longer than any header line: two words and a number. */
const HEADER_BYTES_MAX = 96;
const HEADER = /^([a-z-]{1,32}) (\d{1,9})$/;

export function encodeFrame(
  verb: string,
  fields: ReadonlyArray<readonly [name: string, value: string | Uint8Array]>,
): Buffer {
  let text = `${verb} ${fields.length}\n`;
  const parts: Uint8Array[] = [];
  for (const [name, value] of fields) {
    if (typeof value === 'string') {
      text += `${name} ${Buffer.byteLength(value)}\n${value}\n`;
    } else {
      // Text is gathered, so that the common frame becomes bytes in one step.
      parts.push(Buffer.from(`${text}${name} ${value.length}\n`), value);
      text = '\n';
    }
  }
  return parts.length === 0 ? Buffer.from(text) : Buffer.concat([...parts, Buffer.from(text)]);
}

/** The first field of a name, as text. */
export function fieldText(frame: Frame, name: string): string | undefined {
  return frame.fields.find(([field]) => field === name)?.[1].toString('utf8');
}

export function fieldTexts(frame: Frame, name: string): string[] {
  return frame.fields.filter(([field]) => field === name).map(([, value]) => value.toString('utf8'));
}

export function fieldBytes(frame: Frame, name: string): Buffer | undefined {
  return frame.fields.find(([field]) => field === name)?.[1];
}

export class FrameReader {
  #pending: Buffer = Buffer.alloc(0);
  /** While a long value is on its way, chunks wait here so that they are joined once. */
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #needBytes = 1;

  /** Takes the next bytes; returns the frames that are whole now. Throws FrameError for anything else. */
  push(chunk: Buffer): Frame[] {
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    if (this.#pending.length + this.#waitingBytes < this.#needBytes) return [];

    const bytes =
      this.#waiting.length === 1 && this.#pending.length === 0
        ? chunk
        : Buffer.concat([this.#pending, ...this.#waiting]);
    this.#waiting = [];
    this.#waitingBytes = 0;

    const frames: Frame[] = [];
    let at = 0;
    for (;;) {
      const parsed = parseFrame(bytes, at);
      if (typeof parsed === 'number') {
        this.#pending = bytes.subarray(at);
        this.#needBytes = Math.max(parsed - at, this.#pending.length + 1);
        return frames;
      }
      frames.push(parsed.frame);
      at = parsed.end;
    }
  }
}

/** The frame at `start`, or, when it is not whole yet, a length that the buffer must at least have for it. */
function parseFrame(bytes: Buffer, start: number): { frame: Frame; end: number } | number {
  const head = parseHeader(bytes, start);
  if (head === undefined) return bytes.length + 1;
  if (head.count > BOUNDS.frameFieldsMax) throw new FrameError(`Frame "${head.word}" has ${head.count} fields`);

  const fields: Array<readonly [string, Buffer]> = [];
  let at = head.end;
  for (let index = 0; index < head.count; index++) {
    const field = parseHeader(bytes, at);
    if (field === undefined) return bytes.length + 1;
    const end = field.end + field.count;
    if (end - start > BOUNDS.frameBytesMax)
      throw new FrameError(`Frame "${head.word}" is longer than ${BOUNDS.frameBytesMax} bytes`);
    if (bytes.length <= end) return end + 1;
    if (bytes[end] !== NEWLINE) throw new FrameError(`Field "${field.word}" does not end where it says`);
    fields.push([field.word, bytes.subarray(field.end, end)]);
    at = end + 1;
  }
  return { frame: { verb: head.word, fields }, end: at };
}

function parseHeader(bytes: Buffer, start: number): { word: string; count: number; end: number } | undefined {
  const newline = bytes.indexOf(NEWLINE, start);
  const end = newline === -1 ? bytes.length : newline;
  if (end - start > HEADER_BYTES_MAX) throw new FrameError('A header line is too long');
  if (newline === -1) return undefined;
  const match = HEADER.exec(bytes.toString('latin1', start, end));
  if (match === null) throw new FrameError('A header line is not of the form "word number"');
  return { word: match[1] as string, count: Number(match[2]), end: newline + 1 };
}
