/** The definition of the one tool. Every caller pays for these words in every conversation; a test counts them. */
export const RUN_CODE_TOOL = {
  name: 'run_code',
  description:
    'Run code in a sandbox: Python, TypeScript, Bash, … Variables and /workspace persist per session. No network. `mcp` reaches other MCP servers; `mcp.help()` explains.',
  inputSchema: {
    type: 'object',
    properties: {
      code: { type: 'string', description: 'Empty: await the running run' },
      language: { type: 'string' },
      session: { type: 'string', description: 'Name one to keep state' },
      timeout: { type: 'number', description: 'seconds' },
      args: { type: 'array', items: { type: 'string' } },
      stdin: { type: 'string' },
      files: { type: 'object', description: 'path: text or data URL' },
    },
    required: ['code'],
  },
} as const;

const INSTRUCTIONS =
  'run_code runs a program behind a wall and keeps its state per session. Print what you want to see; the value of the last expression is shown too. ' +
  'Python, JavaScript, TypeScript and Bash keep variables between calls and share /workspace. ' +
  'A run that takes long answers early: send empty code to the same session to wait for the rest, with timeout 0 to stop it.';

/** Room for names, so that all is said in 250 tokens and 2,047 characters. */
const NAMES_TOKENS_MAX = 128;
const NAMES_CHARS_MAX = 1_000;
const NAME_CHARS_MAX = 40;

/** What a caller learns once per connection. Only another configuration changes a byte of it. */
export function instructionsFor(serverNames: readonly string[]): string {
  if (serverNames.length === 0) return INSTRUCTIONS;
  const shown: string[] = [];
  const room = { tokens: NAMES_TOKENS_MAX, chars: NAMES_CHARS_MAX };
  for (const name of serverNames.map(plainName)) {
    room.tokens -= tokensAtMost(name) + (/^[a-z]/i.test(name) ? 1 : 2);
    room.chars -= name.length + 2;
    if (room.tokens < 0 || room.chars < 0) break;
    shown.push(name);
  }
  const more = serverNames.length - shown.length;
  return (
    `${INSTRUCTIONS} In code, mcp.SERVER.TOOL(…) calls the user's other MCP servers and mcp.search("…") prints signatures of tools that fit. ` +
    `Servers: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`
  );
}

/** About the most that a tokenizer makes of a name. Words that can be spoken are cheap, all else is not. */
function tokensAtMost(name: string): number {
  const pieces = name.match(/[a-z]+|[A-Z]+|\d{1,3}|[\x21-\x7e]|[^\x20-\x7e]/g) ?? [];
  return pieces.reduce((sum, piece) => sum + pieceTokens(piece), 0);
}

function pieceTokens(piece: string): number {
  if (!/^[a-z]/i.test(piece)) return /^\d/.test(piece) ? 1 : Buffer.byteLength(piece);
  const vowels = piece.match(/[aeiouy]/gi)?.length ?? 0;
  return Math.ceil(piece.length / (vowels * 4 >= piece.length ? 3 : 1.5));
}

/** On one line and not too long, whatever a file says. */
function plainName(name: string): string {
  const line = name.replaceAll(/[\p{C}\s]+/gu, ' ').trim();
  return line.length > NAME_CHARS_MAX ? `${line.slice(0, NAME_CHARS_MAX - 1)}…` : line;
}
