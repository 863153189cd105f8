/** A config file's text → the servers that it describes. Pure: what is wrong comes back as problems beside what is right. */
import type { ConfigShape, Fields, KeyPath, ProjectPlace, Section } from './client.ts';
import type { ServerEntry } from './entry.ts';
import { parseText } from './format/parse-text.ts';
import { type ParsedText, TextError, type TextProblem } from './format/parsed-text.ts';
import { EntryError, isFields } from './shape/fields.ts';
import { type EntryContext, mapEntry } from './shape/map-entry.ts';
import { mapInputs } from './shape/map-inputs.ts';

const NAME_CHARS_MAX = 200;

export interface ReadServers {
  readonly servers: readonly ReadServer[];
  readonly problems: readonly TextProblem[];
}

export interface ReadServer {
  readonly entry: ServerEntry;
  readonly scope: Section['scope'];
}

export interface ReadOptions {
  /** Its ending tells the format; the rest names the server of a file that is one. */
  readonly fileName: string;
  readonly shape: ConfigShape;
  readonly project?: ProjectPlace | undefined;
}

export async function readServers(text: string, options: ReadOptions): Promise<ReadServers> {
  try {
    const parsed = await parseText(text.replace(/^\uFEFF/, ''), options.fileName);
    const { servers, problems } = readParsed(parsed, options);
    return { servers, problems: [...parsed.problems, ...problems] };
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    return { servers: [], problems: [{ message: error.message, ...error.place }] };
  }
}

/** The same for a value that was parsed elsewhere. */
export function readServersOf(value: unknown, options: ReadOptions): ReadServers {
  return readParsed({ value, problems: [], locate: () => undefined }, options);
}

/** What is known while one file is read. */
interface Reading {
  readonly root: Fields;
  readonly shape: ConfigShape;
  readonly locate: ParsedText['locate'];
}

type Found = ReadServer | TextProblem;

function readParsed({ value: root, locate }: ParsedText, options: ReadOptions): ReadServers {
  const { shape } = options;
  if (root === undefined) return { servers: [], problems: [] };
  if (!isFields(root)) throw new TextError('Must be a map with keys at the top', locate([]));

  const reading: Reading = { root, shape, locate };
  const sections: readonly Section[] = [
    ...(shape.sections?.(root, options.project) ?? []),
    ...shape.serversAt.map((at): Section => ({ at, scope: 'user' })),
  ].filter(({ at }) => valueAt(root, at) !== undefined);
  const found =
    sections.length === 0 && shape.isLoose
      ? readRoot(reading, options.fileName)
      : sections.flatMap((section) => readSection(valueAt(root, section.at), section, reading));
  return {
    servers: found.filter((item): item is ReadServer => 'entry' in item),
    problems: found.filter((item): item is TextProblem => 'message' in item),
  };
}

/** The whole file is a map of servers, or one server. */
function readRoot(reading: Reading, fileName: string): Found[] {
  const { root, shape, locate } = reading;
  const section: Section = { at: [], scope: 'user' };
  if (looksLikeServer(root)) return readOne(nameFrom(fileName), root, [], section, reading);
  const servers = Object.entries(root).filter(([, value]) => looksLikeServer(value));
  if (servers.length > 0) return readSection(Object.fromEntries(servers), section, reading);
  return [
    { message: `No servers are in it; they are expected under "${shape.serversAt[0]?.join('.')}"`, ...locate([]) },
  ];
}

function looksLikeServer(value: unknown): value is Fields {
  return isFields(value) && ['command', 'url', 'httpUrl', 'serverUrl'].some((key) => typeof value[key] === 'string');
}

/** `/home/me/MCPs/github.json` → `github`. */
function nameFrom(fileName: string): string {
  return fileName.replace(/^.*[\\/]/, '').replace(/\.[^.]*$/, '');
}

function readSection(servers: unknown, section: Section, reading: Reading): Found[] {
  const { at } = section;
  if (servers === null) return [];
  if (Array.isArray(servers)) return servers.flatMap((entry, index) => readItem(entry, index, section, reading));
  if (isFields(servers)) {
    return Object.entries(servers).flatMap(([name, entry]) => readOne(name, entry, [...at, name], section, reading));
  }
  return [{ message: `"${at.join('.')}" must be a map of servers by name`, ...reading.locate(at) }];
}

function readItem(entry: unknown, index: number, section: Section, reading: Reading): Found[] {
  const keys = [...section.at, index];
  const name = isFields(entry) ? entry.name : undefined;
  if (typeof name === 'string') return readOne(name, entry, keys, section, reading);
  return [{ message: `Item ${index + 1} of "${section.at.join('.')}" has no name`, ...reading.locate(keys) }];
}

function readOne(
  name: string,
  entry: unknown,
  keys: readonly (string | number)[],
  section: Section,
  reading: Reading,
): Found[] {
  try {
    if (name === '' || name.length > NAME_CHARS_MAX) {
      throw new EntryError(`A name must have 1 to ${NAME_CHARS_MAX} characters`, []);
    }
    if (reading.shape.isNoServer?.(entry)) return [];
    if (!isFields(entry)) throw new EntryError('Must be a map with keys', []);
    return [{ entry: mapEntry(name, entry, contextOf(name, section, reading)), scope: section.scope }];
  } catch (error) {
    if (!(error instanceof EntryError)) throw error;
    const message = `Server "${name.slice(0, NAME_CHARS_MAX)}": ${error.message}`;
    return [{ message, ...reading.locate([...keys, ...error.keys]) }];
  }
}

function contextOf(name: string, section: Section, { root, shape }: Reading): EntryContext {
  const refinement = shape.refine?.(root, name);
  const description = shape.isLoose ? root.description : undefined;
  return {
    shape,
    description: typeof description === 'string' && description !== '' ? description : undefined,
    inputs: mapInputs(root),
    refinement: section.isOff?.(name) ? { ...refinement, disabled: true } : refinement,
  };
}

function valueAt(root: Fields, at: KeyPath): unknown {
  let value: unknown = root;
  for (const key of at) {
    if (!isFields(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}
