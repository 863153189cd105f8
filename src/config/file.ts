/** The config file: read, checked against its schema, and every complaint with the place where it is. */
import { readFile } from 'node:fs/promises';
import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import { z } from 'zod';
import { AppError, errnoOf, messageOf } from '#contracts/errors';
import { OPTIONS } from './options.ts';

const limitNames = OPTIONS.filter((option) => option.limit !== undefined).map((option) => option.flag);
const limitValue = z.union([z.string(), z.number()]);

const policyRule = z.strictObject({
  tools: z.string().optional(),
  when: z.enum(['read-only', 'destructive', 'open-world']).optional(),
  session: z.string().optional(),
  do: z.enum(['allow', 'deny', 'ask']),
});

const configSchema = z.strictObject({
  mcpServers: z.record(z.string(), z.unknown()).optional(),
  policy: z.array(policyRule).optional(),
  limits: z.partialRecord(z.enum(limitNames as [string, ...string[]]), limitValue).optional(),
  mounts: z.array(z.string()).optional(),
  network: z.array(z.string()).optional(),
  secrets: z.unknown().optional(),
  runtimes: z.record(z.string(), z.string()).optional(),
});

export type ConfigFile = z.infer<typeof configSchema>;

/** An empty config when the file does not exist and was not asked for by name. */
export async function readConfigFile(path: string, options: { required: boolean }): Promise<ConfigFile> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT' && !options.required) return {};
    throw new AppError(
      'INVALID_CONFIG',
      `Cannot read the config file "${path}": ${errnoOf(cause) ?? messageOf(cause)}`,
      { cause },
    );
  }
  return parseConfig(text, path);
}

function parseConfig(text: string, path: string): ConfigFile {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (cause) {
    throw new AppError('INVALID_CONFIG', `The config file "${path}" is not JSON: ${placeOf(messageOf(cause), text)}`, {
      cause,
    });
  }
  const result = configSchema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const place = issue === undefined ? '' : placeIn(text, issue.path);
  throw new AppError('INVALID_CONFIG', `The config file "${path}"${place} has a wrong value: ${describeIssue(issue)}`, {
    hint: `Known keys: ${Object.keys(configSchema.shape).join(', ')}; known limits: ${limitNames.join(', ')}`,
  });
}

function describeIssue(issue: z.core.$ZodIssue | undefined): string {
  return issue === undefined
    ? 'unknown'
    : `${issue.path.length > 0 ? `${issue.path.join('.')}: ` : ''}${issue.message}`;
}

/** Where the value stands that is wrong, or the nearest around it: what is missing stands nowhere. */
function placeIn(text: string, keys: readonly PropertyKey[]): string {
  const tree = parseTree(text);
  for (let depth = keys.length; tree && depth >= 0; depth -= 1) {
    const node = findNodeAtLocation(tree, keys.slice(0, depth) as (string | number)[]);
    if (!node) continue;
    const before = text.slice(0, node.offset).split('\n');
    return `, line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1},`;
  }
  return '';
}

/** Node says "at position 17"; people look for lines. */
function placeOf(message: string, text: string): string {
  const position = /position (\d+)/.exec(message)?.[1];
  if (position === undefined) return message;
  const before = text.slice(0, Number(position)).split('\n');
  return `${message.replace(/ in JSON.*$/, '')} (line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1})`;
}
