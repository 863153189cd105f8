import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { DiscoveryOptions } from './discover.ts';
import type { Discovery } from './discovery.ts';
import { type DiscoveryWatch, watchDiscovery } from './watch.ts';

let root = '';
let watch: DiscoveryWatch | undefined;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'sallyport-watch-'));
  await mkdir(join(root, 'home'));
});
afterEach(async () => {
  watch?.close();
  await rm(root, { recursive: true, force: true });
});

async function put(path: string, ...names: string[]): Promise<void> {
  const file = join(root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(
    file,
    JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, { command: name }])) }),
  );
}

/** Watches, and tells the names of the servers when they are what a test waits for. */
async function start(options: Partial<DiscoveryOptions> = {}) {
  let seen: string[] | undefined;
  let wanted: { readonly names: string; readonly done: () => void } | undefined;
  const check = () => wanted && seen?.join() === wanted.names && wanted.done();
  const onChange = ({ servers }: Discovery) => {
    seen = servers.map(({ name }) => name);
    check();
  };
  const place = { os: 'linux', home: join(root, 'home'), env: {} } as const;
  watch = watchDiscovery({ place, ...options }, onChange, { quietMs: 10 });
  await watch.ready;
  return {
    seen: () => seen,
    until: (...names: string[]) =>
      new Promise<void>((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`Saw ${seen?.join() ?? 'no change'}, not ${names.join()}`)),
          5_000,
        );
        const done = () => {
          clearTimeout(timer);
          resolve();
        };
        wanted = { names: names.join(), done };
        check();
      }),
  };
}

describe('watchDiscovery() sees', () => {
  it('a file that is written, changed, replaced and removed', async () => {
    await put('home/MCPs/a.json', 'one');
    const { until } = await start();
    await put('home/MCPs/a.json', 'one', 'two');
    await until('one', 'two');
    await put('home/MCPs/new.tmp', 'three');
    await rename(join(root, 'home/MCPs/new.tmp'), join(root, 'home/MCPs/a.json'));
    await until('three');
    await put('home/MCPs/b.json', 'four');
    await until('three', 'four');
    await rm(join(root, 'home/MCPs/a.json'));
    await until('four');
  });

  it('folders that appear later, step by step, go away and come back', async () => {
    const { until } = await start();
    await mkdir(join(root, 'home/.config'));
    await mkdir(join(root, 'home/.config/mcp'));
    await put('home/.config/mcp/servers/a.json', 'a');
    await until('a');
    await put('home/.config/Code/User/profiles/p1/mcp.json', 'b');
    await until('a', 'b');
    await rm(join(root, 'home/.config'), { recursive: true });
    await until();
    await put('home/.config/mcp/servers/c.json', 'c');
    await until('c');
    await put('home/.config/mcp/servers/c.json', 'c', 'd');
    await until('c', 'd');
  });

  it('a home that comes into being', async () => {
    const { until } = await start({ place: { os: 'linux', home: join(root, 'later/home'), env: {} } });
    await put('later/home/.cursor/mcp.json', 'a');
    await until('a');
  });

  it('changes behind a link', async () => {
    await put('dotfiles/cursor.json', 'a');
    await mkdir(join(root, 'home/.cursor'));
    await symlink(join(root, 'dotfiles/cursor.json'), join(root, 'home/.cursor/mcp.json'));
    const { until } = await start();
    await put('dotfiles/cursor.json', 'b');
    await until('b');
  });

  it('our own config, and the file that a variable names', async () => {
    await put('own/config.json', 'own');
    const { until } = await start({
      own: { file: join(root, 'own/config.json') },
      serversConfig: join(root, 'named/x.json'),
    });
    await put('named/x.json', 'named');
    await until('named', 'own');
    await put('own/config.json');
    await until('named');
  });

  it('a project once it is trusted', async () => {
    await put('project/.mcp.json', 'a');
    let isTrusted = false;
    const { until } = await start({ project: join(root, 'project'), isTrusted: () => isTrusted });
    isTrusted = true;
    await watch?.refresh();
    await until('a');
    await put('project/.mcp.json', 'b');
    await until('b');
  });
});

describe('watchDiscovery() tells nothing', () => {
  it('when what is found stays the same', async () => {
    await put('home/MCPs/a.json', 'a');
    const { seen, until } = await start();
    await put('home/MCPs/a.json', 'a');
    await put('home/unrelated.txt');
    await watch?.refresh();
    assert.equal(seen(), undefined);
    await put('home/MCPs/a.json', 'b');
    await until('b');
  });

  it('after it is closed, twice if need be', async () => {
    const { seen } = await start();
    await put('home/MCPs/a.json', 'a');
    watch?.close();
    watch?.close();
    await put('home/MCPs/b.json', 'b');
    await watch?.refresh();
    assert.equal(seen(), undefined);
  });

  it('but what differs from what was known', async () => {
    await put('home/MCPs/a.json', 'a');
    const told: string[][] = [];
    const place = { os: 'linux', home: join(root, 'home'), env: {} } as const;
    const known = { servers: [], problems: [], shadowed: [], skipped: [], needsInput: [], untrusted: [] };
    watch = watchDiscovery({ place }, ({ servers }) => told.push(servers.map(({ name }) => name)), { known });
    await watch.ready;
    assert.deepEqual(told, [['a']]);
  });
});
