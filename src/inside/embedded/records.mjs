/**
 * Control records over the standard streams; the other end, and the reasons, are in
 * `src/sandbox/backends/embedded/wire.ts`.
 */

export const SUPERVISOR = 0;
export const CHANNELS = { python: 1, javascript: 2, bash: 3 };

const PAYLOAD_BYTES_MAX = 4000;
const MARK_BYTES = 16;
/** Of a record from the host: its channel and length. */
const HEADER_BYTES = 5;

/** Taken before any program runs, so that what a program does to `Deno` does not reach them. */
const { stdout, stderr, stdin } = Deno;
const writeOut = stdout.writeSync.bind(stdout);
const writeError = stderr.writeSync.bind(stderr);
const readIn = stdin.read.bind(stdin);

/** @param {Uint8Array} bytes */
export function printBytes(stream, bytes) {
  const write = stream === 'stdout' ? writeOut : writeError;
  for (let rest = bytes; rest.length > 0; ) rest = rest.subarray(write(rest));
}

/** @param {Uint8Array} mark @returns {(channel: number, payload: Uint8Array) => void} */
export function createRecordWriter(mark) {
  return (channel, payload) => {
    let at = 0;
    do {
      const piece = payload.subarray(at, at + PAYLOAD_BYTES_MAX);
      const record = new Uint8Array(MARK_BYTES + 3 + piece.length);
      record.set(mark);
      record[MARK_BYTES] = channel;
      record[MARK_BYTES + 1] = piece.length & 0xff;
      record[MARK_BYTES + 2] = piece.length >> 8;
      record.set(piece, MARK_BYTES + 3);
      printBytes('stderr', record);
      at += piece.length;
    } while (at < payload.length);
  };
}

/** Records from standard input, until it ends. */
export async function* readRecords() {
  const chunk = new Uint8Array(64 * 1024);
  let chunks = [];
  let size = 0;
  /** Nothing can be read before this many bytes are there; a long record is joined once, not with every piece of it. */
  let needed = HEADER_BYTES;
  for (;;) {
    const count = await readIn(chunk);
    if (count === null) return;
    chunks.push(chunk.slice(0, count));
    size += count;
    if (size < needed) continue;

    const bytes = chunks.length === 1 ? chunks[0] : join(chunks, size);
    let at = 0;
    for (;;) {
      needed = size - at < HEADER_BYTES ? HEADER_BYTES : HEADER_BYTES + payloadLength(bytes, at);
      if (size - at < needed) break;
      yield { channel: bytes[at], payload: bytes.subarray(at + HEADER_BYTES, at + needed) };
      at += needed;
    }
    chunks = [bytes.subarray(at)];
    size -= at;
  }
}

function payloadLength(bytes, at) {
  return new DataView(bytes.buffer, bytes.byteOffset + at).getUint32(1, true);
}

function join(chunks, size) {
  const joined = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    joined.set(chunk, at);
    at += chunk.length;
  }
  return joined;
}
