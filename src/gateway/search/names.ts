/**
 * Names first: how well a query names a tool, in steps that no amount of meaning can climb.
 *
 * People and models search for what they half remember (`create_iss`, `github issue`, `mcp__github__create_issue`); such
 * a query must give that tool before any that is merely about the same.
 */
import { nameWords } from './document.ts';
import type { NameProbe, ProbeWord } from './name-probe.ts';
import { stem } from './stem.ts';
import type { IndexedTool } from './tool.ts';

/** From the surest to none; a higher step is never outranked by a lower one. */
export const NAME_STEP = {
  /** The very name, or server and name with a usual sign between. */
  exact: 6,
  /** The same words in the same order, whatever the case and signs; or an identifier in the query with those words. */
  same: 5,
  /** The name, or server and name, starts with the query. */
  prefix: 4,
  /** Every telling word is a word of server or name. */
  words: 3,
  /** Every telling word starts a word of server or name, or is a part of it. */
  parts: 2,
  /** The same after typos were corrected. */
  corrected: 1,
  none: 0,
} as const;

export type NameStep = (typeof NAME_STEP)[keyof typeof NAME_STEP];

/** A tool's name, ready to be compared. */
export interface ToolName {
  readonly name: string;
  readonly server: string;
  /** The words of the name, and of server and name, run together. */
  readonly compact: string;
  readonly qualified: string;
  /** ` server words name words `, and the same as stems. */
  readonly spelled: string;
  readonly stems: string;
}

const SIGNS = ['.', ' ', '__', '/', ':'] as const;

export function readToolName(tool: IndexedTool): ToolName {
  const name = nameWords(tool.name);
  const all = [...nameWords(tool.server), ...name];
  return {
    name: tool.name,
    server: tool.server,
    compact: name.join(''),
    qualified: all.join(''),
    spelled: ` ${all.join(' ')} `,
    stems: ` ${all.map(stem).join(' ')} `,
  };
}

/** Whole names to the numbers of the tools that have them, for queries too long to be compared with each tool. */
export class NameTable {
  /** A number alone where there is but one, which is nearly always. */
  readonly #tools = new Map<string, number | number[]>();

  constructor(names: Iterable<ToolName>) {
    let tool = 0;
    for (const { name, compact, qualified } of names) {
      for (const key of new Set([name, compact, qualified])) this.#put(key, tool);
      tool += 1;
    }
  }

  /** Tools that a sentence may name; undefined for a short query, which may name any. */
  candidates(probe: NameProbe): ReadonlySet<number> | undefined {
    if (probe.starts.length > 0) return undefined;
    return new Set([probe.raw, ...probe.names].flatMap((key) => this.#tools.get(key) ?? []));
  }

  #put(key: string, tool: number): void {
    const known = this.#tools.get(key);
    if (known === undefined) this.#tools.set(key, tool);
    else if (typeof known === 'number') this.#tools.set(key, [known, tool]);
    else known.push(tool);
  }
}

/** Server and name, told apart. */
export function fullName({ server, name }: ToolName): string {
  return `${server}\n${name}`;
}

export function nameStep(tool: ToolName, probe: NameProbe): NameStep {
  if (isExact(tool, probe.raw)) return NAME_STEP.exact;
  if (probe.names.has(tool.compact) || probe.names.has(tool.qualified)) return NAME_STEP.same;
  if (probe.starts.some((start) => tool.compact.startsWith(start) || tool.qualified.startsWith(start))) {
    return NAME_STEP.prefix;
  }
  if (probe.telling.length === 0) return NAME_STEP.none;
  if (probe.telling.every((word) => tool.stems.includes(word.stem))) return NAME_STEP.words;
  if (probe.telling.every((word) => hasPart(tool, word))) return NAME_STEP.parts;
  const isLikely = probe.corrected?.every((spellings) => spellings.some((word) => hasPart(tool, word)));
  return isLikely === true ? NAME_STEP.corrected : NAME_STEP.none;
}

function isExact({ name, server }: ToolName, raw: string): boolean {
  if (raw === '') return false;
  if (raw === name || raw === name.trim()) return true;
  if (!raw.endsWith(name)) return false;
  const before = raw.slice(0, raw.length - name.length);
  return SIGNS.some((sign) => before === `${server}${sign}` || before === `mcp__${server}${sign}`);
}

function hasPart({ spelled, qualified }: ToolName, { part, start, stemStart }: ProbeWord): boolean {
  // A part is found wherever a start is.
  const hasWord = part === '' ? spelled.includes(start) : qualified.includes(part);
  return hasWord || (stemStart !== '' && spelled.includes(stemStart));
}
