/** Ten servers that people use, as their authors publish them, from programs in three languages. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Answer, answerOf, type Connection, callRunCode, connect } from '../support/client.ts';
import { until } from '../support/upstreams.ts';

const packaged = (url: string | URL, ...args: string[]) => ({
  command: process.execPath,
  args: [fileURLToPath(url), ...args],
});

let folder: string;
let connection: Connection;
before(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'sallyport-public-')));
  const config = join(folder, 'config.json');
  const mcpServers = {
    everything: packaged(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js')),
    files: packaged(import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'), folder),
    memory: {
      ...packaged(import.meta.resolve('@modelcontextprotocol/server-memory/dist/index.js')),
      env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') },
    },
    thinking: packaged(import.meta.resolve('@modelcontextprotocol/server-sequential-thinking/dist/index.js')),
    git: packaged(import.meta.resolve('@cyanheads/git-mcp-server')),
    database: packaged(import.meta.resolve('@bytebase/dbhub/dist/index.js'), '--demo', '--transport', 'stdio'),
    linter: packaged(import.meta.resolve('@eslint/mcp/src/mcp-cli.js')),
    runner: packaged(new URL('./cli.js', import.meta.resolve('mcp-server-code-runner'))),
    drawings: packaged(import.meta.resolve('@drawio/mcp/src/index.js')),
    budget: packaged(
      new URL('./index.js', import.meta.resolve('@modelcontextprotocol/server-budget-allocator')),
      '--stdio',
    ),
  };
  await writeFile(config, JSON.stringify({ mcpServers, policy: [{ tools: '*', do: 'allow' }] }));
  await writeFile(join(folder, 'note.txt'), 'a note\n');
  await writeFile(join(folder, 'a.drawio'), '<mxfile><diagram id="1" name="First"><mxGraphModel/></diagram></mxfile>');
  await mkdir(join(folder, 'repo'));
  connection = await connect({ flags: ['--config', config], env: { HOME: folder } });
});
after(async () => {
  await connection[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function run(language: string, code: string): Promise<Answer> {
  return answerOf(await callRunCode(connection.client, { language, code, timeout: 120 }));
}

const drawing = () => JSON.stringify(join(folder, 'a.drawio'));
const note = () => JSON.stringify(join(folder, 'note.txt'));

describe('public servers', () => {
  it('are all called from one Python program, side by side', async () => {
    const { out, notes } = await run(
      'python',
      `
import asyncio
r = await asyncio.gather(
    mcp.everything.get_sum(a=20, b=22),
    mcp.files.read_text_file(path=${note()}),
    mcp.memory.create_entities(entities=[{"name": "Ada", "entityType": "person", "observations": ["counts"]}]),
    mcp.thinking.sequentialthinking(thought="hm", nextThoughtNeeded=False, thoughtNumber=1, totalThoughts=1),
    mcp.git.git_init(path=${JSON.stringify(join(folder, 'repo'))}),
    mcp.database.execute_sql(sql="select 6*7 as answer"),
    mcp.runner["run-code"](code="console.log(6*7)", languageId="javascript"),
    mcp.drawings.list_pages(path=${drawing()}),
    mcp.budget["get-budget-data"](),
)
print(r[0]); print(r[1]["content"].strip()); print(r[2]["entities"][0]["name"]); print(r[3]["thoughtNumber"])
print(r[4]["success"]); print(r[5]["data"]["statements"][0]["rows"]); print(r[6].strip()); print("First" in str(r[7]))
print(r[8]["config"]["categories"][0]["id"])`,
    );
    assert.equal(
      out,
      "The sum of 20 and 22 is 42.\na note\nAda\n1\nTrue\n[{'answer': 42}]\n42\nTrue\nmarketing\n",
      notes,
    );
  });

  it('are called from TypeScript, with pictures, links and errors', async () => {
    const { out, notes } = await run(
      'typescript',
      `
const [text, picture]: any = await mcp.everything['get-tiny-image']();
const links: any = await mcp.everything['get-resource-links']({ count: 2 });
const rows: any = await mcp.database.execute_sql({ sql: 'select name from sqlite_master limit 1' });
const problem = await mcp.linter['lint-files']({ filePaths: ['/nowhere/x.js'] }).catch((e: any) => e instanceof mcp.ToolError && e.message);
const outside = await mcp.files.read_text_file({ path: '/etc/passwd' }).catch((e: any) => e.code);
const wrong = await mcp.git.git_statsu({}).catch((e: any) => e.message);
const status: any = await mcp.git.git_status({ path: ${JSON.stringify(join(folder, 'repo'))} });
console.log(picture.mimeType, picture.length > 1000, links.length, rows.success, status.isClean);
console.log(problem); console.log(outside); console.log(wrong.slice(0, 60));`,
    );
    assert.equal(
      out,
      "image/png true 3 true true\nNo files matching '/nowhere/x.js' were found.\nUPSTREAM_FAILED\n" +
        'Server "git" has no tool "git_statsu". Did you mean mcp.git.git\n'.slice(0, 60) +
        '\n',
      notes,
    );
  });

  it('are found and called from Bash', async () => {
    const { out, notes } = await run(
      'bash',
      `mcp search git_status --limit 1 | cut -c1-23
mcp call everything echo message=hi
mcp call memory search_nodes query=Ada | grep -c counts
mcp call thinking sequentialthinking thought=hm nextThoughtNeeded:=false thoughtNumber:=2 totalThoughts:=2 | grep -c '"thoughtNumber": 2'
mcp call files write_file path=${join(folder, 'new.txt')} content=written >/dev/null && echo ok
mcp call budget get-budget-data | head -c 1
mcp call drawings list_pages path=${drawing()} | grep -c First
mcp call runner run-code code='print(1)' languageId=klingon 2>&1 | head -c 4`,
    );
    assert.match(out, /^mcp call git git_status\nEcho: hi\n1\n1\nok\n\{1\nmcp:/, notes);
    assert.equal(await readFile(join(folder, 'new.txt'), 'utf8'), 'written');
  });

  it('are searched by what they do', async () => {
    const code = `
wanted = ["git_commit", "run SQL", "read a text file", "lint files", "knowledge graph entities", "think step by step", "budget data", "search for diagram shapes"]
for query in wanted:
    print(repr(mcp.search(query, limit=3)).count("mcp.") > 0, end=" ")
print(len(mcp.servers()))`;
    assert.equal((await run('python', code)).out, `${'True '.repeat(8)}10\n`);
  });

  it('that crash in mid-call fail that call, and start again', async () => {
    const program = run(
      'python',
      `
try:
    mcp.everything.trigger_long_running_operation(duration=60, steps=60)
except mcp.ToolError as e:
    print(e.code)
print(mcp.everything.echo(message="back"))`,
    );
    let pid = 0;
    await until(async () => {
      pid = await processOf('server-everything');
      return pid > 0;
    }, 20_000);
    await new Promise((resolve) => setTimeout(resolve, 500));
    process.kill(pid, 'SIGKILL');
    const { out, notes } = await program;
    assert.equal(out, 'UPSTREAM_UNREACHABLE\nEcho: back\n', notes);
  });
});

/** The process below our server that runs the package; 0 when there is none. */
async function processOf(name: string): Promise<number> {
  const parent = String(connection.transport.pid);
  for (const pid of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
    const read = (file: string) => readFile(join('/proc', pid, file), 'utf8').catch(() => '');
    const [stat, line] = await Promise.all([read('stat'), read('cmdline')]);
    if (stat.slice(stat.lastIndexOf(')')).split(' ')[2] === parent && line.includes(name)) return Number(pid);
  }
  return 0;
}
