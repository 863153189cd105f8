/** Which tools a client shows of a server, in all their spellings. */
import type { ConfigShape, Fields, Refinement } from '../client.ts';
import type { ToolFilter } from '../entry.ts';
import { isFields, textsAt } from './fields.ts';

const INCLUDE_KEYS = [
  'includeTools',
  'enabledTools',
  'enabled_tools',
  'allowedTools',
  'allowed_tools',
  'available_tools',
];
const EXCLUDE_KEYS = ['excludeTools', 'disabledTools', 'disabled_tools', 'blockedTools', 'blocked_tools'];

export function mapToolFilter(
  entry: Fields,
  shape: ConfigShape,
  refinement: Refinement | undefined,
): ToolFilter | undefined {
  const listed =
    textsAt(entry, INCLUDE_KEYS) ?? (shape.hasToolsList ? toolsList(entry.tools) : ownFilter(entry, 'include'));
  const include = (listed?.length === 0 && shape.emptyMeansAll) || listed?.includes('*') ? undefined : listed;
  const exclude = textsAt(entry, EXCLUDE_KEYS) ?? ownFilter(entry, 'exclude');
  return filterOf(refinement?.include ?? include, [...(exclude ?? []), ...(refinement?.exclude ?? [])]);
}

function filterOf(include: readonly string[] | undefined, exclude: readonly string[]): ToolFilter | undefined {
  if (include === undefined && exclude.length === 0) return undefined;
  return { ...(include === undefined ? {} : { include }), ...(exclude.length === 0 ? {} : { exclude }) };
}

/** Copilot CLI writes a list, or what its command line had: names with commas between them. */
function toolsList(value: unknown): string[] | undefined {
  if (typeof value === 'string')
    return value
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '');
  return textsAt({ tools: value }, ['tools']);
}

/** `"tools": {"include": […], "exclude": […]}`. */
function ownFilter(entry: Fields, key: 'include' | 'exclude'): string[] | undefined {
  const tools = entry.tools;
  return isFields(tools) && Array.isArray(tools[key]) ? textsAt(tools, [key]) : undefined;
}
