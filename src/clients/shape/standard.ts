/** Shapes that are nobody's alone. */
import type { ConfigShape } from '../client.ts';

/** What Claude Desktop began and most others took over. */
export const STANDARD: ConfigShape = { serversAt: [['mcpServers']] };

/** A file that any client may have left, as in `~/MCPs`. */
export const LOOSE: ConfigShape = {
  serversAt: [['mcpServers'], ['servers'], ['mcp', 'servers'], ['mcp_servers'], ['context_servers'], ['extensions']],
  isLoose: true,
};

/** Our own config file. */
export const OWN: ConfigShape = { serversAt: [['mcpServers']], isOwn: true };
