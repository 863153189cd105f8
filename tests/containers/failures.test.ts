/** Engines that cannot: each time a clear answer with a way out, and a server that goes on. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, openSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerOf, callRunCode, connect, metaOf } from '../support/client.ts';
import { askEngine } from '../support/engines.ts';
import { availableEngines, TEST_IMAGE, wallFlags } from '../support/walls.ts';

const engines = await availableEngines();
const isFull = process.env.SALLYPORT_TEST_FULL === '1';

for (const engine of engines) {
  it(`${engine}: an image that is not here, of a registry that does not answer, is said to be so`, async () => {
    const flags = ['--sandbox', engine, '--image', 'localhost:1/nobody/nothing:1', '--warm', 'off'];
    await using connection = await connect({ flags });
    const answers = await Promise.all(
      ['a', 'b'].map((session) => callRunCode(connection.client, { session, language: 'bash', code: 'true' })),
    );
    for (const answer of answers) {
      assert.match(answerOf(answer).out, /registry cannot be reached[\s\S]*hint: .*--image/);
      assert.equal(metaOf(answer).error?.code, 'SANDBOX_FAILED');
    }
    assert.equal(connection.stderr().match(/Pulling the image/g)?.length, 1, 'pulled once for both');
  });

  it(`${engine}: an image without what Sallyport's Node needs is refused with the reason`, async () => {
    const name = 'sallyport-test:empty';
    const folder = await mkdtemp(join(tmpdir(), 'sallyport-empty-'));
    try {
      writeFileSync(join(folder, 'file'), 'nothing');
      execFileSync('tar', ['-cf', join(folder, 'image.tar'), '-C', folder, 'file']);
      askEngine(engine, ['import', join(folder, 'image.tar'), name]);
      await using connection = await connect({ flags: ['--sandbox', engine, '--image', name, '--warm', 'off'] });
      const answer = answerOf(await callRunCode(connection.client, { language: 'bash', code: 'true' }));
      assert.match(answer.out, /has no \/bin\/sh that runs here[\s\S]*hint: .*--image/);
    } finally {
      askEngine(engine, ['image', 'rm', '--force', name]);
      await rm(folder, { recursive: true, force: true });
    }
  });
}

if (engines.includes('docker')) {
  it('docker: a socket that is not there is named, and the server starts all the same', async () => {
    const env = { DOCKER_HOST: 'unix:///nonexistent/docker.sock' };
    await using connection = await connect({ flags: wallFlags('docker'), env });
    const answer = answerOf(await callRunCode(connection.client, { language: 'bash', code: 'true' }));
    assert.match(answer.out, /The Docker daemon does not answer[\s\S]*hint: .*systemctl start docker/);
  });

  // Half a minute for a daemon of its own.
  const inFull = isFull ? it : () => {};
  inFull('docker: a daemon that is killed ends no run; new sessions wait for its return', async () => {
    const daemon = await TestDaemon.start();
    try {
      daemon.ask(['import', IMAGE_ARCHIVE, TEST_IMAGE]);
      const flags = [...wallFlags('docker'), '--warm', 'off'];
      await using connection = await connect({ flags, env: { DOCKER_HOST: daemon.host } });
      const run = (session: string, code: string) =>
        callRunCode(connection.client, { session, language: 'python', code });
      await run('a', 'x = 1');
      const going = run('a', 'import time\ntime.sleep(2)\nprint("through", x)');
      await sleep(300);
      await daemon.kill();
      assert.equal(answerOf(await going).out, 'through 1\n');
      assert.match(answerOf(await run('b', '1')).out, /The Docker daemon does not answer/);
      await daemon.again();
      assert.equal(answerOf(await run('c', 'print("back")')).out, 'back\n');
    } finally {
      await daemon.close();
    }
  });
}

if (engines.includes('podman') && process.getuid?.() === 0) {
  it('podman: a full disk is named, and space that comes back is used', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sallyport-full-'));
    const [disk, settings] = [join(folder, 'disk'), join(folder, 'storage.conf')];
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=600m', 'tmpfs', disk]);
    const env = { CONTAINERS_STORAGE_CONF: settings };
    try {
      const places = `graphroot = "${join(disk, 'graph')}"\nrunroot = "${join(disk, 'run')}"`;
      writeFileSync(settings, `[storage]\ndriver = "overlay"\n${places}\n`);
      execFileSync('podman', ['import', '--quiet', IMAGE_ARCHIVE, TEST_IMAGE], { env: { ...process.env, ...env } });
      await using connection = await connect({ flags: [...wallFlags('podman'), '--warm', 'off'], env });
      const run = async (session: string) =>
        answerOf(await callRunCode(connection.client, { session, language: 'bash', code: 'echo on' }));
      assert.equal((await run('a')).out, 'on\n');
      fill(disk);
      assert.match((await run('b')).out, /The disk is full[\s\S]*hint: Free some space/);
      rmSync(join(disk, 'ballast'));
      assert.equal((await run('c')).out, 'on\n');
    } finally {
      execFileSync('umount', ['--lazy', disk]);
      await rm(folder, { recursive: true, force: true });
    }
  });
}

/** See scripts/test/containers.mjs. */
const IMAGE_ARCHIVE = join(tmpdir(), 'sallyport-test-image-1.tar');

function fill(disk: string): void {
  const { bavail, bsize } = statfsSync(disk);
  execFileSync('fallocate', ['--length', String(bavail * bsize), join(disk, 'ballast')]);
}

class TestDaemon {
  readonly #folder: string;
  #child: ChildProcess;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#child = this.#spawn();
  }

  static async start(): Promise<TestDaemon> {
    const daemon = new TestDaemon(await mkdtemp(join(tmpdir(), 'sallyport-daemon-')));
    await daemon.#untilUp();
    return daemon;
  }

  get host(): string {
    return `unix://${join(this.#folder, 'docker.sock')}`;
  }

  ask(args: readonly string[]): string {
    return askEngine('docker', ['--host', this.host, ...args]);
  }

  async kill(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await ended;
  }

  async again(): Promise<void> {
    rmSync(join(this.#folder, 'pid'), { force: true });
    this.#child = this.#spawn();
    await this.#untilUp();
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGTERM');
    await ended;
    // A daemon that was killed leaves its folder mounted onto itself.
    for (let tries = 0; tries < 4; tries++) spawnSync('umount', ['--recursive', join(this.#folder, 'data')]);
    await rm(this.#folder, { recursive: true, force: true });
  }

  #spawn(): ChildProcess {
    const at = (name: string) => join(this.#folder, name);
    const log = openSync(at('log'), 'a');
    const places = ['--data-root', at('data'), '--exec-root', at('exec'), '--pidfile', at('pid'), '--host', this.host];
    const alone = ['--iptables=false', '--ip6tables=false', '--bridge=none'];
    return spawn('dockerd', [...places, ...alone], { stdio: ['ignore', log, log] });
  }

  async #untilUp(): Promise<void> {
    for (const deadline = Date.now() + 60_000; ; await sleep(200)) {
      try {
        this.ask(['version']);
        return;
      } catch (error) {
        if (Date.now() > deadline) throw error;
      }
    }
  }
}
