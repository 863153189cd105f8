/** A tool's input schema, which a stranger wrote, as the parameters that the search reads. */
import type { IndexedParameter } from './tool.ts';

/** Only the outermost names: those further down say little about what the tool is for. Empty without an object schema. */
export function parametersOf(inputSchema: unknown): IndexedParameter[] {
  if (!isRecord(inputSchema) || !isRecord(inputSchema.properties)) return [];
  return Object.entries(inputSchema.properties).map(([name, schema]) => ({ name, description: descriptionOf(schema) }));
}

function descriptionOf(schema: unknown): string | undefined {
  return isRecord(schema) && typeof schema.description === 'string' ? schema.description : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
