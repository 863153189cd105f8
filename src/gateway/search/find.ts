/** One search: the tools that the query names, step by step, then those that it is about. */
import { type NameProbe, readNameProbe } from './name-probe.ts';
import { fullName, NAME_STEP, type NameStep, nameStep } from './names.ts';
import { highest } from './numbers.ts';
import { readQuery } from './query.ts';
import { chooseTools, type MeaningScores, type Ranked, REPEATED_NAME, scoreMeaning } from './rank.ts';
import { type NearServer, nearestServers } from './servers.ts';
import type { Snapshot } from './snapshot.ts';
export interface SearchOptions {
  /** The most hits to return. */
  readonly limit: number;
  /** Only this server's tools. A name that no server has finds nothing. */
  readonly server?: string | undefined;
}

export interface FoundName {
  readonly server: string;
  readonly name: string;
  /** Its place among the tools that its server was given with. */
  readonly at: number;
}

export interface SearchHit {
  readonly tool: FoundName;
  /** Falls from hit to hit. From 1 upwards the query names the tool; below, it is what the tool is about. */
  readonly score: number;
}

export interface SearchResult {
  readonly hits: readonly SearchHit[];
  /** True when no hit explains much of the query. */
  readonly unsure: boolean;
  /** Where to look instead, nearest first; empty unless `unsure`. */
  readonly nearestServers: readonly NearServer[];
}

/** How many of the best tools are weighed against each other when a query has several clauses. */
const CANDIDATES_MIN = 60;
/** Below this part of what was asked for, the best hit is a guess. */
const SURE_SHARE = 0.3;
/** The score of meaning that reads as one half. */
const HALF_SCORE = 10;

export function findTools(snapshot: Snapshot, text: string, options: SearchOptions): SearchResult {
  const range = rangeOf(snapshot, options.server);
  const query = readQuery(text);
  const meaning = scoreMeaning(query, snapshot);
  const named = findNamed(snapshot, range, readNameProbe(text, query, meaning.corrections), meaning);
  const taken = new Set(named.map(({ tool }) => tool));
  const others = findMeant(snapshot, range, taken, meaning, options.limit - named.length);
  const unsure = named.length === 0 && shareOfBest(others, meaning) < SURE_SHARE;
  return {
    hits: [...named.slice(0, options.limit), ...others].flatMap((ranked) => hitOf(snapshot, ranked)),
    unsure,
    nearestServers: unsure ? nearestServers(query.telling, snapshot, meaning.totals) : [],
  };
}

interface Range {
  readonly start: number;
  readonly end: number;
}

function rangeOf({ tools, servers }: Snapshot, wanted: string | undefined): Range {
  if (wanted === undefined) return { start: 0, end: tools.length };
  const lower = wanted.toLowerCase();
  const found =
    servers.find(({ server }) => server === wanted) ?? servers.find(({ server }) => server.toLowerCase() === lower);
  return found ?? { start: 0, end: 0 };
}

function findNamed(snapshot: Snapshot, range: Range, probe: NameProbe, meaning: MeaningScores): Ranked[] {
  const found: Array<{ tool: number; step: NameStep; total: number; name: string }> = [];
  const candidates = snapshot.nameTable().candidates(probe);
  for (let tool = range.start; tool < range.end; tool += 1) {
    const name = snapshot.tools[tool];
    if (name === undefined || candidates?.has(tool) === false) continue;
    const step = nameStep(name, probe);
    if (step !== NAME_STEP.none) found.push({ tool, step, total: meaning.totals[tool] ?? 0, name: fullName(name) });
  }
  found.sort((a, b) => b.step - a.step || b.total - a.total || a.tool - b.tool);
  const names = new Set<string>();
  const ranked = found.map(({ tool, step, total, name }) => {
    const score = step + asShare(names.has(name) ? total * REPEATED_NAME : total);
    names.add(name);
    return { tool, score };
  });
  return ranked.sort((a, b) => b.score - a.score || a.tool - b.tool);
}

function findMeant(
  { tools }: Snapshot,
  range: Range,
  taken: ReadonlySet<number>,
  meaning: MeaningScores,
  limit: number,
): Ranked[] {
  if (limit <= 0) return [];
  const candidates = bestTools(meaning.totals, range, taken, Math.max(limit, CANDIDATES_MIN)).sort((a, b) => a - b);
  const nameOf = (tool: number) => (tools[tool] === undefined ? undefined : fullName(tools[tool]));
  const chosen = chooseTools(candidates, meaning, nameOf, limit);
  return chosen.map(({ tool, score }) => ({ tool, score: asShare(score) }));
}

/** The tools with the highest totals above 0, in one walk; of equals, the first. */
function bestTools(totals: Float32Array, { start, end }: Range, taken: ReadonlySet<number>, count: number): number[] {
  const best: number[] = [];
  let least = 0;
  for (let tool = start; tool < end; tool += 1) {
    const total = totals[tool] ?? 0;
    if (total <= least || taken.has(tool)) continue;
    const place = best.findLastIndex((other) => (totals[other] ?? 0) >= total) + 1;
    best.splice(place, 0, tool);
    if (best.length > count) best.pop();
    if (best.length === count) least = totals[best[count - 1] ?? tool] ?? 0;
  }
  return best;
}

/** How much of what a clause asks for the best hit has, in the clause that it serves best. */
function shareOfBest(ranked: readonly Ranked[], { clauses }: MeaningScores): number {
  const best = ranked[0];
  return best === undefined ? 0 : highest(clauses.map(({ shares }) => shares[best.tool] ?? 0));
}

/** From 0 to 1, in the same order. */
function asShare(score: number): number {
  return score / (score + HALF_SCORE);
}

function hitOf({ tools }: Snapshot, { tool, score }: Ranked): SearchHit[] {
  const found = tools[tool];
  return found === undefined ? [] : [{ tool: { server: found.server, name: found.name, at: found.at }, score }];
}
