/** Servers that do what they should not, all configured at once: programs that call the good ones notice nothing. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { answerOf, type Connection, callRunCode, connect } from '../support/client.ts';
import { until } from '../support/upstreams.ts';

const FIXTURES = fileURLToPath(new URL('../fixtures/upstream/', import.meta.url));
const fixture = (...args: string[]) => ({
  command: process.execPath,
  args: [join(FIXTURES, args[0] ?? ''), ...args.slice(1)],
});

describe('bad servers beside a good one', () => {
  let folder: string;
  let connection: Connection;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sallyport-bad-'));
    const mcpServers = {
      silent: fixture('raw.mjs', 'silent'),
      stuck: fixture('raw.mjs', 'stuck-list'),
      exits: fixture('raw.mjs', 'exits'),
      missing: { command: 'no-such-command' },
      closed: { type: 'http', url: 'http://127.0.0.1:9/mcp' },
      rubbish: fixture('raw.mjs', 'rubbish'),
      hostile: fixture('raw.mjs', 'hostile'),
      'quote" } ${x}\n{{y}}': fixture('raw.mjs', 'good'),
      paged: fixture('paged.mjs'),
      good: fixture('tools.mjs'),
    };
    const config = join(folder, 'config.json');
    await writeFile(config, JSON.stringify({ mcpServers }));
    connection = await connect({ flags: ['--config', config], env: { HOME: folder } });
  });
  after(async () => {
    await connection[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });
  const python = async (code: string) =>
    answerOf(await callRunCode(connection.client, { language: 'python', code, timeout: 60 }));

  it('the good one answers while the others are being waited for', async () => {
    const code = `
import asyncio, time
bad = [asyncio.create_task(asyncio.wait_for(mcp[name].echo(), 20)) for name in ("silent", "stuck", "exits", "missing", "closed")]
await asyncio.sleep(0)
started = time.time()
print(await mcp.good.echo("quick"), time.time() - started < 10)
for task in bad:
    task.cancel()
_ = await asyncio.gather(*bad, return_exceptions=True)`;
    const { out, notes } = await python(code);
    assert.equal(out, 'quick True\n', notes);
  });

  it('each of them says what is wrong with it', async () => {
    const code = `
for name in ("exits", "missing", "closed"):
    try:
        mcp[name].echo()
    except mcp.ToolError as e:
        print(e.code, str(e).split(";")[-1][:90])`;
    const { out } = await python(code);
    const [exits = '', missing = '', closed = ''] = out.split('\n');
    assert.match(exits, /^UPSTREAM_UNREACHABLE/);
    assert.match(missing, /^UPSTREAM_UNREACHABLE .*there is no command "no-such-command"/);
    assert.match(closed, /^UPSTREAM_UNREACHABLE .*127\.0\.0\.1:9/);
  });

  it('rubbish, pages, failures, long answers and strange names do no harm', async () => {
    const code = `
print(mcp.rubbish.echo(), mcp["quote\\" } $" + "{x}\\n{{y}}"].echo())
print(len(mcp.paged.list_tools()), len(mcp.good.big(bytes=20_000_000)))
try:
    mcp.good.fail()
except mcp.ToolError as e:
    print(e)
print(mcp.hostile["__proto__"](), mcp.hostile["quote\\"d"](), mcp.hostile["new\\nline"](), mcp.hostile["constructor"]())
text = str(mcp.docs("hostile"))
print("\\x00" in text, "\\x1b" in text, len(text) < 200_000)`;
    const { out, notes } = await python(code);
    assert.equal(out, '{} {}\n250 20000000\nthe disk is on fire\n{} {} {} {}\nFalse False True\n', notes);
  });

  it('search finds the good ones, and says of the others why they are not in it', async () => {
    await until(
      async () => /echo/.test((await python('mcp.search("gives back its text", server="good")')).out),
      20_000,
    );
    const { out } = await python('print(mcp.search("zzz qqq"))');
    assert.match(out, /exits|missing|closed|silent/);
  });
});
