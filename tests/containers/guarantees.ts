/** What containers are started with, as their engine tells it; and that none is left, however a server ends. */
import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WallName } from '../e2e/behaviours.ts';
import { answerOf, callRunCode, connect } from '../support/client.ts';
import { allContainers, askEngine, containersOf } from '../support/engines.ts';
import { TEST_IMAGE, wallFlags } from '../support/walls.ts';

const MIB = 1024 * 1024;

interface Inspected {
  readonly Config: { readonly User: string; readonly Labels: Readonly<Record<string, string>> };
  readonly HostConfig: {
    readonly NetworkMode: string;
    readonly ReadonlyRootfs: boolean;
    readonly CapDrop: readonly string[];
    readonly CapAdd: readonly string[] | null;
    readonly Privileged: boolean;
    readonly SecurityOpt: readonly string[];
    readonly Memory: number;
    readonly MemorySwap: number;
    readonly PidsLimit: number;
    readonly NanoCpus: number;
    readonly AutoRemove: boolean;
    readonly ShmSize: number;
    readonly PidMode: string;
    readonly IpcMode: string;
  };
  readonly Mounts: ReadonlyArray<{ readonly Destination: string; readonly RW: boolean }>;
}

async function until(condition: () => boolean, what: string): Promise<void> {
  for (const deadline = Date.now() + 15_000; !condition(); await sleep(100)) {
    assert.ok(Date.now() < deadline, what);
  }
}

