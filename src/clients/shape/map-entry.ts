/**
 * One entry of a config file → a `ServerEntry`.
 *
 * One mapper for all clients: people carry entries from one to the other, and most clients take what the others write.
 * What the words of an entry cannot tell is in the client's `ConfigShape`.
 */
import type { ConfigShape, Fields, Refinement } from '../client.ts';
import type { ServerEntry, ServerInput } from '../entry.ts';
import { EntryError, textAt } from './fields.ts';
import { mapCommand, mapEnvironment, mapEnvironmentNames } from './map-command.ts';
import { mapHeaders, mapOAuth, mapRemote, namedTransport } from './map-remote.ts';
import { mapTimes } from './map-times.ts';
import { mapToolFilter } from './map-tools.ts';

/** What the file around an entry says. */
export interface EntryContext {
  readonly shape: ConfigShape;
  /** For entries that have none of their own. */
  readonly description: string | undefined;
  readonly inputs: readonly ServerInput[];
  readonly refinement: Refinement | undefined;
}

/** Throws an `EntryError` that says what is wrong. */
export function mapEntry(name: string, entry: Fields, context: EntryContext): ServerEntry {
  const { shape, inputs, refinement } = context;
  const description = textAt(entry, ['description']) ?? context.description;
  const toolFilter = mapToolFilter(entry, shape, refinement);
  const disabled = entry.disabled === true || entry.enabled === false || refinement?.disabled === true;
  return {
    name,
    ...mapTarget(entry, shape, disabled),
    ...(description === undefined ? {} : { description }),
    disabled,
    ...(toolFilter === undefined ? {} : { toolFilter }),
    ...mapTimes(entry, shape),
    inputs,
    ...(shape.isOwn ? { ...mapRoots(entry), ...mapCaps(entry) } : {}),
    share: shape.isOwn && entry.share === 'session' ? 'session' : 'all',
    trusted: shape.isOwn === true && entry.trusted === true,
  };
}

/** `rate` is calls a minute, `concurrency` calls at once. A cap that cannot be read is no reason to have none. */
function mapCaps(entry: Fields): Pick<ServerEntry, 'callsPerMinute' | 'callsAtOnce'> {
  const [callsPerMinute, callsAtOnce] = [countAt(entry, 'rate'), countAt(entry, 'concurrency')];
  return {
    ...(callsPerMinute === undefined ? {} : { callsPerMinute }),
    ...(callsAtOnce === undefined ? {} : { callsAtOnce }),
  };
}

function countAt(entry: Fields, key: string): number | undefined {
  const value = entry[key];
  if (value === undefined || (Number.isSafeInteger(value) && (value as number) > 0)) return value as number | undefined;
  throw new EntryError(`"${key}" must be a whole number of calls above zero`, [key]);
}

function mapRoots({ roots }: Fields): Pick<ServerEntry, 'roots'> {
  if (roots === undefined) return {};
  if (Array.isArray(roots) && roots.every((folder) => typeof folder === 'string')) return { roots };
  throw new EntryError('"roots" must be a list of folders', ['roots']);
}

type Target = Pick<
  ServerEntry,
  | 'transport'
  | 'isTransportGuessed'
  | 'command'
  | 'args'
  | 'env'
  | 'envNames'
  | 'envFile'
  | 'cwd'
  | 'url'
  | 'headers'
  | 'oauth'
>;

const NOTHING_TO_START: Target = {
  transport: 'stdio',
  isTransportGuessed: false,
  args: [],
  env: {},
  envNames: [],
  headers: {},
};

function mapTarget(entry: Fields, shape: ConfigShape, disabled: boolean): Target {
  const remote = mapRemote(entry, shape);
  const command = mapCommand(entry, shape);
  const named = namedTransport(entry);
  // With both, the named transport decides; without a name the command does, as in the clients that start things.
  const takesRemote = remote !== undefined && (command === undefined || (named !== undefined && named !== 'stdio'));
  if (takesRemote) {
    const oauth = mapOAuth(entry);
    return { ...NOTHING_TO_START, ...remote, headers: mapHeaders(entry), ...(oauth === undefined ? {} : { oauth }) };
  }
  if (command === undefined) {
    if (shape.isOwn && disabled) return NOTHING_TO_START;
    throw new EntryError('Neither a command nor a URL is given', []);
  }
  const cwd = textAt(entry, ['cwd', 'working_directory', 'workingDirectory']);
  const envFile = textAt(entry, ['envFile', 'env_file']);
  return {
    ...NOTHING_TO_START,
    ...command,
    env: mapEnvironment(entry),
    envNames: mapEnvironmentNames(entry),
    ...(envFile === undefined ? {} : { envFile }),
    ...(cwd === undefined ? {} : { cwd }),
  };
}
