/** Servers that people use, as their authors publish them. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { ToolProgress, ToolValue } from '#contracts/tool';
import { entry, failureOf, openGateway, type TestGateway } from '../support/upstreams.ts';

const EVERYTHING = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));
const FILES = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'));
const MEMORY = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-memory/dist/index.js'));

describe('public servers', () => {
  let folder: string;
  let gateway: TestGateway;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sallyport-files-'));
    const memory = { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') };
    gateway = await openGateway({
      servers: [
        entry('everything', { command: process.execPath, args: [EVERYTHING] }),
        entry('files', { command: process.execPath, args: [FILES, folder] }),
        entry('memory', { command: process.execPath, args: [MEMORY], env: memory }),
      ],
    });
  });
  after(async () => {
    await gateway[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  });

  const call = async (server: string, tool: string, input: Record<string, unknown> = {}) =>
    (await gateway.call(server, tool, input)).value;

  it('are listed, and stopped again', async () => {
    await gateway.search('anything');
    await gateway.settled();
    assert.deepEqual(
      (await gateway.status()).map(({ name, state, tools }) => [name, state, tools]),
      [
        ['everything', 'idle', 13],
        ['files', 'idle', 14],
        ['memory', 'idle', 9],
      ],
    );
  });

  it('are found by what is wanted', async () => {
    const first = async (query: string) => {
      const { hits } = await gateway.search(query, { limit: 1 });
      return `${hits[0]?.tool.server}.${hits[0]?.tool.name}`;
    };
    assert.equal(await first('read_text_file'), 'files.read_text_file');
    assert.equal(await first('rename a file'), 'files.move_file');
    assert.equal(await first('new entities for the knowledge graph'), 'memory.create_entities');
  });

  it('everything: text, images, structured content, progress, resources, prompts', async () => {
    assert.deepEqual(await call('everything', 'echo', { message: 'hi' }), { kind: 'text', text: 'Echo: hi' });
    const image = await call('everything', 'get-tiny-image');
    assert.deepEqual(kindsOf(image), ['text', 'binary', 'text']);
    const weather = await call('everything', 'get-structured-content', { location: 'Chicago' });
    assert.equal(weather.kind, 'json');
    assert.deepEqual(kindsOf(await call('everything', 'get-resource-links', { count: 2 })), ['text', 'link', 'link']);

    const seen: ToolProgress[] = [];
    const input = { duration: 0.4, steps: 4 };
    await gateway.call('everything', 'trigger-long-running-operation', input, {
      onProgress: (progress) => seen.push(progress),
    });
    assert.deepEqual(
      seen.map(({ progress, total }) => [progress, total]),
      [1, 2, 3, 4].map((step) => [step, 4]),
    );

    const [resource] = await gateway.resources('everything');
    const { contents, value } = await gateway.read('everything', String(resource?.uri));
    assert.deepEqual([contents.length, value.kind], [1, 'text']);
    assert.ok((await gateway.resourceTemplates('everything')).length > 0);
    assert.ok((await gateway.prompts('everything')).some(({ name }) => name === 'simple-prompt'));
    const prompt = await gateway.prompt('everything', 'simple-prompt', {});
    assert.equal(Array.isArray(prompt.messages), true);
  });

  it('filesystem: reads, writes, and refuses what is outside', async () => {
    await writeFile(join(folder, 'note.txt'), 'a note\n');
    const read = await call('files', 'read_text_file', { path: join(folder, 'note.txt') });
    assert.deepEqual(read, { kind: 'json', value: { content: 'a note\n' } });
    await call('files', 'write_file', { path: join(folder, 'new.txt'), content: 'written' });
    assert.equal(await readFile(join(folder, 'new.txt'), 'utf8'), 'written');
    const { code, message } = await failureOf(gateway.call('files', 'read_text_file', { path: '/etc/passwd' }));
    assert.equal(code, 'UPSTREAM_FAILED');
    assert.match(message, /outside allowed directories/);
  });

  it('memory: keeps what it is told, over a restart too', async () => {
    const ada = { name: 'Ada', entityType: 'person', observations: ['writes programs'] };
    await call('memory', 'create_entities', { entities: [ada] });
    const { pid = 0 } = (await gateway.status()).find(({ name }) => name === 'memory') ?? {};
    process.kill(pid, 'SIGKILL');
    const found = await call('memory', 'search_nodes', { query: 'Ada' }).catch(() =>
      call('memory', 'search_nodes', { query: 'Ada' }),
    );
    assert.deepEqual(found.kind === 'json' && found.value, { entities: [ada], relations: [] });
  });

  it('30 calls over three servers, side by side', async () => {
    const values = await Promise.all(
      Array.from({ length: 10 }, (_, index) => [
        call('everything', 'get-sum', { a: index, b: 1 }),
        call('files', 'list_directory', { path: folder }),
        call('memory', 'read_graph'),
      ]).flat(),
    );
    assert.equal(values.length, 30);
    assert.deepEqual(values[27], { kind: 'text', text: 'The sum of 9 and 1 is 10.' });
  });
});

function kindsOf(value: ToolValue): string[] {
  return value.kind === 'list' ? value.items.map(({ kind }) => kind) : [value.kind];
}
