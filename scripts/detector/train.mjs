/**
 * `node --conditions=sallyport-source scripts/detector/train.mjs CORPUS` makes `src/languages/detect/model.bin.gz` from a
 * folder of unpacked packages, one folder each (`packages.json` names those that were used): multinomial logistic
 * regression over the features of `features.ts`. Takes about a minute and 4 GB; the same corpus gives the same file.
 */
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { featuresOf, wordsOf } from '#languages/detect/features';
import { readCorpus } from './corpus.mjs';

const SAMPLES_PER_LANGUAGE = 700;
const FEATURES_MAX = 14_000;
const EPOCHS = 12;
const STEP = 0.3;
const DECAY = 2e-5;
/** Part of the features at a time: no single one may carry the answer. */
const KEPT_PART = 0.6;
const WORD_CHARS_MAX = 24;
const OUT = new URL('../../src/languages/detect/model.bin.gz', import.meta.url);

const [corpus] = process.argv.slice(2);
if (corpus === undefined) throw new TypeError('Usage: train.mjs CORPUS');
const random = createRandom(7);
const samples = readCorpus(corpus, { perLanguage: SAMPLES_PER_LANGUAGE, random });
const sizes = new Map();
for (const { language } of samples) sizes.set(language, (sizes.get(language) ?? 0) + 1);
const languages = [...sizes.keys()].sort();
say(`${samples.length} samples of ${languages.length} languages`);

const words = chooseWords();
const seen = samples.map(({ text }) => featuresOf(text, (word) => words.has(word)));
const features = chooseFeatures();
const indexOf = new Map(features.map((feature, index) => [feature, index]));
const weights = train();
save();

/** Words that several sources use, or much of one language. */
function chooseWords() {
  const chosen = new Set();
  for (const [word, { count, sources, byLanguage }] of tally(({ text }) => wordsOf(text))) {
    if (word.length > WORD_CHARS_MAX) continue;
    const share = Math.max(...[...byLanguage].map(([language, times]) => times / sizes.get(language)));
    if ((sources.size >= 4 && count >= 12) || (sources.size >= 2 && share >= 0.04)) chosen.add(word);
  }
  return chosen;
}

/** Those that are frequent in one language and rare in the others. */
function chooseFeatures() {
  const ranked = [];
  for (const [feature, { count, sources, byLanguage }] of tally((_, index) => seen[index])) {
    if (count < 5) continue;
    const shares = [...byLanguage].map(([language, times]) => times / sizes.get(language));
    const sum = shares.reduce((total, share) => total + share, 0);
    const gains = shares.map((share) => {
      const elsewhere = (sum - share) / (languages.length - 1);
      return share * Math.log((share + 0.002) / (elsewhere + 0.002)) * Math.min(1, sources.size / 3);
    });
    ranked.push({ feature, gain: Math.max(...gains) });
  }
  ranked.sort((a, b) => b.gain - a.gain);
  return ranked.slice(0, FEATURES_MAX).map(({ feature }) => feature);
}

function train() {
  const width = languages.length;
  const rows = seen.map((set) => Int32Array.from([...set].flatMap((feature) => indexOf.get(feature) ?? [])));
  const targets = samples.map(({ language }) => languages.indexOf(language));
  const weightOf = languages.map((language) => Math.min(6, SAMPLES_PER_LANGUAGE / sizes.get(language)) ** 0.7);
  const matrix = new Float32Array(features.length * width);
  const squares = new Float32Array(features.length * width).fill(1e-3);
  const order = samples.map((_, index) => index);
  const share = new Float32Array(width);
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    shuffle(order);
    let loss = 0;
    for (const index of order) {
      const row = epoch === 0 ? rows[index] : rows[index].filter(() => random() < KEPT_PART);
      if (row.length === 0) continue;
      const unit = 1 / Math.sqrt(row.length);
      predict(matrix, row, unit, share);
      const target = targets[index];
      loss -= Math.log(share[target] + 1e-9);
      share[target] -= 1;
      for (const feature of row) {
        for (let k = 0, at = feature * width; k < width; k++, at++) {
          const slope = share[k] * unit * weightOf[target] + DECAY * matrix[at];
          squares[at] += slope * slope;
          matrix[at] -= (STEP * slope) / Math.sqrt(squares[at]);
        }
      }
    }
    say(`epoch ${epoch}: loss ${(loss / samples.length).toFixed(4)}`);
  }
  return matrix;
}

function predict(matrix, row, unit, share) {
  const width = share.length;
  share.fill(0);
  for (const feature of row) for (let k = 0, at = feature * width; k < width; k++, at++) share[k] += matrix[at];
  const most = share.reduce((max, value) => Math.max(max, value), -Infinity);
  let sum = 0;
  for (let k = 0; k < width; k++) {
    share[k] = Math.exp((share[k] - most) * unit);
    sum += share[k];
  }
  for (let k = 0; k < width; k++) share[k] /= sum;
}

/** Length of the head, the head as JSON, and one signed byte per weight. */
function save() {
  const used = new Set(features.flatMap((feature) => feature.split(/[ ^$]/)));
  const scale = weights.reduce((max, weight) => Math.max(max, Math.abs(weight)), 0) / 127;
  const head = JSON.stringify({ languages, words: [...words].filter((word) => used.has(word)), features, scale });
  const length = Buffer.alloc(4);
  length.writeUInt32LE(Buffer.byteLength(head));
  const bytes = Buffer.from(Int8Array.from(weights, (weight) => Math.round(weight / scale)).buffer);
  const packed = gzipSync(Buffer.concat([length, Buffer.from(head), bytes]), { level: 9 });
  writeFileSync(OUT, packed);
  say(`${packed.length} bytes`);
}

function tally(read) {
  const counts = new Map();
  for (const [index, sample] of samples.entries()) {
    for (const item of read(sample, index)) {
      let entry = counts.get(item);
      if (entry === undefined) {
        entry = { count: 0, sources: new Set(), byLanguage: new Map() };
        counts.set(item, entry);
      }
      entry.count++;
      entry.sources.add(sample.source);
      entry.byLanguage.set(sample.language, (entry.byLanguage.get(sample.language) ?? 0) + 1);
    }
  }
  return counts;
}

function shuffle(items) {
  for (let at = items.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [items[at], items[other]] = [items[other], items[at]];
  }
}

function createRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
