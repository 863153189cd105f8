/**
 * Bytes of an upstream's standard output → messages, one JSON value a line.
 *
 * Servers print what they like there: banners, logs, half a gigabyte. Lines that cannot be messages are handed out as
 * rubbish and never kept whole. A message over the limit is skipped to its end, not kept; where its id can be made out
 * at one of its ends, the one call that it answers can be told.
 */

export interface MessageListener {
  message(value: unknown): void;
  /** The beginning of a line that is no message. */
  rubbish(start: string): void;
  /** A message over the limit; `id` undefined where it cannot be made out. */
  tooLong(id: number | undefined): void;
}

const NEWLINE = 0x0a;
/** What is kept of rubbish, and of each end of a message that is too long. */
const EDGE_BYTES = 512;

export class MessageReader {
  readonly #listener: MessageListener;
  readonly #bytesMax: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #mode: 'new' | 'message' | 'rubbish' | 'too-long' = 'new';

  constructor(listener: MessageListener, bytesMax: number) {
    this.#listener = listener;
    this.#bytesMax = bytesMax;
  }

  add(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#take(chunk.subarray(start, end));
      this.#endLine();
      start = end + 1;
    }
    if (start < chunk.length) this.#take(chunk.subarray(start));
  }

  #take(part: Buffer): void {
    if (this.#mode === 'new') this.#mode = modeOf(part);
    this.#chunks.push(part);
    this.#bytes += part.length;
    if (this.#mode === 'message' && this.#bytes > this.#bytesMax) this.#mode = 'too-long';
    if (this.#mode === 'rubbish' && this.#bytes > EDGE_BYTES) this.#keep([this.#whole().subarray(0, EDGE_BYTES)]);
    if (this.#mode === 'too-long' && this.#bytes > 4 * EDGE_BYTES) {
      const whole = this.#whole();
      this.#keep([whole.subarray(0, EDGE_BYTES), whole.subarray(-EDGE_BYTES)]);
    }
  }

  #endLine(): void {
    const mode = this.#mode;
    const line = this.#whole();
    this.#chunks = [];
    this.#bytes = 0;
    this.#mode = 'new';
    if (mode === 'message') this.#parse(line);
    else if (mode === 'too-long') this.#listener.tooLong(idAtTheEdge(line.toString('latin1')));
    else if (line.length > 0) this.#rubbish(line);
  }

  #parse(line: Buffer): void {
    let value: unknown;
    try {
      value = JSON.parse(line.toString('utf8'));
    } catch {
      return this.#rubbish(line); // it only began like a message
    }
    // The revision of March 2025 allowed several messages in a line.
    for (const message of Array.isArray(value) ? value : [value]) this.#listener.message(message);
  }

  #rubbish(line: Buffer): void {
    const text = line.subarray(0, EDGE_BYTES).toString('utf8').trim();
    if (text !== '') this.#listener.rubbish(text);
  }

  #whole(): Buffer {
    const [only, ...rest] = this.#chunks;
    return only !== undefined && rest.length === 0 ? only : Buffer.concat(this.#chunks);
  }

  /** Copies, so that a few bytes do not hold the chunks that they were read in. */
  #keep(parts: Buffer[]): void {
    this.#chunks = [Buffer.concat(parts)];
    this.#bytes = this.#chunks[0]?.length ?? 0;
  }
}

function modeOf(part: Buffer): 'new' | 'message' | 'rubbish' {
  const first = part.find((byte) => byte !== 0x20 && byte !== 0x09 && byte !== 0x0d);
  if (first === undefined) return 'new';
  return first === 0x7b || first === 0x5b ? 'message' : 'rubbish';
}

/** Servers write the id of an answer before or behind the result. */
function idAtTheEdge(edges: string): number | undefined {
  const found =
    /^\s*\{(?:\s*"jsonrpc"\s*:\s*"2\.0"\s*,)?\s*"id"\s*:\s*(\d{1,15})\s*[,}]/.exec(edges) ??
    /,\s*"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(edges);
  return found === null ? undefined : Number(found[1]);
}
