import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { answerOf, type Connection, callRunCode, connect, metaOf } from '../support/client.ts';
import { availableWalls } from '../support/walls.ts';

const FIXTURE = fileURLToPath(new URL('../fixtures/upstream/tools.mjs', import.meta.url));
const SECRET = 'hush-hush-4711';

function packaged(name: string, ...args: string[]): { command: string; args: string[] } {
  const entry = fileURLToPath(import.meta.resolve(`@modelcontextprotocol/${name}/dist/index.js`));
  return { command: process.execPath, args: [entry, ...args] };
}

/** A program, and what it prints. */
type Case = readonly [what: string, language: string, code: string, out: string | RegExp];

const CASES: readonly Case[] = [
  ['without await', 'python', 'mcp.tools.add(a=1, b=2)', "{'sum': 3}"],
  ['with await', 'python', '(await mcp.tools.add(a=1, b=2))["sum"]', '3'],
  ['in the order of the signature', 'python', 'mcp.tools.add(1, 2)["sum"]', '3'],
  ['by names that are no words', 'python', 'mcp["any server"]["echo"](text="hi")', "'hi'"],
  ['by the words for such names', 'python', 'mcp.any_server.echo("hi")', "'hi'"],
  [
    'forgetting await among awaits',
    'python',
    'import json\nx = mcp.tools.add(1, 2)\nawait mcp.tools.echo("")\njson.dumps({"x": x, "y": x["sum"]})',
    `'{"x": {"sum": 3}, "y": 3}'`,
  ],
  ['as a task', 'python', 'import asyncio\nt = asyncio.create_task(mcp.tools.echo("t"))\nawait t', "'t'"],
  [
    'in asyncio.run',
    'python',
    'import asyncio\nasync def main():\n    return await asyncio.gather(mcp.tools.echo("a"), mcp.tools.echo("b"))\nasyncio.run(main())',
    "['a', 'b']",
  ],
  [
    'in a thread',
    'python',
    'from threading import Thread\nr = []\nt = Thread(target=lambda: r.append(mcp.tools.echo("a")))\nt.start()\nt.join()\nr',
    "['a']",
  ],
  ['whole', 'python', 'mcp.tools.fail.raw()["isError"]', 'True'],
  ['for a picture', 'python', 'x = mcp.tools.image()\nx[:4], x.mime_type', String.raw`(b'\x89PNG', 'image/png')`],
  [
    'that fails',
    'python',
    'try:\n    mcp.tools.fail()\nexcept mcp.ToolError as e:\n    print(e, e.code, isinstance(e, mcp.MCPError))',
    'the disk is on fire UPSTREAM_FAILED True\n',
  ],
  [
    'of a tool that is not there',
    'python',
    'try:\n    mcp.tools.ad(1, 2)\nexcept mcp.ToolError as e:\n    print(e)',
    'Server "tools" has no tool "ad". Did you mean mcp.tools.add(a: float, b: float) -> {"sum": float}\n',
  ],
  [
    'of a server that is not there',
    'python',
    'try:\n    mcp.tool.add(1, 2)\nexcept mcp.ToolError as e:\n    print(e)',
    /^There is no server "tool"\. Did you mean "tools"\? Servers: tools, any server/,
  ],
  [
    'with a wrong argument',
    'python',
    'try:\n    mcp.tools.add(1, "2")\nexcept mcp.ToolError as e:\n    print(e)',
    'tools.add: "b" must be number, not string. Use mcp.tools.add(a: float, b: float) -> {"sum": float}\n',
  ],
  [
    'that takes too long',
    'python',
    'try:\n    mcp.tools.hang(timeout=0.2)\nexcept mcp.ToolError as e:\n    print(e.code)',
    'UPSTREAM_TIMEOUT\n',
  ],
  [
    'that is cancelled',
    'python',
    'import asyncio\nbefore = int(mcp.tools.cancelled())\ntry:\n    await asyncio.wait_for(mcp.tools.hang(), 0.2)\nexcept asyncio.TimeoutError:\n    pass\nawait asyncio.sleep(0.2)\nint(mcp.tools.cancelled()) - before',
    '1',
  ],
  [
    'that ends its server, which starts again',
    'python',
    'try:\n    mcp.crashing.crash()\nexcept mcp.ToolError as e:\n    print(e.code)\nmcp.crashing.echo("back")',
    "UPSTREAM_UNREACHABLE\n'back'",
  ],
  ['that nobody awaits', 'python', 'await mcp.tools.echo("")\nmcp.tools.fail()\nprint("end")', /^end\n/],
  [
    'of a narrowed run',
    'python',
    'mcp.only("tools")\ntry:\n    mcp.any_server.echo("x")\nexcept mcp.ToolError as e:\n    print(e)\nmcp.tools.echo("y")',
    `This run may not use server "any server". mcp.only() narrowed it to tools\n'y'`,
  ],
  [
    "in the older bridge's ways",
    'python',
    'from mcp.servers.tools import echo, TOOL_MAP\nfrom mcp import runtime as rt\nimport mcp.servers.any_server as m\nprint(echo(text="1"), mcp_tools.echo(text="2"), mcp_servers["any server"].echo(text="3"), m.echo("4"))\nprint(runtime.discovered_servers()[0], rt.list_tools_sync("tools")[0]["name"], TOOL_MAP["echo"]["description"])\nprint(await runtime.call_tool("tools", "echo", {"text": "5"}), (await rt.query_tool_docs("tools", "echo"))["tool"])',
    '1 2 3 4\ntools echo Gives back its text\n5 echo\n',
  ],
  ['with await', 'typescript', '(await mcp.tools.add({ a: 1, b: 2 })).sum', '3'],
  ['in the order of the signature', 'typescript', '(await mcp.tools.add(1, 2)).sum', '3'],
  ['by names that are no words', 'typescript', "await mcp['any server'].echo({ text: 'hi' })", "'hi'"],
  ['for a picture', 'typescript', 'const p: any = await mcp.tools.image(); `${p.mimeType} ${p[1]}`', "'image/png 80'"],
  [
    'that fails',
    'typescript',
    'try { await mcp.tools.fail(); } catch (e: any) { console.log(e instanceof mcp.ToolError, e.message); }',
    'true the disk is on fire\n',
  ],
  [
    'with a wrong argument',
    'javascript',
    'try { await mcp.tools.add({ a: 1 }); } catch (e) { console.log(e.message); }',
    'tools.add: lacks "b". Use mcp.tools.add({ a: number, b: number }): Promise<{ sum: number }>\n',
  ],
  [
    'that takes too long',
    'javascript',
    'await mcp.tools.hang({}, { timeout: 0.2 }).catch((e) => e.code)',
    "'UPSTREAM_TIMEOUT'",
  ],
  [
    'that is cancelled',
    'javascript',
    'await mcp.tools.hang({}, { signal: AbortSignal.timeout(100) }).catch((e) => e.name)',
    "'TimeoutError'",
  ],
  [
    'from an import',
    'javascript',
    "import { mcp as hatch } from 'mcp'; [hatch === mcp, await hatch.tools.echo('x')].join()",
    "'true,x'",
  ],
  ['with words', 'bash', 'mcp call tools echo text="two words"', 'two words\n'],
  [
    'with JSON',
    'bash',
    `mcp call tools add a:=1 '{"b": 2}'; x=$(mcp call 'any server' echo text=12); echo "[$x]"`,
    '{\n  "sum": 3\n}\n[12]\n',
  ],
  [
    'that fails',
    'bash',
    'mcp call tools fail 2>&1; echo $?; mcp call tools add a=x b=2 2>&1',
    'mcp: the disk is on fire\n1\nmcp: tools.add: "a" must be number, not string. Use mcp call tools add a:=NUMBER b:=NUMBER\n',
  ],
  ['through a pipe', 'bash', 'mcp call tools echo text=abc | tr a-z A-Z', 'ABC\n'],
];

