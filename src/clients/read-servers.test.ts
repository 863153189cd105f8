import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ConfigShape } from './client.ts';
import { readServers } from './read-servers.ts';
import { LOOSE, OWN, STANDARD } from './shape/standard.ts';

async function read(text: string, fileName = 'x.json', shape: ConfigShape = STANDARD) {
  const { servers, problems } = await readServers(text, { fileName, shape });
  return {
    servers: servers.map(({ entry }) => [entry.name, entry.command ?? entry.url, ...entry.args]),
    problems: problems.map(({ line, column, message }) => `${line}:${column} ${message}`),
  };
}

const good = '"good": {"command": "x"}';

describe('readServers() says what is wrong, where, and reads the rest', () => {
  const cases: ReadonlyArray<readonly [what: string, text: string, servers: unknown, problems: readonly string[]]> = [
    [
      'a comma too few',
      '{\n  "mcpServers": {\n    "a": {"command": "x" "args": []}\n  }\n}',
      [],
      ['3:26 Not JSON: a comma is missing'],
    ],
    ['a text without an end', '{"mcpServers": {"a": "x\n}}', [], ['1:22 Not JSON: a text has no closing quote']],
    ['an end too early', '{"mcpServers": {"a": {', [], ['1:23 Not JSON: a closing brace is missing']],
    ['JavaScript', '{mcpServers: {}}', [], ['1:2 Not JSON: a word that JSON does not know']],
    ['two values', '{} {}', [], ['1:4 Not JSON: something follows the end of the value']],
    ['a list at the top', '[]', [], ['1:1 Must be a map with keys at the top']],
    ['a text for servers', '{"mcpServers": "none"}', [], ['1:2 "mcpServers" must be a map of servers by name']],
    ['null for servers', '{"mcpServers": null}', [], []],
    ['no servers', '{"theme": "dark"}', [], []],
    [
      'a server that is no map',
      `{"mcpServers": {"a": 3, ${good}}}`,
      [['good', 'x']],
      ['1:17 Server "a": Must be a map with keys'],
    ],
    [
      'no way to reach it',
      `{"mcpServers": {"a": {}, ${good}}}`,
      [['good', 'x']],
      ['1:17 Server "a": Neither a command nor a URL is given'],
    ],
    [
      'a command that is no text',
      `{"mcpServers": {"a": {"command": 3}, ${good}}}`,
      [['good', 'x']],
      ['1:23 Server "a": "command" must be text'],
    ],
    ['an empty command', '{"mcpServers": {"a": {"command": []}}}', [], ['1:23 Server "a": "command" names no program']],
    [
      'arguments in one text',
      '{"mcpServers": {"a": {"command": "x", "args": "-y z"}}}',
      [],
      ['1:39 Server "a": "args" must be a list of texts'],
    ],
    [
      'an argument that is null',
      '{"mcpServers": {"a": {"command": "x", "args": ["-y", null]}}}',
      [],
      ['1:54 Server "a": "args" must hold texts only; item 2 is none'],
    ],
    [
      'variables in a list',
      '{"mcpServers": {"a": {"command": "x", "env": ["A=1"]}}}',
      [],
      ['1:39 Server "a": "env" must be a map of names to texts'],
    ],
    [
      'a variable that is a map',
      '{"mcpServers": {"a": {"command": "x", "env": {"A": {}}}}}',
      [],
      ['1:47 Server "a": "A" in "env" must be text'],
    ],
    [
      'a transport of its own',
      '{"mcpServers": {"a": {"type": "ws", "url": "ws://x"}}}',
      [],
      ['1:23 Server "a": Transport "ws" is not known; stdio, http and sse are'],
    ],
    [
      'an empty name',
      '{"mcpServers": {"": {"command": "x"}}}',
      [],
      ['1:17 Server "": A name must have 1 to 200 characters'],
    ],
    [
      'a name twice',
      `{"mcpServers": {"good": {"command": "old"},\n${good}}}`,
      [['good', 'x']],
      ['2:1 "good" is there twice; the last one counts'],
    ],
    ['nothing', '', [], []],
    ['blanks', ' \n\t', [], []],
    ['comments only', '// nothing yet', [], []],
    [
      'a depth that no parser survives',
      '['.repeat(100_000),
      [],
      ['undefined:undefined Nested too deeply, or with too many references'],
    ],
  ];
  for (const [what, text, servers, problems] of cases) {
    it(`in ${what}`, async () => assert.deepEqual(await read(text), { servers, problems }));
  }

  it('in YAML', async () => {
    const shape: ConfigShape = { serversAt: [['extensions']] };
    assert.deepEqual((await read('extensions:\n  a: {cmd: x}\n bad', 'x.yaml', shape)).problems, [
      '3:1 Not YAML: bad indent',
    ]);
    assert.deepEqual(await read('extensions:\n  a: {cmd: x}\n  b: {cmd: [{}]}\n', 'x.yml', shape), {
      servers: [['a', 'x']],
      problems: ['3:13 Server "b": "cmd" must hold texts only; item 1 is none'],
    });
    assert.deepEqual(await read('extensions:\n  a: {cmd: x}\n  a: {cmd: y}\n', 'x.yaml', shape), {
      servers: [['a', 'y']],
      problems: ['3:3 "a" is there twice; the last one counts'],
    });
    assert.deepEqual((await read('extensions: [{cmd: x}]', 'x.yaml', shape)).problems, [
      '1:14 Item 1 of "extensions" has no name',
    ]);
    const doubling = [
      'a: &a [x, x]',
      ...'bcdefghijkl'
        .split('')
        .map((key, at) => `${key}: &${key} [*${'abcdefghijk'[at]}, *${'abcdefghijk'[at]}, *${'abcdefghijk'[at]}]`),
    ];
    assert.deepEqual((await read(doubling.join('\n'), 'x.yaml', shape)).problems, [
      'undefined:undefined Nested too deeply, or with too many references',
    ]);
  });

  it('in TOML', async () => {
    const shape: ConfigShape = { serversAt: [['mcp_servers']] };
    assert.deepEqual((await read('[mcp_servers.a]\ncommand = \n', 'x.toml', shape)).problems, [
      '2:11 Not TOML: invalid value',
    ]);
    assert.deepEqual(
      await read('[mcp_servers.a]\ncommand = "x"\n\n[mcp_servers."b c"]\nargs = []\n', 'x.toml', shape),
      {
        servers: [['a', 'x']],
        problems: ['4:1 Server "b c": Neither a command nor a URL is given'],
      },
    );
  });

  it('without quoting anything of the file, which may be a secret', async () => {
    for (const file of ['x.json', 'x.yaml', 'x.toml']) {
      const { problems } = await read('token = "hunter22"\n  : : ]hunter22[\n', file);
      assert.equal(problems.length, 1);
      assert.doesNotMatch(problems.join(), /hunter22/);
    }
  });
});

