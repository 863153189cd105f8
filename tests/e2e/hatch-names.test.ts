/** Names that collide or are no words, values of every kind, and each way of the older bridge, with what it got wrong. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sampledWalls } from '../support/walls.ts';
import { openHouse, type ServedHouse, TOOLS_SERVER } from '../support/with-servers.ts';

const NAMES = fileURLToPath(new URL('../fixtures/upstream/names.mjs', import.meta.url));
const named = (mark: string) => ({ command: process.execPath, args: [NAMES, mark], cwd: '/' });

const config = {
  mcpServers: {
    tools: TOOLS_SERVER,
    session: named('a'),
    search: named('b'),
    help: named('c'),
    class: named('d'),
    'Über-srv!': named('e'),
    runtime: named('f'),
  },
};

type Case = readonly [what: string, language: string, code: string, out: string | RegExp];

const CASES: readonly Case[] = [
  ['a server named like a helper', 'python', 'mcp.search.find(), mcp.help.find()', "('called find', 'called find')"],
  ['a tool named like a helper wins', 'python', 'mcp.session.list()', "'called list'"],
  ['the helper is still there', 'python', 'mcp.sallyport.session.list()[0]["name"]', /^'\w+'$/],
  [
    'a helper whose server has no such tool',
    'python',
    'type(mcp.sallyport.search("find")).__name__, "anew" in mcp.session.reset()',
    "('_ReadyHits', True)",
  ],
  [
    'a server named like a keyword',
    'python',
    'mcp.class_.find(), mcp["class"]["class"](), mcp_class_.find()',
    "('called find', 'called class', 'called find')",
  ],
  [
    'a server with a name in no alphabet',
    'python',
    'mcp["Über-srv!"].find(), mcp.Über_srv_.find()',
    "('called find', 'called find')",
  ],
  [
    'exact names before aliases',
    'python',
    'mcp.class_.create_issue(), mcp.class_["create-issue"](), mcp.class_.createPR(), mcp.class_.createpr()',
    "('called create_issue', 'called create-issue', 'called createPR', 'called createPR')",
  ],
  [
    'names with dots and digits',
    'python',
    'mcp.class_.dotted.name(), mcp.class_["dotted.name"](), mcp.class_._2fast()',
    "('called dotted.name', 'called dotted.name', 'called 2fast')",
  ],
  [
    'arguments that are no words',
    'python',
    'mcp.class_.odd(user_id="1", from_="2", self="3")',
    "{'user-id': '1', 'from': '2', 'self': '3'}",
  ],
  ['a tool that shadows list_tools', 'python', 'mcp.class_.list_tools()', "'called list_tools'"],
  [
    'a link that can be read',
    'python',
    'x = mcp.class_.linked()\nx["uri"], x.read(), mcp.class_.read("note://one")',
    "('note://one', 'the note', 'the note')",
  ],
  [
    'several blocks, none, a number, an object',
    'python',
    'mcp.class_.several(), mcp.class_.nothing(), mcp.class_.number(), mcp.class_.object()',
    "(['a', {'b': 1}], None, '42', {'n': 12345678901234567890, 'list': [1, 2]})",
  ],
  [
    'text that looks like a template',
    'python',
    'mcp.class_.template()',
    /^'\{\{code\}\} \$\{x\} __PLACEHOLDER__ <script>/,
  ],
  [
    'resources and prompts',
    'python',
    'mcp.class_.resources()[0]["uri"], mcp.class_.prompts()[0]["name"], mcp.class_.prompt("greet", name="Ann")["messages"][0]["content"]["text"]',
    "('note://one', 'greet', 'Hello Ann')",
  ],
  [
    'half a character',
    'python',
    'try:\n    x = mcp.tools.echo("\\ud800")\nexcept Exception as e:\n    x = type(e).__name__\nprint(len(ascii(x)) > 0, mcp.tools.echo("fine"))',
    'True fine\n',
  ],
  ['arguments and results past 64 KiB', 'python', 'len(mcp.tools.echo("x" * 300_000))', '300000'],
  [
    'a forgotten await, asked for its type',
    'python',
    'await mcp.tools.echo("")\nx = mcp.tools.add(1, 2)\nisinstance(x, dict), isinstance(x, str), x["sum"]',
    '(True, False, 3)',
  ],
  ['a positional argument is no name of a tool', 'python', 'mcp_tools.echo("add")', "'add'"],
  [
    'helpers awaited and not',
    'python',
    'x = runtime.discovered_servers()\ny = await runtime.discovered_servers()\nz = await runtime.list_servers()\nx == y == z and "tools" in x',
    'True',
  ],
  [
    'what is known of servers',
    'python',
    'x = runtime.describe_server("class")\nx["alias"], x["cwd"], x["tools"][0]["alias"], len(runtime.list_loaded_server_metadata())',
    "('class_', '/', 'list', 7)",
  ],
  [
    'docs by either way',
    'python',
    'a = await runtime.query_tool_docs("class", "odd", detail="full")\nb = runtime.query_tool_docs_sync("class", "odd")\na["serverAlias"], sorted(a["inputSchema"]["properties"]), b[0]["tool"]',
    /^\('class_?', \['from', 'self', 'user-id'\], 'odd'\)$/,
  ],
  [
    'search without naming servers first, with a typo',
    'python',
    'runtime.search_tool_docs("ehco", limit=1)[0]["tool"], (await runtime.search_tool_docs("adds two numbers", limit=1))[0]["tool"]',
    "('echo', 'add')",
  ],
  [
    'errors are of one class',
    'python',
    'from mcp import runtime as rt\ntry:\n    mcp_tools.fail()\nexcept rt.MCPError as e:\n    print(type(e) is mcp.ToolError, e)',
    'True the disk is on fire\n',
  ],
  [
    'modules of servers',
    'python',
    'from mcp.servers.tools import *\nfrom mcp.servers.tools import TOOLS\nimport mcp.servers.tools as m\nprint(echo("a"), m.add(1, 2), len(TOOLS) > 5, "echo" in m.__all__)',
    "a {'sum': 3} True True\n",
  ],
  [
    'loaded servers',
    'python',
    '"tools" in LOADED_MCP_SERVERS, sorted(mcp_servers)[-1], mcp_servers["tools"].echo("x")',
    "(True, 'Über-srv!', 'x')",
  ],
  [
    'the manual',
    'python',
    'len(runtime.capability_summary()) > 500, runtime.call_tool("tools", "echo", {"text": "t"})',
    "(True, 't')",
  ],
  [
    'a server passed on as a value',
    'python',
    'def use(server):\n    return server.echo("v")\nuse(mcp_tools), use(mcp.tools), use(mcp_servers["tools"])',
    "('v', 'v', 'v')",
  ],
  [
    'an executor that outlives its run',
    'python',
    'from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(2)\nlist(pool.map(mcp.tools.echo, ["a", "b"]))',
    "['a', 'b']",
  ],
  ['… in the next run', 'python', 'list(pool.map(mcp.tools.echo, ["c", "d"]))', "['c', 'd']"],
  [
    'a server named like a helper',
    'typescript',
    '[await mcp.search.find(), await mcp.session.list(), (await mcp.sallyport.session.list()).length > 0].join()',
    "'called find,called list,true'",
  ],
  [
    'names of every kind',
    'typescript',
    "(await Promise.all([mcp['Über-srv!'].find(), mcp.class.class(), mcp.class['create-issue'](), mcp.class.dotted.name()])).join()",
    "'called find,called class,called create-issue,called dotted.name'",
  ],
  [
    'values of every kind',
    'typescript',
    'const link = await mcp.class.linked(); JSON.stringify([await link.read(), await mcp.class.several(), await mcp.class.nothing(), await mcp.class.number()])',
    `'["the note",["a",{"b":1}],null,"42"]'`,
  ],
  [
    'resources and prompts',
    'typescript',
    "[(await mcp.class.resources())[0].uri, (await mcp.class.prompt('greet', { name: 'Ann' })).messages[0].content.text].join()",
    "'note://one,Hello Ann'",
  ],
  [
    'values of every kind',
    'bash',
    'mcp call class linked | grep -c note://one; mcp call class nothing; mcp call class several; mcp call class read uri=note://one; mcp call class odd user-id=1 from=2',
    '1\na\n{"b":1}\nthe note\n{"user-id":"1","from":"2"}\n',
  ],
];

for (const wall of await sampledWalls()) {
  describe(`names and values behind ${wall}`, () => {
    let house: ServedHouse;
    before(async () => {
      house = await openHouse(wall, config);
    });
    after(() => house[Symbol.asyncDispose]());
    for (const [what, language, code, out] of CASES) {
      if (wall === 'embedded' && code.includes('pool')) continue; // it has no threads
      it(`${language}: ${what}`, async () => {
        const answer = await house.run(language, code);
        if (typeof out === 'string') assert.equal(answer.out, out, answer.notes);
        else assert.match(answer.out, out, answer.notes);
      });
    }
  });
}
