/** The inverted index: for each term the tools that have it, in flat arrays. Made anew in one pass when tools change. */
/** Terms and their weights of one server's tools, side by side; those of its tool `t` end where those of `t + 1` start. */
export interface ServerTerms {
  readonly starts: Uint32Array;
  readonly terms: Uint32Array;
  readonly weights: Float32Array;
}

export class Postings {
  readonly tools: number;
  /** Where the tools of a term start; those of term `t` end where those of `t + 1` start. */
  readonly #starts: Uint32Array;
  readonly #tools: Uint32Array;
  readonly #weights: Float32Array;

  constructor(servers: readonly ServerTerms[], terms: number) {
    this.tools = servers.reduce((sum, { starts }) => sum + starts.length - 1, 0);
    this.#starts = new Uint32Array(terms + 1);
    for (const server of servers)
      for (const term of server.terms) this.#starts[term + 1] = (this.#starts[term + 1] ?? 0) + 1;
    for (let term = 0; term < terms; term += 1) this.#starts[term + 1] = this.#start(term) + this.#start(term + 1);

    const total = this.#start(terms);
    this.#tools = new Uint32Array(total);
    this.#weights = new Float32Array(total);
    const next = this.#starts.slice();
    let tool = 0;
    for (const { starts, terms: own, weights } of servers) {
      for (let at = 1; at < starts.length; at += 1, tool += 1) {
        for (let index = starts[at - 1] ?? 0; index < (starts[at] ?? 0); index += 1) {
          const term = own[index] ?? 0;
          const place = next[term] ?? 0;
          next[term] = place + 1;
          this.#tools[place] = tool;
          this.#weights[place] = weights[index] ?? 0;
        }
      }
    }
  }

  /** How many tools have the term. */
  frequency(term: number): number {
    return term + 1 < this.#starts.length ? this.#start(term + 1) - this.#start(term) : 0;
  }

  /** How much a hit of the term tells: near 0 for a term that every tool has. */
  rarity(term: number): number {
    const frequency = this.frequency(term);
    return frequency === 0 ? 0 : Math.log(1 + (this.tools - frequency + 0.5) / (frequency + 0.5));
  }

  /** Raises each tool's entry in `scores` to what this term gives it, and lists tools that had none before. */
  raise(term: number, factor: number, scores: Float32Array, touched: number[]): void {
    const end = this.#start(term + 1);
    for (let place = this.#start(term); place < end; place += 1) {
      const tool = this.#tools[place] ?? 0;
      const weight = this.#weights[place] ?? 0;
      const score = (factor * weight) / (SATURATION + weight);
      const before = scores[tool] ?? 0;
      if (score <= before) continue;
      if (before === 0) touched.push(tool);
      scores[tool] = score;
    }
  }

  #start(term: number): number {
    return this.#starts[term] ?? 0;
  }
}

/** BM25's k1: the weight at which a term counts half of what it can count at most. */
const SATURATION = 1.2;
