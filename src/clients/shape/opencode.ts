/** The shape of opencode, which Kilo Code has too: `mcp` by name in its first version, `mcp.servers` in its second. */
import type { ConfigShape, Fields, Refinement } from '../client.ts';
import { isFields } from './fields.ts';

export const OPENCODE_SHAPE: ConfigShape = {
  serversAt: [['mcp', 'servers'], ['mcp'], ['mcpServers']],
  references: 'braces',
  isNoServer: isSwitchOrTime,
  refine: toolsOf,
};

/** `{"enabled": false}` for a server of another file, and the times for all servers that stand among them. */
function isSwitchOrTime(entry: unknown): boolean {
  return isFields(entry) ? !('type' in entry || 'command' in entry || 'url' in entry) : typeof entry === 'number';
}

/**
 * `tools` beside `mcp` switches tools by `SERVER_TOOL`, and `SERVER_*` all of them. Those switched on only mean
 * something where all were switched off.
 */
function toolsOf(root: Fields, name: string): Refinement | undefined {
  const switches = isFields(root.tools) ? Object.entries(root.tools) : [];
  const own = switches.filter(([key]) => key.startsWith(`${name}_`));
  const named = (state: boolean) =>
    own.filter(([, value]) => value === state).map(([key]) => key.slice(name.length + 1));
  const off = named(false);
  const on = named(true);
  if (!off.includes('*')) return off.length === 0 ? undefined : { exclude: off };
  return { include: on, exclude: off.filter((tool) => tool !== '*') };
}
