/**
 * How well and how fast the tool search finds what others asked for.
 *
 * The files are JSON Lines: tools `{id, server, name, description, input_schema}`, queries `{query, gold, gold_groups}`.
 * `gold` names a tool that is needed by its id; of a group in `gold_groups` any member will do.
 */
import { performance } from 'node:perf_hooks';
import { createToolIndex, type IndexedTool, parametersOf, type ToolIndex } from '#gateway/search/index';
import { type JsonLine, readJsonLines } from './json-lines.ts';

export interface BenchSearchFiles {
  readonly tools: string;
  readonly queries: string;
  /** More tools for the catalogue, which no query asks for. */
  readonly distractors?: string | undefined;
}

export interface BenchSearchReport {
  readonly 'recall@1': number;
  readonly 'recall@5': number;
  readonly 'recall@10': number;
  readonly 'ndcg@10': number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly tools: number;
  /** Those with gold; the others are left out. */
  readonly queries: number;
}

interface Judged {
  readonly query: string;
  readonly groups: ReadonlyArray<ReadonlySet<string>>;
}

type IdOf = (hit: { readonly server: string; readonly at: number }) => string;

interface Answer {
  readonly groups: Judged['groups'];
  /** Ids, best first. */
  readonly found: readonly string[];
  readonly ms: number;
}

const DEPTH = 10;
/** Searches before the clock counts, so that it measures a server that is up and not the compiler. */
const WARM_UP = 200;
/** Each query is timed this often and its middle time taken, so that a busy machine does not speak for the search. */
const ROUNDS = 3;

export async function benchSearch(files: BenchSearchFiles): Promise<BenchSearchReport> {
  const lines = await Promise.all([files.tools, files.distractors ?? []].flat().map(readJsonLines));
  const tools = lines.flat().map((line) => ({ tool: readTool(line), id: readId(line) }));
  const byServer = Map.groupBy(tools, ({ tool }) => tool.server);
  const idOf: IdOf = ({ server, at }) => byServer.get(server)?.[at]?.id ?? '';
  const judged = (await readJsonLines(files.queries)).map(readQuery).filter(({ groups }) => groups.length > 0);
  const index = createToolIndex(tools.map(({ tool }) => tool));
  warmUp(index, judged);
  const answers = judged.map((item) => ask(index, idOf, item));
  return report(answers, index.size);
}

/** A table for people. */
export function formatBenchSearch(result: BenchSearchReport): string {
  const rows = Object.entries(result).map(([name, value]) => [name, formatNumber(name, value)] as const);
  const wide = Math.max(...rows.map(([name]) => name.length));
  const long = Math.max(...rows.map(([, value]) => value.length));
  return rows.map(([name, value]) => `${name.padEnd(wide)}  ${value.padStart(long)}`).join('\n');
}

function formatNumber(name: string, value: number): string {
  if (name.endsWith('Ms')) return value.toFixed(2);
  return name.includes('@') ? value.toFixed(3) : String(value);
}

function warmUp(index: ToolIndex, judged: readonly Judged[]): void {
  const rounds = Math.ceil(WARM_UP / Math.max(1, judged.length));
  for (let round = 0; round < rounds; round += 1) {
    for (const { query } of judged.slice(0, WARM_UP)) index.search(query, { limit: DEPTH });
  }
}

function ask(index: ToolIndex, idOf: IdOf, { query, groups }: Judged): Answer {
  const { hits } = index.search(query, { limit: DEPTH });
  const times = Array.from({ length: ROUNDS }, () => {
    const start = performance.now();
    index.search(query, { limit: DEPTH });
    return performance.now() - start;
  });
  return { groups, found: hits.map(({ tool }) => idOf(tool)), ms: quantile(times.sort(ascending), 0.5) };
}

function report(answers: readonly Answer[], tools: number): BenchSearchReport {
  const times = answers.map(({ ms }) => ms).sort(ascending);
  return {
    'recall@1': mean(answers.map((answer) => recall(answer, 1))),
    'recall@5': mean(answers.map((answer) => recall(answer, 5))),
    'recall@10': mean(answers.map((answer) => recall(answer, 10))),
    'ndcg@10': mean(answers.map(ndcg)),
    p50Ms: quantile(times, 0.5),
    p95Ms: quantile(times, 0.95),
    tools,
    queries: answers.length,
  };
}

function recall({ groups, found }: Answer, depth: number): number {
  const top = found.slice(0, depth);
  return groups.filter((group) => top.some((id) => group.has(id))).length / groups.length;
}

/** A place gains when it is the first to serve some group. */
function ndcg({ groups, found }: Answer): number {
  const open = new Set(groups);
  let gain = 0;
  for (const [place, id] of found.slice(0, DEPTH).entries()) {
    const served = [...open].find((group) => group.has(id));
    if (served === undefined) continue;
    open.delete(served);
    gain += discount(place);
  }
  const ideal = groups.slice(0, DEPTH).reduce((sum, _, place) => sum + discount(place), 0);
  return gain / ideal;
}

function discount(place: number): number {
  return 1 / Math.log2(place + 2);
}

function mean(numbers: readonly number[]): number {
  return numbers.length === 0 ? 0 : round(numbers.reduce((sum, number) => sum + number, 0) / numbers.length);
}

function quantile(sorted: readonly number[], part: number): number {
  return round(sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? 0);
}

function ascending(a: number, b: number): number {
  return a - b;
}

function round(number: number): number {
  return Math.round(number * 10_000) / 10_000;
}

function readTool(line: JsonLine): IndexedTool {
  return {
    server: textOf(line.server),
    serverDescription: textOf(line.server_description),
    name: textOf(line.name),
    title: textOf(line.title),
    description: textOf(line.description),
    parameters: parametersOf(line.input_schema ?? line.inputSchema),
  };
}

function readId(line: JsonLine): string {
  return textOf(line.id) || `${textOf(line.server)}/${textOf(line.name)}`;
}

function readQuery(line: JsonLine): Judged {
  const groups = Array.isArray(line.gold_groups) ? line.gold_groups : textsOf(line.gold).map((id) => [id]);
  return {
    query: textOf(line.query),
    groups: groups.map((group) => new Set(textsOf(group))).filter(({ size }) => size > 0),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