export function describeGuarantees(engine: WallName): void {
  describe(`containers of ${engine}`, () => {
    it('have every lock that was promised', async () => {
      const flags = [...wallFlags(engine), '--warm', 'off', '--memory', '200m', '--pids', '50', '--cpus', '1.5'];
      await using connection = await connect({ flags });
      await callRunCode(connection.client, { language: 'bash', code: 'true' });
      const [name = '', ...others] = containersOf(engine, connection.transport.pid ?? 0);
      assert.deepEqual(others, []);
      const [{ Config, HostConfig, Mounts }] = JSON.parse(askEngine(engine, ['inspect', name])) as [Inspected];
      assert.equal(HostConfig.NetworkMode, 'none');
      assert.equal(HostConfig.ReadonlyRootfs, true);
      assert.equal(HostConfig.Privileged, false);
      assert.deepEqual(HostConfig.CapAdd ?? [], []);
      assert.ok(HostConfig.CapDrop.length > 0, 'capabilities are dropped');
      assert.ok(HostConfig.SecurityOpt.some((option) => option.startsWith('no-new-privileges')));
      assert.ok(!HostConfig.SecurityOpt.some((option) => /unconfined|seccomp/.test(option)), 'default filter kept');
      assert.equal(Config.User, '65534:65534');
      assert.equal(HostConfig.Memory, (200 + 256 + 64) * MIB);
      assert.equal(HostConfig.MemorySwap, HostConfig.Memory);
      assert.equal(HostConfig.PidsLimit, 59);
      assert.equal(HostConfig.NanoCpus, 1_500_000_000);
      assert.equal(HostConfig.ShmSize, 64 * MIB);
      assert.equal(HostConfig.AutoRemove, true);
      assert.notEqual(HostConfig.PidMode, 'host');
      assert.notEqual(HostConfig.IpcMode, 'host');
      assert.equal(Config.Labels.sallyport, '1');
      const writable = Mounts.filter(({ RW }) => RW).map(({ Destination }) => Destination);
      assert.deepEqual(
        writable.filter((path) => path !== '/tmp'),
        ['/workspace'],
      );
    });

    it('show a program what the flags say', async () => {
      await using connection = await connect({ flags: [...wallFlags(engine), '--warm', 'off'] });
      const code = `
import os
status = dict(line.split(":", 1) for line in open("/proc/self/status") if ":" in line)
print(os.getuid(), os.getgid(), status["CapBnd"].strip(), status["NoNewPrivs"].strip(), status["Seccomp"].strip())
mounts = {line.split()[4]: line.split()[5] for line in open("/proc/self/mountinfo")}
print("noexec" in mounts["/tmp"], mounts["/"].split(",")[0], mounts["/workspace"].split(",")[0], mounts["/output"].split(",")[0])
print(sorted(os.listdir("/sys/class/net")), open("/etc/hosts").read().count("sallyport"), os.listdir("/run/sallyport/door"))
written = []
for folder in ["/", "/etc", "/usr/bin", "/run", "/run/sallyport", "/var/tmp", "/dev", "/output", "/home", "/root"]:
    try:
        open(folder + "/canary", "w")
        written.append(folder)
    except OSError:
        pass
print(written)
print(open("/proc/1/cmdline").read().replace("\\0", " ").strip())`;
      const answer = answerOf(await callRunCode(connection.client, { language: 'python', code }));
      assert.deepEqual(answer.out.trimEnd().split('\n'), [
        '65534 65534 0000000000000000 1 2',
        'True ro rw ro',
        "['lo'] 2 []",
        '[]',
        '/bin/sh /run/sallyport/inside/container/gate.sh',
      ]);
    });

    it('show host folders as asked for, and keep what runs on the host later from being written', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'sallyport, mount-'));
      await chmod(folder, 0o777);
      await mkdir(join(folder, '.git'), { mode: 0o777 });
      try {
        const name = basename(folder);
        const code = `cd "/workspace/${name}" && touch made && echo made; touch .git/hook || echo kept`;
        for (const [mode, expected] of [
          ['rw', 'made\nkept\n'],
          ['ro', 'kept\n'],
        ]) {
          const flags = [...wallFlags(engine), '--warm', 'off', '--mount', `${folder}:${mode}`];
          await using connection = await connect({ flags });
          const answer = answerOf(await callRunCode(connection.client, { language: 'bash', code }));
          assert.equal(answer.out, expected, answer.notes);
        }
        await chmod(folder, 0o755);
        await using connection = await connect({ flags: [...wallFlags(engine), '--mount', `${folder}:rw`] });
        const answer = answerOf(await callRunCode(connection.client, { language: 'bash', code }));
        assert.match(answer.out, /user 65534:65534 may not write it/);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });

    it('are gone when their server was killed', async () => {
      const connection = await connect({ flags: wallFlags(engine) });
      const pid = connection.transport.pid ?? 0;
      await callRunCode(connection.client, { session: 'a', language: 'python', code: 'import time; x = 1' });
      assert.notDeepEqual(containersOf(engine, pid), []);
      process.kill(pid, 'SIGKILL');
      await until(() => containersOf(engine, pid).length === 0, 'containers are left of a killed server');
      await connection[Symbol.asyncDispose]();
    });

    it('are removed by the next server when a dead one left them, and nobody else’s are', async () => {
      const stateDir = await mkdtemp(join(tmpdir(), 'sallyport-sweep-'));
      const sleeping = ['--network', 'none', '--entrypoint', 'sleep', TEST_IMAGE, '600'];
      const limits = ['--ulimit', 'nofile=256:256', '--ulimit', 'nproc=1024:1024'];
      const start = (name: string, ...labels: string[]) =>
        askEngine(engine, ['run', '--detach', '--name', name, ...labels, ...limits, ...sleeping]);
      let mark = '';
      {
        await using connection = await connect({ flags: wallFlags(engine), stateDir });
        await callRunCode(connection.client, { language: 'bash', code: 'true' });
        mark = containersOf(engine, connection.transport.pid ?? 0)[0] ?? '';
      }
      // As if a server of this machine, with a pid that is another process's now, had been stopped in the middle.
      const left = mark.replace(/-\d+-\d+-\d+$/, '-1-7-1');
      const alive = mark.replace(/-\d+-\d+-\d+$/, `-${process.pid}-${await startOf(process.pid)}-1`);
      const elsewhere = left.replace(/^sallyport-\w{8}/, 'sallyport-00000000');
      const names = [left, alive, elsewhere, 'sallyport-somebody-elses'];
      try {
        for (const name of [left, alive, elsewhere]) start(name, '--label', 'sallyport.server=x');
        start('sallyport-somebody-elses');
        await using connection = await connect({ flags: wallFlags(engine), stateDir });
        await callRunCode(connection.client, { language: 'bash', code: 'true' });
        await until(() => !allContainers(engine).includes(left), 'what a dead server left is still there');
        const there = allContainers(engine);
        assert.deepEqual(
          names.slice(1).filter((name) => !there.includes(name)),
          [],
        );
      } finally {
        for (const name of names) {
          try {
            askEngine(engine, ['kill', name]);
            askEngine(engine, ['rm', '--force', name]);
          } catch {
            // It is gone.
          }
        }
        await rm(stateDir, { recursive: true, force: true });
      }
    });
  });
}

async function startOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}
