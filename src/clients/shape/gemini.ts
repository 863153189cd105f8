/** The shape of Gemini CLI, which Qwen Code has too. */
import type { ConfigShape, Fields, Refinement } from '../client.ts';
import { isFields } from './fields.ts';

export const GEMINI_SHAPE: ConfigShape = {
  serversAt: [['mcpServers']],
  bareUrl: 'sse',
  references: 'dollar',
  refine: switchOf,
};

/** `mcp.allowed` and `mcp.excluded` name servers; so did `allowMCPServers` and `excludeMCPServers` before them. */
function switchOf(root: Fields, name: string): Refinement | undefined {
  const mcp = isFields(root.mcp) ? root.mcp : {};
  const allowed = mcp.allowed ?? root.allowMCPServers;
  const excluded = mcp.excluded ?? root.excludeMCPServers;
  const isLeftOut = Array.isArray(allowed) && !allowed.includes(name);
  return isLeftOut || (Array.isArray(excluded) && excluded.includes(name)) ? { disabled: true } : undefined;
}
