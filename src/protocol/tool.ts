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

/** What a caller learns once per connection. */
export const INSTRUCTIONS =
  'run_code runs a program behind a wall and keeps its state per session. Print what you want to see; the value of the last expression is shown too. ' +
  'Python, JavaScript, TypeScript and Bash keep variables between calls and share /workspace. ' +
  'A run that takes long answers early: send empty code to the same session to wait for the rest, with timeout 0 to stop it.';
