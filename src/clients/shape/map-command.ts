/** What to start: the words of all clients for a command, its arguments and its environment. */
import type { ConfigShape, Fields } from '../client.ts';
import { EntryError, firstKey, isFields, textAt, textMapAt, textsAt } from './fields.ts';

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
}

const COMMAND_KEYS = ['command', 'cmd', 'executable'];

/** Undefined when the entry names no command. */
export function mapCommand(entry: Fields, shape: ConfigShape): Command | undefined {
  const key = firstKey(entry, COMMAND_KEYS);
  const value = key === undefined ? undefined : entry[key];
  const args = textsAt(entry, ['args', 'arguments']) ?? [];
  if (key === undefined || value === '') return undefined;
  if (Array.isArray(value)) return fromWords([...(textsAt(entry, [key]) ?? []), ...args], key);
  // Zed had the whole command in one object for a while.
  if (isFields(value)) {
    return fromWords([textAt(value, ['path', 'command']) ?? '', ...(textsAt(value, ['args']) ?? []), ...args], key);
  }
  const command = textAt(entry, [key]) as string;
  return shape.splitsCommand ? fromWords([...splitWords(command), ...args], key) : { command, args };
}

function fromWords([command = '', ...args]: readonly string[], key: string): Command {
  if (command === '') throw new EntryError(`"${key}" names no program`, [key]);
  return { command, args };
}

/** By spaces, with quotes; nothing else of a shell. */
export function splitWords(line: string): string[] {
  const words = line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, (_, double, single) => double ?? single));
}

export function mapEnvironment(entry: Fields): Record<string, string> {
  const inCommand = isFields(entry.command) ? textMapAt(entry.command, ['env']) : undefined;
  // Goose keeps the values of `env_keys` in a key ring of its own; the environment is where else they may be.
  const required = (textsAt(entry, ['env_keys']) ?? []).map((name) => [name, `\${env:${name}}`] as const);
  return { ...Object.fromEntries(required), ...inCommand, ...textMapAt(entry, ['env', 'environment', 'envs']) };
}

/** Codex: names, or names with where they come from; only the host's own can be had. */
export function mapEnvironmentNames(entry: Fields): string[] {
  const list = entry.env_vars;
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown) => {
    if (typeof item === 'string') return [item];
    return isFields(item) && typeof item.name === 'string' && item.source !== 'remote' ? [item.name] : [];
  });
}
