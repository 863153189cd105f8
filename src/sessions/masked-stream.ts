/** A stream without the secrets that are known while it flows; more of them may become known on the way. */

export interface OutputMask {
  text(text: string): string;
  stream(): { push(bytes: Buffer): Buffer; flush(): Buffer };
}

export class MaskedStream {
  readonly #current: () => OutputMask | undefined;
  #mask: OutputMask | undefined;
  #stream: ReturnType<OutputMask['stream']> | undefined;

  constructor(current: () => OutputMask | undefined) {
    this.#current = current;
  }

  push(bytes: Buffer): Buffer {
    const mask = this.#current();
    if (mask === this.#mask) return this.#stream?.push(bytes) ?? bytes;
    const before = this.flush();
    this.#mask = mask;
    this.#stream = mask?.stream();
    const shown = this.#stream?.push(bytes) ?? bytes;
    return before.length === 0 ? shown : Buffer.concat([before, shown]);
  }

  /** What was kept back, when nothing follows that belongs to it. */
  flush(): Buffer {
    return this.#stream?.flush() ?? Buffer.alloc(0);
  }
}
