/**
 * One tool as terms with weights, the part of BM25F that does not depend on the other tools.
 *
 * The lengths that fields are measured against are fixed typical ones, not averages of the catalogue: so a tool's weights
 * stay as they are when another server changes.
 */
import { caseCompounds, joinNeighbours, words } from './tokenize.ts';
import type { IndexedTool } from './tool.ts';
import type { Vocabulary } from './vocabulary.ts';

interface Field {
  /** What a hit in this field counts. */
  readonly weight: number;
  /** Words that such a field usually has. */
  readonly length: number;
  /** How far a longer field makes a hit count less: 0 not at all, 1 in proportion. */
  readonly damping: number;
}

const SERVER: Field = { weight: 1.2, length: 2, damping: 0.3 };
const ABOUT_SERVER: Field = { weight: 0.25, length: 15, damping: 0.5 };
const NAME: Field = { weight: 2.5, length: 3, damping: 0.5 };
const DESCRIPTION: Field = { weight: 1, length: 18, damping: 0.5 };
const PARAMETER_NAMES: Field = { weight: 0.4, length: 5, damping: 0.6 };
const PARAMETER_TEXTS: Field = { weight: 0.4, length: 25, damping: 0.6 };

/** What is read of a text. The first part of a description says what a tool is; the rest is manual. */
const NAME_CHARS_MAX = 256;
const TEXT_CHARS_MAX = 4_000;
const ABOUT_CHARS_MAX = 400;
const PARAMETERS_MAX = 64;
const PARAMETER_CHARS_MAX = 300;

/** Every MCP server's description has these. */
const ABOUT_NOISE = new Set([
  'model',
  'context',
  'protocol',
  'mcp',
  'server',
  'servers',
  'claude',
  'ai',
  'llm',
  'llms',
]);

/** Term → weight. */
export function analyzeTool(tool: IndexedTool, serverDescription: string, vocabulary: Vocabulary): Map<number, number> {
  const found = new Map<number, number>();
  const put = (field: Field, list: readonly string[], compounds: readonly string[] = []): void => {
    const hit = field.weight / (1 - field.damping + (field.damping * list.length) / field.length);
    for (const word of list) addWeight(found, vocabulary.add(word), hit);
    for (const word of compounds) addWeight(found, vocabulary.add(word), hit);
  };
  const name = nameWords(tool.name);
  const server = nameWords(tool.server);
  const text = cut(`${tool.title ?? ''}\n${tool.description ?? ''}`, TEXT_CHARS_MAX);
  const parameters = (tool.parameters ?? []).slice(0, PARAMETERS_MAX);

  put(SERVER, server, nameCompounds(server));
  put(NAME, name, nameCompounds(name));
  put(
    ABOUT_SERVER,
    words(cut(serverDescription, ABOUT_CHARS_MAX)).filter((word) => !ABOUT_NOISE.has(word)),
  );
  put(DESCRIPTION, words(text), caseCompounds(text));
  put(
    PARAMETER_NAMES,
    parameters.flatMap((parameter) => nameWords(parameter.name)),
  );
  put(
    PARAMETER_TEXTS,
    parameters.flatMap(({ description = '' }) => words(cut(description, PARAMETER_CHARS_MAX))),
  );
  return found;
}

/** The words of a server's, tool's or parameter's name. */
export function nameWords(name: string): string[] {
  return words(cut(name, NAME_CHARS_MAX));
}

/** Neighbours as one word, and the whole name as one word. */
function nameCompounds(name: readonly string[]): string[] {
  return name.length > 2 ? [...joinNeighbours(name), name.join('')] : joinNeighbours(name);
}

function addWeight(sums: Map<number, number>, key: number, amount: number): void {
  sums.set(key, (sums.get(key) ?? 0) + amount);
}

function cut(text: string, charsMax: number): string {
  return text.length > charsMax ? text.slice(0, charsMax) : text;
}
