/** The shape of opencode, which Kilo Code has too: `mcp` by name in its first version, `mcp.servers` in its second. */
import type { ConfigShape, Fields, Refinement } from '../client.ts';
import { isFields } from './fields.ts';

export const OPENCODE_SHAPE: ConfigShape = {
  serversAt: [['mcp', 'servers'], ['mcp'], ['mcpServers']],
  references: 'braces',
  isNoServer: (entry) => !('command' in entry || 'url' in entry),
  refine: toolsOf,
};

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
