/**
 * How control frames travel over a process that has nothing but its three standard streams.
 *
 *   host → inside, on standard input:   channel (1 byte) · length (4 bytes, little endian) · payload
 *   inside → host, in standard error:   mark (16 bytes) · channel (1 byte) · length (2 bytes) · payload
 *
 * What the program prints stays plain bytes, however it prints them (`fs.writeSync(2, …)` included); only records are
 * marked. The mark is random per sandbox. A program that digs it out can forge records, as it can forge frames on
 * every other wall: everything that comes out of here is its word. A mark that no record follows is a violation.
 *
 * A record is short enough to be written by one call that the kernel does not split, so several threads may write.
 */
import { Buffer } from 'node:buffer';

export const MARK_BYTES = 16;
const RECORD_PAYLOAD_BYTES_MAX = 4000;
const CHANNEL_MAX = 3;
const HEADER_BYTES = 3;

export class WireError extends Error {
  override readonly name = 'WireError';
}

export function encodeInput(channel: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(channel, 0);
  head.writeUInt32LE(payload.length, 1);
  return Buffer.concat([head, payload]);
}

export interface WireSink {
  /** Bytes that the program printed. */
  output(bytes: Buffer): void;
  record(channel: number, payload: Buffer): void;
}

/** Takes records out of a stream. Holds back at most one unfinished record, and a tail that may be the start of a mark. */
export class WireScanner {
  readonly #mark: Buffer;
  readonly #sink: WireSink;
  #held: Buffer = Buffer.alloc(0);

  constructor(mark: Buffer, sink: WireSink) {
    this.#mark = mark;
    this.#sink = sink;
  }

  /** Throws WireError for a mark that is not followed by a record. */
  push(chunk: Buffer): void {
    let bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = Buffer.alloc(0);
    for (;;) {
      const at = bytes.indexOf(this.#mark);
      const start = at === -1 ? markMayStartAt(bytes, this.#mark) : at;
      if (start > 0) this.#sink.output(bytes.subarray(0, start));
      bytes = bytes.subarray(start);
      const end = at === -1 ? undefined : recordEnd(bytes);
      if (end === undefined || end > bytes.length) {
        // A copy: a few bytes must not keep a whole chunk alive.
        this.#held = Buffer.from(bytes);
        return;
      }
      this.#sink.record(bytes.readUInt8(MARK_BYTES), bytes.subarray(MARK_BYTES + HEADER_BYTES, end));
      bytes = bytes.subarray(end);
    }
  }

  /** What is held back, when the stream has ended. */
  flush(): void {
    if (this.#held.length > 0) this.#sink.output(this.#held);
    this.#held = Buffer.alloc(0);
  }
}

/** Where the record at the beginning of the bytes ends; undefined while its header is not whole. */
function recordEnd(bytes: Buffer): number | undefined {
  if (bytes.length < MARK_BYTES + HEADER_BYTES) return undefined;
  const channel = bytes.readUInt8(MARK_BYTES);
  const length = bytes.readUInt16LE(MARK_BYTES + 1);
  if (channel > CHANNEL_MAX || length > RECORD_PAYLOAD_BYTES_MAX) throw new WireError('A mark without a record');
  return MARK_BYTES + HEADER_BYTES + length;
}

function markMayStartAt(bytes: Buffer, mark: Buffer): number {
  const first = mark[0] as number;
  let at = bytes.indexOf(first, Math.max(0, bytes.length - mark.length + 1));
  while (at !== -1) {
    const rest = bytes.subarray(at);
    if (mark.subarray(0, rest.length).equals(rest)) return at;
    at = bytes.indexOf(first, at + 1);
  }
  return bytes.length;
}
