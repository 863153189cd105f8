/** `--help`, written for somebody who sees Sallyport for the first time. */
import { OPTIONS } from '#config/options';
import { paint, table } from './print.ts';

export const COMMANDS = [
  'serve',
  'run',
  'doctor',
  'languages',
  'detect',
  'sessions',
  'servers',
  'tools',
  'search',
  'call',
  'trust',
  'approvals',
  'audit',
  'auth',
  'savings',
  'bench',
] as const;
export type CommandName = (typeof COMMANDS)[number];

const SUMMARY: Readonly<Record<CommandName, string>> = {
  serve: 'MCP server on stdin and stdout, for your agent',
  run: 'run one program behind the wall',
  doctor: 'what works on this machine, and how to fix the rest',
  languages: 'what can be run here',
  detect: 'which language a file is in, and why',
  sessions: 'list sessions; sessions reset|close NAME',
  servers: 'the MCP servers that programs can reach, and where they were found',
  tools: 'the tools of one server, as signatures',
  search: 'find tools by what they do',
  call: 'call one tool',
  trust: 'let the config files of a project count; list or revoke that',
  approvals: 'what programs wait for you to allow; approvals approve|deny ID',
  audit: 'what ran and what was called, when, by whom',
  auth: 'log in at a server that wants it; list or end logins',
  savings: 'tokens that programs saved your agent, and what they cost it',
  bench: 'measure: bench run | hatch | languages | load | search | detect',
};

const EXAMPLES: Readonly<Record<CommandName, readonly (readonly [string, string])[]>> = {
  serve: [['claude mcp add sallyport -- sallyport serve', 'give Claude Code the one tool']],
  run: [
    ["sallyport run -e 'print(6*7)'", 'the language is found out'],
    ['sallyport run script.ts -- --verbose a.csv', 'a file, with arguments'],
    ["echo 'ls -la' | sallyport run -l bash -", 'code from standard input'],
    ["sallyport run --session work -e 'x = 1'", 'files of a named session stay'],
    ['sallyport run --mount ./data -e \'import os; print(os.listdir("data"))\'', 'show it a folder, read-only'],
  ],
  doctor: [['sallyport doctor --json', 'for programs']],
  languages: [['sallyport languages --json', 'for programs']],
  detect: [['sallyport detect snippet.txt other.txt', '- reads standard input']],
  sessions: [['sallyport sessions close work', 'end a session; its files stay']],
  servers: [['sallyport servers --json', 'for programs']],
  tools: [['sallyport tools github', 'starts the server if its tools are not known yet']],
  search: [['sallyport search "create an issue" --limit 3', 'as programs find them']],
  call: [['sallyport call github create_issue \'{"title": "…"}\'', '--json prints the whole result']],
  trust: [
    ['sallyport trust .', 'servers of .mcp.json, .cursor/mcp.json, … can be reached'],
    ['sallyport trust --revoke .', 'take it back'],
  ],
  approvals: [
    ['sallyport approvals approve 1f3a9c20', 'this call'],
    ['sallyport approvals approve 1f3a9c20 always', 'this tool from now on'],
    ['sallyport approvals forget github.delete_repo', 'ask again'],
  ],
  audit: [
    ['sallyport audit --since 2h --server github', 'the last two hours of one server'],
    ['sallyport audit --decision deny --json', 'what was refused, for programs'],
    ['sallyport audit --follow', 'as it happens'],
  ],
  auth: [
    ['sallyport auth', 'which servers have a login'],
    ['sallyport auth linear', 'log in with your browser'],
    ['sallyport auth linear --no-browser', 'on a machine without one'],
    ['sallyport auth linear --logout', 'forget it'],
  ],
  savings: [['sallyport savings --limit 20', 'the total, and the last twenty runs']],
  bench: [['sallyport bench run', 'how fast it is here']],
};

const USAGE: Readonly<Record<CommandName, string>> = {
  serve: 'sallyport serve [options]',
  run: 'sallyport run [-l LANG] [-e CODE | FILE | -] [--check] [--session NAME] [--json] [options] [-- ARGS…]',
  doctor: 'sallyport doctor [--json]',
  languages: 'sallyport languages [--json]',
  detect: 'sallyport detect FILE… | - [--json]',
  sessions: 'sallyport sessions [--json] | sessions reset NAME | sessions close NAME',
  servers: 'sallyport servers [--json]',
  tools: 'sallyport tools SERVER [--json]',
  search: 'sallyport search QUERY [--limit N] [--server NAME] [--json]',
  call: 'sallyport call SERVER TOOL [JSON] [--timeout TIME] [--json]',
  trust: 'sallyport trust [DIR] [--json] | trust --revoke DIR',
  auth: 'sallyport auth [SERVER] [--logout] [--no-browser] [--scope SCOPES] [--json]',
  approvals:
    'sallyport approvals [--json] | approvals approve ID… [once|session|always] | approvals deny ID… | approvals forget SERVER.TOOL',
  audit:
    'sallyport audit [--limit N] [--since TIME] [--kind run|call] [--session NAME] [--server NAME] [--tool NAME] [--run ID] [--decision allow|deny] [--follow] [--json]',
  bench:
    'sallyport bench run [--json] | bench hatch [--json] | bench languages [--only IDS] [--json] | bench load [--clients N] [--minutes T] [--json] | bench search --tools F --queries F [--distractors F] [--json] | bench detect --samples F [--json]',
  savings: 'sallyport savings [--limit N] [--json]',
};

const EXIT_CODES = `Exit code: the program's own; 124 timeout, 125 refused or our fault, 128+n signal n.`;

export function generalHelp(): string {
  return [
    `${paint('bold', 'sallyport')}: one MCP tool, run_code. Your agent's program runs behind a wall and keeps its state.`,
    '',
    'Usage: sallyport COMMAND [options]',
    '',
    table(COMMANDS.map((name) => [`  ${paint('cyan', name)}`, SUMMARY[name]])),
    '',
    'Start here:',
    table([
      ["  sallyport run -e 'print(6*7)'", 'see it work'],
      ['  sallyport doctor', 'see what this machine can do'],
    ]),
    '',
    'sallyport COMMAND --help tells more; --version prints the version.',
    '',
  ].join('\n');
}

export function commandHelp(name: CommandName): string {
  return [
    `${SUMMARY[name]}`,
    '',
    `Usage: ${USAGE[name]}`,
    '',
    table(EXAMPLES[name].map(([command, meaning]) => [`  ${command}`, paint('dim', `# ${meaning}`)])),
    '',
    ...(name === 'run' ? [EXIT_CODES, ''] : []),
    ...(name === 'bench' ? [] : ['Options (each also as SALLYPORT_<OPTION>):', optionTable(), '']),
  ].join('\n');
}

function optionTable(): string {
  return table(OPTIONS.map((option) => [`  --${option.flag} ${option.placeholder}`, option.help]));
}
