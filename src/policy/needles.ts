/**
 * Many texts looked for in bytes at once.
 *
 * A window as long as the shortest of them is moved over the bytes; the pair at its end says how far it may jump before any
 * of them could end there. So most bytes are never looked at, however many texts there are.
 */

export interface Needle {
  readonly bytes: Buffer;
  readonly name: string;
}

export interface Found {
  readonly at: number;
  readonly needle: Needle;
}

export class Needles {
  readonly bytesMax: number;
  readonly #window: number;
  readonly #jumps: Uint16Array;
  /** By the pair of bytes at the end of their window; the longest first. */
  readonly #byPair = new Map<number, Needle[]>();
  /** By the first byte. */
  readonly #byStart = new Array<Needle[] | undefined>(256).fill(undefined);

  /** All of at least two bytes, and at least one of them. */
  constructor(needles: readonly Needle[]) {
    const lengths = needles.map(({ bytes }) => bytes.length);
    this.bytesMax = Math.max(...lengths);
    this.#window = Math.min(...lengths, 255);
    this.#jumps = new Uint16Array(0x10000).fill(this.#window - 1);
    for (const needle of [...needles].sort((a, b) => b.bytes.length - a.bytes.length)) this.#add(needle);
  }

  /** The first place from `from` on where one stands, and the longest that stands there. */
  find(hay: Buffer, from: number): Found | undefined {
    const last = this.#window - 1;
    for (let end = from + last; end < hay.length; ) {
      const pair = ((hay[end - 1] as number) << 8) | (hay[end] as number);
      const jump = this.#jumps[pair] as number;
      if (jump > 0) {
        end += jump;
        continue;
      }
      const at = end - last;
      for (const needle of this.#byPair.get(pair) as Needle[])
        if (standsAt(hay, needle.bytes, at)) return { at, needle };
      end += 1;
    }
    return undefined;
  }

  /** Where, at the end of the bytes, one may have begun that is not over; the length where none has. */
  findBegun(hay: Buffer, from: number): number {
    for (let at = Math.max(from, hay.length - this.bytesMax + 1); at < hay.length; at += 1) {
      const begun = this.#byStart[hay[at] as number];
      if (
        begun?.some(({ bytes }) => bytes.length > hay.length - at && hay.compare(bytes, 0, hay.length - at, at) === 0)
      ) {
        return at;
      }
    }
    return hay.length;
  }

  #add(needle: Needle): void {
    const { bytes } = needle;
    for (let at = 1; at < this.#window; at += 1) {
      const pair = ((bytes[at - 1] as number) << 8) | (bytes[at] as number);
      this.#jumps[pair] = Math.min(this.#jumps[pair] as number, this.#window - 1 - at);
      if (at === this.#window - 1) this.#byPair.set(pair, [...(this.#byPair.get(pair) ?? []), needle]);
    }
    const first = bytes[0] as number;
    this.#byStart[first] = [...(this.#byStart[first] ?? []), needle];
  }
}

function standsAt(hay: Buffer, bytes: Buffer, at: number): boolean {
  return at + bytes.length <= hay.length && hay.compare(bytes, 0, bytes.length, at, at + bytes.length) === 0;
}
