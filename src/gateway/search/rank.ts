/**
 * The order of meaning: BM25F for each clause of the query, then a choice that serves every clause.
 *
 * A tool's score is the sum over clauses. After a tool is chosen, the clauses that it serves count less for the next
 * one; with a single clause this changes nothing.
 */
import { highest } from './numbers.ts';
import type { Query } from './query.ts';
import { type Catalogue, findTerm, type QueryTerm } from './terms.ts';

/** The scores of all tools for one clause. */
interface ClauseScores {
  readonly scores: Float32Array;
  /** Which part of what the clause asks for each tool has, from 0 to 1. */
  readonly shares: Float32Array;
  readonly best: number;
}

export interface MeaningScores {
  readonly clauses: readonly ClauseScores[];
  /** Over all clauses. */
  readonly totals: Float32Array;
  /** Spellings taken for words that the catalogue does not have. */
  readonly corrections: ReadonlyMap<string, readonly string[]>;
}

/** How much more a tool counts that has all of a clause's words than one that has few. */
const COMPLETENESS = 0.5;
/** How much of a clause is settled by the tool that serves it best. */
const SETTLED = 0.35;
/** Of one search, for the next; a query of several clauses takes three for each. */
const SHEETS_KEPT = 16;
/** A second tool of the same full name tells the reader nothing new. */
export const REPEATED_NAME = 0.3;

export function scoreMeaning(query: Query, catalogue: Catalogue): MeaningScores {
  const { tools } = catalogue.postings;
  const sheets = sheetsFor(tools);
  const corrections = new Map<string, readonly string[]>();
  const totals = sheets.next();
  const scratch = sheets.next();
  const clauses = query.clauses.map((clause) => {
    const terms = clause.map((item) => {
      const term = findTerm(item, catalogue);
      if (term.corrections.length > 0) corrections.set(item.word, term.corrections);
      return { ...term, isMissed: item.origin === 'word' && term.alternatives.length === 0 };
    });
    const scored = scoreClause(terms, catalogue, scratch, sheets);
    for (let tool = 0; tool < tools; tool += 1) totals[tool] = (totals[tool] ?? 0) + (scored.scores[tool] ?? 0);
    return scored;
  });
  return { clauses, totals, corrections };
}

/**
 * Arrays with a place for each tool, full of zeros; those of one search are used again by the next. Left to the collector,
 * they would be most of the memory that a large catalogue costs.
 */
interface Sheets {
  next(): Float32Array;
}

let used: { readonly tools: number; readonly sheets: Float32Array[] } = { tools: 0, sheets: [] };

/** A search takes no turns with another, so its sheets are its own until it has returned. */
function sheetsFor(tools: number): Sheets {
  if (used.tools !== tools) used = { tools, sheets: [] };
  const { sheets } = used;
  let count = 0;
  return {
    next() {
      const sheet = sheets[count]?.fill(0) ?? new Float32Array(tools);
      if (count < SHEETS_KEPT) sheets[count] = sheet;
      count += 1;
      return sheet;
    },
  };
}

function scoreClause(
  terms: ReadonlyArray<QueryTerm & { isMissed: boolean }>,
  { postings }: Catalogue,
  scratch: Float32Array,
  sheets: Sheets,
): ClauseScores {
  const scores = sheets.next();
  const hits = sheets.next();
  const shares = sheets.next();
  const rarityOfMissed = Math.log(1 + postings.tools);
  let weight = 0;
  let asked = 0;
  for (const term of terms) {
    if (term.isMissed) asked += term.weight * rarityOfMissed;
    if (term.alternatives.length === 0) continue;
    weight += term.weight;
    asked += term.weight * term.rarity;
    const touched: number[] = [];
    for (const [id, share] of term.alternatives) {
      postings.raise(id, share * Math.min(postings.rarity(id), term.rarity), scratch, touched);
    }
    for (const tool of touched) {
      scores[tool] = (scores[tool] ?? 0) + term.weight * (scratch[tool] ?? 0);
      hits[tool] = (hits[tool] ?? 0) + term.weight;
      scratch[tool] = 0;
    }
  }
  for (let tool = 0; tool < postings.tools; tool += 1) {
    const score = scores[tool] ?? 0;
    if (score === 0) continue;
    shares[tool] = score / asked;
    scores[tool] = score * (1 + (COMPLETENESS * (hits[tool] ?? 0)) / weight);
  }
  return { scores, shares, best: highest(scores) };
}

export interface Ranked {
  readonly tool: number;
  readonly score: number;
}

/** Chooses `limit` of the candidates, best first. Candidates come in the order that ties are settled in. */
export function chooseTools(
  candidates: readonly number[],
  meaning: MeaningScores,
  fullName: (tool: number) => string | undefined,
  limit: number,
): Ranked[] {
  const unsettled = meaning.clauses.map(() => 1);
  const names = new Set<string | undefined>();
  const rest = new Set(candidates);
  const chosen: Ranked[] = [];
  while (chosen.length < limit && rest.size > 0) {
    let next: Ranked | undefined;
    for (const tool of rest) {
      let score = names.has(fullName(tool)) ? REPEATED_NAME : 1;
      score *= meaning.clauses.reduce(
        (sum, clause, index) => sum + (clause.scores[tool] ?? 0) * (unsettled[index] ?? 0),
        0,
      );
      if (next === undefined || score > next.score) next = { tool, score };
    }
    if (next === undefined) break;
    rest.delete(next.tool);
    chosen.push(next);
    names.add(fullName(next.tool));
    // With one clause this would only make all scores smaller.
    for (const [index, clause] of meaning.clauses.length > 1 ? meaning.clauses.entries() : []) {
      const served = clause.best === 0 ? 0 : (clause.scores[next.tool] ?? 0) / clause.best;
      unsettled[index] = (unsettled[index] ?? 0) * (1 - SETTLED * served);
    }
  }
  return chosen;
}
