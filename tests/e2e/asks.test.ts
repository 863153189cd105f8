/** What servers ask for while a program calls them: it goes to the caller's person or model, whatever era either speaks. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Client, ClientCapabilities } from '@modelcontextprotocol/client';
import { answerOf, type Connection, callRunCode, connect, type Era } from '../support/client.ts';

const ASKS = fileURLToPath(new URL('../fixtures/upstream/asks.mjs', import.meta.url));

let folder: string;
let config: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-asks-'));
  config = join(folder, 'config.json');
  const server = { command: process.execPath, args: [ASKS], roots: [folder] };
  const mcpServers = { old: server, new: { ...server, args: [ASKS, '--modern'] } };
  await writeFile(config, JSON.stringify({ mcpServers }));
});
after(() => rm(folder, { recursive: true, force: true }));

const python = async ({ client }: Connection, code: string, more = {}) =>
  answerOf(await callRunCode(client, { language: 'python', code, ...more }));

const open = (era: Era, capabilities: ClientCapabilities, prepare?: (client: Client) => void) =>
  connect({ era, flags: ['--config', config], env: { HOME: folder }, capabilities, ...(prepare && { prepare }) });

for (const era of ['legacy', 'modern'] as const) {
  describe(`a caller of the ${era} era that can be asked`, () => {
    const seen: string[] = [];
    let thinkMs = 0;
    let connection: Connection;
    before(async () => {
      connection = await open(era, { elicitation: { form: {}, url: {} }, sampling: {} }, (client) => {
        client.setRequestHandler('elicitation/create', async ({ params }) => {
          seen.push(`${params.mode ?? 'form'}: ${params.message}`);
          await new Promise((resolve) => setTimeout(resolve, thinkMs));
          return params.mode === 'url' ? { action: 'accept' } : { action: 'accept', content: { colour: 'red' } };
        });
        client.setRequestHandler('sampling/createMessage', async () => ({
          role: 'assistant',
          model: 'm',
          content: { type: 'text', text: 'word' },
        }));
      });
    });
    after(() => connection[Symbol.asyncDispose]());

    for (const upstream of ['old', 'new']) {
      it(`shows the person the form of an ${upstream} server, with its name`, async () => {
        seen.length = 0;
        const { out, notes } = await python(connection, `mcp.${upstream}.ask_person()`);
        assert.equal(out, "{'action': 'accept', 'content': {'colour': 'red'}}", notes);
        assert.deepEqual(seen, [`form: Server "${upstream}" asks: Which colour?`]);
      });

      it(`opens the page of an ${upstream} server`, async () => {
        seen.length = 0;
        const { out, notes } = await python(connection, `mcp.${upstream}.open_page()["action"]`);
        assert.equal(out, "'accept'", notes);
        assert.deepEqual(seen, [`url: Server "${upstream}" asks: Log in, please`]);
      });

      it(`lends its model to an ${upstream} server`, async () => {
        const { out, notes } = await python(connection, `mcp.${upstream}.ask_model()["content"]["text"]`);
        assert.equal(out, "'word'", notes);
      });

      it(`tells an ${upstream} server the roots of its entry`, async () => {
        const { out, notes } = await python(connection, `mcp.${upstream}.ask_roots()[0]["uri"]`);
        assert.equal(out, `'file://${folder}'`, notes);
      });
    }

    it('opens the page that a server of 2025 wants first, and the call is made again', async () => {
      seen.length = 0;
      const { out, notes } = await python(connection, 'mcp.old.paid()');
      assert.equal(out, '\'"paid"\'', notes);
      assert.deepEqual(seen, ['url: Server "old" asks: Pay first']);
    });

    it('stops the clock of the run while the person thinks, and keeps what was printed', async () => {
      thinkMs = 1_500;
      const code =
        'import asyncio\nprint("before")\nr = await asyncio.gather(mcp.old.ask_person(), mcp.new.ask_person())\nprint(len(r))';
      await python(connection, 'mcp.old.ask_roots(); mcp.new.ask_roots()');
      const { out, notes } = await python(connection, code, { timeout: 1 });
      thinkMs = 0;
      assert.equal(out, 'before\n2\n', notes);
    });
  });

  describe(`a caller of the ${era} era that cannot be asked`, () => {
    let connection: Connection;
    before(async () => {
      connection = await open(era, {});
    });
    after(() => connection[Symbol.asyncDispose]());
    for (const upstream of ['old', 'new']) {
      for (const tool of ['ask_person', 'ask_model']) {
        it(`gives the program an error it can catch from ${upstream}.${tool}`, async () => {
          const code = `try:\n    mcp.${upstream}.${tool}()\nexcept mcp.ToolError as e:\n    print(e.code, e)`;
          const { out } = await python(connection, code);
          // A server of 2025 that sees by itself that it cannot ask says so in its own words.
          const isOwnWord = upstream === 'old' && tool === 'ask_person';
          assert.match(out, isOwnWord ? /^UPSTREAM_FAILED .*elicitation/ : /^CALLER_CANNOT .*(elicitation|sampling)/i);
        });
      }
    }
  });
}

describe('a caller that can show forms and no pages', () => {
  it('shows the address in a form', async () => {
    const seen: string[] = [];
    await using connection = await open('legacy', { elicitation: { form: {} } }, (client) => {
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        seen.push(params.message);
        return { action: 'decline' };
      });
    });
    assert.equal((await python(connection, 'mcp.old.open_page()')).out, "{'action': 'decline'}");
    assert.deepEqual(seen, [
      'Server "old" asks: Log in, please\n\nOpen https://example.test/login and come back here.',
    ]);
  });
});
