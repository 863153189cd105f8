/** How many calls each server takes in a minute. Places come back one by one, as time goes by. */

interface Bucket {
  left: number;
  at: number;
}

const MINUTE_MS = 60_000;

export class CallRates {
  readonly #buckets = new Map<string, Bucket>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** 0 when the call may be made now, else how long it would have to wait. */
  take(server: string, perMinute: number): number {
    const now = this.#now();
    const bucket = this.#buckets.get(server) ?? { left: perMinute, at: now };
    const left = Math.min(perMinute, bucket.left + ((now - bucket.at) * perMinute) / MINUTE_MS);
    const isFree = left >= 1;
    this.#buckets.set(server, { left: isFree ? left - 1 : left, at: now });
    return isFree ? 0 : Math.ceil(((1 - left) * MINUTE_MS) / perMinute);
  }
}
