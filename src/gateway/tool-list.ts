/** What an upstream says about its tools, which a stranger wrote, as far as it can be used. */

import { BOUNDS } from '#contracts/limits';
import type { JsonSchema, ToolAnnotations, ToolInfo } from '#contracts/tool';
import { isFields } from './values.ts';

/** A tool as its own server lists it. */
export type ListedTool = Omit<ToolInfo, 'server'>;

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** One odd tool costs only itself; of two with one name the first counts. */
export function readTools(values: readonly unknown[]): ListedTool[] {
  const tools = new Map<string, ListedTool>();
  for (const value of values) {
    const tool = readTool(value);
    if (tool !== undefined && !tools.has(tool.name)) tools.set(tool.name, tool);
  }
  return [...tools.values()];
}

function readTool(value: unknown): ListedTool | undefined {
  if (!isFields(value) || typeof value.name !== 'string') return undefined;
  const { name } = value;
  if (name === '' || name.length > BOUNDS.toolNameCharsMax) return undefined;
  const title = textOf(value.title) ?? (isFields(value.annotations) ? textOf(value.annotations.title) : undefined);
  const description = textOf(value.description);
  const outputSchema = schemaOf(value.outputSchema);
  const annotations = annotationsOf(value.annotations);
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema: schemaOf(value.inputSchema) ?? { type: 'object' },
    ...(outputSchema !== undefined && { outputSchema }),
    ...(annotations !== undefined && { annotations }),
  };
}

/** Control characters but line feeds and tabs, and the signs that turn the direction of writing: they steer terminals and hide words. */
const UNSEEN = /(?![\n\t])[\p{Cc}\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/gu;

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== ''
    ? value.slice(0, BOUNDS.toolTextCharsMax).replace(UNSEEN, '')
    : undefined;
}

function schemaOf(value: unknown): JsonSchema | undefined {
  if (!isFields(value)) return undefined;
  try {
    return JSON.stringify(value).length <= BOUNDS.toolSchemaCharsMax ? value : undefined;
  } catch {
    return undefined; // nested deeper than anybody can read
  }
}

function annotationsOf(value: unknown): ToolAnnotations | undefined {
  if (!isFields(value)) return undefined;
  const said = HINTS.flatMap((hint) => (typeof value[hint] === 'boolean' ? [[hint, value[hint]] as const] : []));
  return said.length === 0 ? undefined : Object.fromEntries(said);
}
