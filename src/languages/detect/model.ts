/**
 * The trained part of detection: a weight for each pair of feature and language (`scripts/detector/train.mjs` makes them).
 * Read from disk when the first program without a name comes.
 */
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { featuresOf } from './features.ts';

const FILE = new URL('./model.bin.gz', import.meta.url);

export interface Model {
  /** In the order of the scores. */
  readonly languages: readonly string[];
  score(code: string): ModelScores;
}

export interface ModelScores {
  readonly scores: Float64Array;
  /** How many features of the program the model knows. */
  readonly known: number;
  /** The features that speak most for a language, as they stand in programs. */
  reasons(language: number, limit: number): string[];
}

let loading: Promise<Model> | undefined;

/** Callers that come while it is read share the one attempt; a failed one is forgotten. */
export function loadModel(): Promise<Model> {
  loading ??= readModel().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function readModel(): Promise<Model> {
  const bytes = await promisify(gunzip)(await readFile(FILE));
  const headBytes = bytes.readUInt32LE(0);
  const head = JSON.parse(bytes.toString('utf8', 4, 4 + headBytes)) as {
    languages: string[];
    words: string[];
    features: string[];
    scale: number;
  };
  const weights = new Int8Array(bytes.buffer, bytes.byteOffset + 4 + headBytes);
  const words = new Set(head.words);
  const places = new Map(head.features.map((feature, index) => [feature, index]));
  return {
    languages: head.languages,
    score: (code) => {
      const found = [...featuresOf(code, (word) => words.has(word))].flatMap((feature) => places.get(feature) ?? []);
      return new Scores(found, head.languages.length, weights, head.scale, head.features);
    },
  };
}

class Scores implements ModelScores {
  readonly scores: Float64Array;
  readonly known: number;
  readonly #found: readonly number[];
  readonly #weights: Int8Array;
  readonly #features: readonly string[];

  constructor(
    found: readonly number[],
    languages: number,
    weights: Int8Array,
    scale: number,
    features: readonly string[],
  ) {
    this.known = found.length;
    this.#found = found;
    this.#weights = weights;
    this.#features = features;
    this.scores = new Float64Array(languages);
    for (const feature of found) {
      const at = feature * languages;
      for (let language = 0; language < languages; language++) {
        this.scores[language] = (this.scores[language] ?? 0) + (weights[at + language] ?? 0);
      }
    }
    const unit = scale / Math.sqrt(Math.max(1, found.length));
    for (let language = 0; language < languages; language++)
      this.scores[language] = (this.scores[language] ?? 0) * unit;
  }

  reasons(language: number, limit: number): string[] {
    const weight = (feature: number) => this.#weights[feature * this.scores.length + language] ?? 0;
    const shown = this.#found
      .filter((feature) => weight(feature) > 0)
      .sort((a, b) => weight(b) - weight(a))
      .map((feature) => (this.#features[feature] ?? '').replace(/^\^/, '').replace(/(?<=.)\$$/, ''))
      .filter((text) => /[a-z]{2}|[^\w\s]{2}/i.test(text) && !/(?:^| )\d/.test(text));
    return [...new Set(shown)].slice(0, limit);
  }
}