describe('readServers() takes', () => {
  it('a byte order mark and the line ends of Windows, and counts lines right', async () => {
    assert.deepEqual(await read(`\uFEFF{\r\n"mcpServers": {\r\n${good},\r\n"bad": 1}}\r\n`), {
      servers: [['good', 'x']],
      problems: ['4:1 Server "bad": Must be a map with keys'],
    });
  });

  it('numbers and booleans among texts as they are written', async () => {
    const { servers } = await readServers(
      '{"mcpServers": {"a": {"command": "x", "args": ["--port", 8080, true], "env": {"N": 1.5, "B": false}}}}',
      { fileName: 'x.json', shape: STANDARD },
    );
    assert.deepEqual(
      [servers[0]?.entry.args, servers[0]?.entry.env],
      [['--port', '8080', 'true'], { N: '1.5', B: 'false' }],
    );
  });

  it('hostile names as names', async () => {
    const { servers } = await readServers(
      '{"mcpServers": {"__proto__": {"command": "x"}, "constructor": {"command": "y"}, "a\\n${b}": {"command": "z"}}}',
      { fileName: 'x.json', shape: STANDARD },
    );
    assert.deepEqual(
      servers.map(({ entry }) => entry.name),
      ['__proto__', 'constructor', 'a\n${b}'],
    );
  });

  it('a command and a URL together by the named transport, else by the command', async () => {
    assert.deepEqual(
      (
        await read(
          '{"mcpServers": {"a": {"command": "x", "url": "https://u"}, "b": {"type": "http", "command": "x", "url": "https://u"}}}',
        )
      ).servers,
      [
        ['a', 'x'],
        ['b', 'https://u'],
      ],
    );
  });

  it('loose files: a map of servers, one server, the key of any client, and a description for all', async () => {
    assert.deepEqual((await read('{"a": {"command": "x"}, "note": "mine"}', 'x.json', LOOSE)).servers, [['a', 'x']]);
    assert.deepEqual((await read('{"command": "x", "args": [1]}', '/home/me/MCPs/tool.json', LOOSE)).servers, [
      ['tool', 'x', '1'],
    ]);
    assert.deepEqual((await read('{"servers": {"a": {"url": "https://u"}}}', 'x.json', LOOSE)).servers, [
      ['a', 'https://u'],
    ]);
    assert.deepEqual((await read('{"theme": "dark"}', 'x.json', LOOSE)).problems, [
      '1:1 No servers are in it; they are expected under "mcpServers"',
    ]);
    const { servers } = await readServers(
      '{"description": "All", "mcpServers": {"a": {"command": "x"}, "b": {"command": "y", "description": "Own"}}}',
      { fileName: 'x.json', shape: LOOSE },
    );
    assert.deepEqual(
      servers.map(({ entry }) => entry.description),
      ['All', 'Own'],
    );
  });

  it('`share`, `trusted` and bare switches from our own config only', async () => {
    const text =
      '{"mcpServers": {"a": {"command": "x", "share": "session", "trusted": true}, "b": {"disabled": true}}}';
    const entries = async (shape: ConfigShape) =>
      (await readServers(text, { fileName: 'x.json', shape })).servers.map(({ entry }) => [
        entry.name,
        entry.share,
        entry.trusted,
        entry.disabled,
      ]);
    assert.deepEqual(await entries(OWN), [
      ['a', 'session', true, false],
      ['b', 'all', false, true],
    ]);
    assert.deepEqual(await entries(STANDARD), [['a', 'all', false, false]]);
  });

  it('caps of calls from our own config only, and complains about those that cannot be read', async () => {
    const text =
      '{"mcpServers": {"a": {"command": "x", "rate": 60, "concurrency": 4}, "b": {"command": "x", "rate": "60"}}}';
    const caps = async (shape: ConfigShape) => {
      const { servers, problems } = await readServers(text, { fileName: 'x.json', shape });
      return [
        servers.map(({ entry }) => [entry.callsPerMinute, entry.callsAtOnce]),
        problems.map(({ message }) => message),
      ];
    };
    assert.deepEqual(await caps(OWN), [[[60, 4]], ['Server "b": "rate" must be a whole number of calls above zero']]);
    assert.deepEqual(await caps(STANDARD), [
      [
        [undefined, undefined],
        [undefined, undefined],
      ],
      [],
    ]);
  });

  it('a file of many megabytes in little time', async () => {
    const projects = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, index) => [`/p/${index}`, { history: ['x'.repeat(1_000)] }]),
    );
    const text = JSON.stringify({ projects, mcpServers: { a: { command: 'x' } } });
    assert.deepEqual((await read(text)).servers, [['a', 'x']]);
  });
});