const SEARCHES: readonly Case[] = [
  [
    'Python',
    'python',
    'mcp.search("adds two numbers", limit=1, server="tools")',
    'mcp.tools.add(a: float, b: float) -> {"sum": float}  # Adds two numbers',
  ],
  [
    'TypeScript',
    'typescript',
    "await mcp.search('adds two numbers', { limit: 1, server: 'tools' })",
    'mcp.tools.add({ a: number, b: number }): Promise<{ sum: number }>  // Adds two numbers',
  ],
  [
    'Bash',
    'bash',
    'mcp search adds two numbers --limit 1 --server tools',
    'mcp call tools add a:=NUMBER b:=NUMBER  # Adds two numbers\n',
  ],
];

for (const wall of await availableWalls()) {
  describe(`other MCP servers from programs behind ${wall}`, () => {
    let connection: Connection;
    let folder: string;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'sallyport-hatch-'));
      const fixture = { command: process.execPath, args: [FIXTURE] };
      const config = join(folder, 'config.json');
      const mcpServers = {
        tools: { ...fixture, env: { API_TOKEN: SECRET } },
        'any server': fixture,
        crashing: { ...fixture, args: [FIXTURE, '--another'], description: 'Ends when it is told to' },
        everything: packaged('server-everything'),
        memory: { ...packaged('server-memory'), env: { MEMORY_FILE_PATH: join(folder, 'memory.json') } },
        files: packaged('server-filesystem', folder),
        broken: { command: 'no-such-command', args: [`--token=${SECRET}`], env: { OTHER_TOKEN: SECRET } },
      };
      const policy = [{ tools: 'files.write_file', do: 'allow' }];
      await writeFile(config, JSON.stringify({ mcpServers, policy }));
      connection = await connect({ flags: ['--sandbox', wall, '--config', config], env: { HOME: folder } });
    });
    after(async () => {
      await connection[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    });
    const run = async (language: string, code: string) =>
      await callRunCode(connection.client, { language, code, timeout: 60 });

    for (const [what, language, code, out] of CASES) {
      if (wall === 'embedded' && code.includes('Thread')) continue; // it has none
      it(`${language}: a call ${what}`, async () => {
        const answer = answerOf(await run(language, code));
        if (typeof out === 'string') assert.equal(answer.out, out, answer.notes);
        else assert.match(answer.out, out, answer.notes);
      });
    }

    for (const [what, language, code, out] of SEARCHES) {
      it(`search prints signatures of ${what}`, async () => {
        const text = answerOf(await run(language, code)).out;
        assert.equal(text.split('\n')[0], (out as string).split('\n')[0]);
      });
    }

    const parallel: ReadonlyArray<readonly [language: string, code: string]> = [
      [
        'python',
        'import asyncio, time\nt = time.time()\nr = await asyncio.gather(*[mcp.tools.slow(ms=400) for _ in range(50)])\nprint(len(r), time.time() - t < 2)',
      ],
      [
        'javascript',
        'const t = Date.now();\nconst r = await Promise.all(Array.from({ length: 50 }, () => mcp.tools.slow({ ms: 400 })));\nconsole.log(r.length, Date.now() - t < 2000 ? "True" : "False");',
      ],
    ];
    for (const [language, code] of parallel) {
      it(`${language}: fifty calls at once take as long as one`, async () => {
        await run(language, language === 'python' ? 'mcp.tools.echo("up")' : 'await mcp.tools.echo("up")');
        const result = await run(language, code);
        assert.equal(answerOf(result).out, '50 True\n');
        assert.equal(metaOf(result).toolCalls, 50);
      });
    }

    it('what a server calls destructive is denied without a rule, with the line to add', async () => {
      const answer = answerOf(await run('python', 'mcp.memory.delete_entities(entityNames=["x"])'));
      assert.match(
        answer.notes,
        /memory\.delete_entities may not be called: its server calls it destructive, and no rule allows it\. A person can add \{"tools":"memory\.delete_entities","do":"allow"\} to "policy"/,
      );
    });

    it('real servers work together in one run', async () => {
      const code = `
names = [f"thing {n}" for n in range(10)]
for name in names:
    mcp.files.write_file(path=${JSON.stringify(folder)} + "/" + name + ".txt", content=mcp.everything.echo(message=name))
mcp.memory.create_entities([{"name": name, "entityType": "file", "observations": [str(mcp.files.read_text_file(${JSON.stringify(folder)} + "/" + name + ".txt"))]} for name in names])
graph = mcp.memory.read_graph()
print(len(graph["entities"]), "Echo: thing 9" in graph["entities"][9]["observations"][0])`;
      const result = await run('python', code);
      assert.equal(answerOf(result).out, '10 True\n', answerOf(result).notes);
      assert.equal(metaOf(result).toolCalls, 32);
    });

    it('five hits of real servers are at most 400 tokens', async () => {
      for (const query of [
        'read a file',
        'create entities in the graph',
        'search for nodes',
        'list a directory',
        'image',
      ]) {
        const { out } = answerOf(await run('python', `print(mcp.search(${JSON.stringify(query)}))`));
        const tokens = encode(out).length;
        assert.ok(tokens <= 400, `${query}: ${tokens} tokens\n${out}`);
      }
    });

    it('a long answer comes whole, and does not keep others waiting', async () => {
      const [big, small] = await Promise.all([
        callRunCode(connection.client, {
          language: 'python',
          session: 'big',
          code: 'len(mcp.tools.big(bytes=20_000_000))',
          timeout: 60,
        }),
        callRunCode(connection.client, {
          language: 'python',
          session: 'small',
          code: 'mcp.tools.echo("quick")',
          timeout: 60,
        }),
      ]);
      assert.equal(answerOf(big).out, '20000000', answerOf(big).notes);
      assert.equal(answerOf(small).out, "'quick'", answerOf(small).notes);
    });

    // The embedded wall has no threads in Python.
    const whereThreadsAre = wall === 'embedded' ? () => {} : it;
    whereThreadsAre('a thread of an earlier run may not call in the name of a later one', async () => {
      const thread = `
import threading, time
told = []
def later():
    time.sleep(0.5)
    try:
        mcp.tools.echo("late")
    except mcp.ToolError as e:
        told.append(e.code)
threading.Thread(target=later).start()`;
      await run('python', thread);
      const { out } = answerOf(await run('python', 'time.sleep(0.8)\ntold'));
      assert.equal(out, "['SESSION_CLOSED']");
    });

    it('the secrets of servers stay outside', async () => {
      const code = `
import os
found = [str(dict(os.environ)), str(mcp.servers()), str(mcp.docs("tools")), repr(mcp.search("token", limit=20))]
try:
    mcp.broken.anything()
except mcp.ToolError as e:
    print(e.code)
    found.append(str(e))
print(any("${SECRET}" in text for text in found))`;
      assert.equal(answerOf(await run('python', code)).out, 'UPSTREAM_UNREACHABLE\nFalse\n');
    });

    it('instructions name the servers, in at most 250 tokens', () => {
      const instructions = connection.client.getInstructions() ?? '';
      assert.match(instructions, /Servers: tools, any server, crashing, everything, memory, files, broken\.$/);
      assert.ok(encode(instructions).length <= 250);
    });
  });
}
