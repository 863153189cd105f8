/**
 * The server name in the first message of a TLS connection (RFC 8446 §4.1.2, RFC 6066 §3).
 *
 * The bytes are the program's: every length is checked against what is there, and nothing beyond the name is looked at.
 */

export type Hello =
  /** Not whole yet. */
  | { readonly kind: 'more' }
  /** Not the beginning of a TLS connection. */
  | { readonly kind: 'other' }
  | { readonly kind: 'hello'; readonly serverName: string | undefined };

const HANDSHAKE_RECORD = 22;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
const RECORD_HEADER = 5;
/** A hello with every key share that is known stays below this. */
const HELLO_BYTES_MAX = 16 * 1024;

export function readHello(bytes: Buffer): Hello {
  const message = joinRecords(bytes);
  if (message === 'more' || message === 'other') return { kind: message };
  try {
    return { kind: 'hello', serverName: serverNameOf(new Cursor(message)) };
  } catch (error) {
    if (error instanceof RangeError) return { kind: 'other' };
    throw error;
  }
}

/** The handshake message, which may lie in several records. */
function joinRecords(bytes: Buffer): Buffer | 'more' | 'other' {
  const parts: Buffer[] = [];
  let length = 0;
  let wanted = Number.POSITIVE_INFINITY;
  for (let at = 0; length < wanted; ) {
    if (bytes.length > at && bytes[at] !== HANDSHAKE_RECORD) return 'other';
    if (bytes.length > at + 1 && bytes[at + 1] !== 3) return 'other';
    if (bytes.length < at + RECORD_HEADER) return 'more';
    const size = bytes.readUInt16BE(at + 3);
    if (size === 0) return 'other';
    const part = bytes.subarray(at + RECORD_HEADER, at + RECORD_HEADER + size);
    parts.push(part);
    length += part.length;
    at += RECORD_HEADER + size;
    if (length >= 4) {
      const head = Buffer.concat(parts).subarray(0, 4);
      if (head[0] !== CLIENT_HELLO) return 'other';
      wanted = 4 + head.readUIntBE(1, 3);
      if (wanted > HELLO_BYTES_MAX) return 'other';
    }
    if (length < wanted && bytes.length < at) return 'more';
  }
  return Buffer.concat(parts).subarray(4, wanted);
}

function serverNameOf(hello: Cursor): string | undefined {
  hello.skip(2 + 32); // version, random
  hello.skip(hello.number(1)); // session
  hello.skip(hello.number(2)); // ciphers
  hello.skip(hello.number(1)); // compression
  if (hello.isAtEnd) return undefined;
  const extensions = hello.part(hello.number(2));
  while (!extensions.isAtEnd) {
    const type = extensions.number(2);
    const extension = extensions.part(extensions.number(2));
    if (type !== SERVER_NAME) continue;
    const names = extension.part(extension.number(2));
    if (names.number(1) !== 0) return undefined;
    return names.text(names.number(2));
  }
  return undefined;
}

/** Throws RangeError where there is less than is asked for. */
class Cursor {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  number(size: 1 | 2): number {
    return this.#take(size).readUIntBE(0, size);
  }

  part(size: number): Cursor {
    return new Cursor(this.#take(size));
  }

  text(size: number): string {
    return this.#take(size).toString('latin1');
  }

  skip(size: number): void {
    this.#take(size);
  }

  #take(size: number): Buffer {
    if (this.#at + size > this.#bytes.length) throw new RangeError('The hello is cut short');
    this.#at += size;
    return this.#bytes.subarray(this.#at - size, this.#at);
  }
}
