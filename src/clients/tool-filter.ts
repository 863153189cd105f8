import type { ToolFilter } from './entry.ts';

/** Whether a client's own filter lets a tool through. */
export function allowsTool(filter: ToolFilter | undefined, tool: string): boolean {
  if (filter?.exclude?.some((pattern) => matches(pattern, tool))) return false;
  return filter?.include === undefined || filter.include.some((pattern) => matches(pattern, tool));
}

function matches(pattern: string, tool: string): boolean {
  if (!pattern.includes('*')) return pattern === tool;
  const [first = '', ...rest] = pattern.split('*');
  if (!tool.startsWith(first)) return false;
  const last = rest.pop() as string;
  // Found by searching forward, never by a regular expression: a pattern comes from a file and must not cost more.
  let at = first.length;
  for (const part of rest) {
    const found = tool.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return tool.length - at >= last.length && tool.endsWith(last);
}
