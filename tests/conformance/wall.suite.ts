/**
 * What every wall promises, tried from behind it. A wall passes the whole suite; what it cannot do is in `EXCEPTIONS`
 * with the reason, and is tried all the same: an exception that is no longer true fails.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { WallName } from '../e2e/behaviours.ts';
import { type Answer, answerOf, type Connection, callRunCode, connect, metaOf } from '../support/client.ts';
import { sandboxProcesses } from '../support/processes.ts';
import type { TestUser } from '../support/users.ts';
import { wallFlags } from '../support/walls.ts';

type Language = 'python' | 'javascript' | 'bash';

interface Host {
  readonly connection: Connection;
  /** A port on the host's loopback that counts who comes. */
  readonly port: number;
  readonly visits: () => number;
  readonly canaryFile: string;
  readonly canaryProcess: ChildProcess;
}

interface WallPromise {
  readonly name: string;
  readonly holds: (
    host: Host,
    run: (language: Language, code: string, more?: object) => Promise<Answer>,
  ) => Promise<void>;
}

const CANARY = 'canary-d41d8cd9';

const PROMISES: readonly WallPromise[] = [
  {
    name: 'reaches no port of the host',
    async holds(host, run) {
      await run(
        'python',
        `import socket\ns = socket.socket()\ns.settimeout(1)\ns.connect(("127.0.0.1", ${host.port}))`,
      );
      await run(
        'javascript',
        `await new Promise((done) => require("node:net").connect(${host.port}, "127.0.0.1").on("error", done).on("connect", done))`,
      );
      await run('bash', `exec 5<>/dev/tcp/127.0.0.1/${host.port}`);
      assert.equal(host.visits(), 0);
    },
  },
  {
    name: 'fails to look up a name',
    async holds(_host, run) {
      const code =
        'import socket\ntry:\n    print(socket.getaddrinfo("example.com", 80))\nexcept Exception as error: print("none")';
      assert.equal((await run('python', code)).out, 'none\n');
    },
  },
  {
    name: 'reads no file of the host',
    async holds(host, run) {
      const answers = [
        await run('python', `print(open(${JSON.stringify(host.canaryFile)}).read())`),
        await run(
          'javascript',
          `console.log(require("node:fs").readFileSync(${JSON.stringify(host.canaryFile)}, "utf8"))`,
        ),
        await run('bash', `cat ${host.canaryFile}`),
      ];
      for (const answer of answers) {
        assert.equal(answer.failed, true);
        assert.equal(`${answer.out}${answer.notes}`.includes(CANARY), false);
      }
    },
  },
  {
    name: 'sees nothing of the environment of the host',
    async holds(_host, run) {
      const answers = [
        await run('python', 'import os; print(dict(os.environ))'),
        await run('javascript', 'console.log(process.env)'),
        await run('bash', 'env; set'),
      ];
      for (const answer of answers) assert.equal(`${answer.out}${answer.notes}`.includes(CANARY), false);
    },
  },
  {
    name: 'sees and signals no process of the host',
    async holds(host, run) {
      const pid = host.canaryProcess.pid ?? 0;
      await run('python', `import os\nos.kill(${pid}, 9)`);
      await run('javascript', `process.kill(${pid}, "SIGKILL")`);
      await run('bash', `kill -9 ${pid}`);
      assert.equal(host.canaryProcess.exitCode ?? host.canaryProcess.signalCode, null);
    },
  },
  {
    name: 'writes to its workspace and its scratch, in every language',
    async holds(_host, run) {
      assert.equal(
        (
          await run(
            'python',
            'open("p", "w").write("1")\nopen("/tmp/p", "w").write("2")\nprint(open("p").read() + open("/tmp/p").read())',
          )
        ).out,
        '12\n',
      );
      assert.equal(
        (
          await run(
            'javascript',
            'const fs = require("node:fs"); fs.writeFileSync("j", "3"); console.log(fs.readFileSync("p", "utf8") + fs.readFileSync("j", "utf8"))',
          )
        ).out,
        '13\n',
      );
      assert.equal((await run('bash', 'cat p j; echo')).out, '13\n');
    },
  },
  {
    name: 'shares its scratch between the languages',
    async holds(_host, run) {
      await run('python', 'open("/tmp/shared", "w").write("here")');
      assert.equal((await run('bash', 'cat /tmp/shared')).out, 'here');
      assert.equal((await run('javascript', 'require("node:fs").readFileSync("/tmp/shared", "utf8")')).out, "'here'");
    },
  },
  {
    name: 'delivers a flood of 100 MB without losing count, and goes on',
    async holds(_host, run) {
      const flood = await run('python', 'line = "x" * 999\nfor i in range(100_000): print(line)', { timeout: 60 });
      const [head = '', gap = '', tail = ''] = flood.out.split(/^(… .* …)\n/m);
      assert.match(head, /^(?:x{999}\n)+$/);
      assert.match(
        gap,
        /^… 100 MB left out; the first 67 MB: \/output\/\w+\/stdout or sallyport:\/\/runs\/\w+\/stdout; 33 MB dropped …$/,
      );
      assert.match(tail, /^(?:x{999}\n)+$/);
      assert.equal(flood.failed, false);
      assert.equal((await run('python', 'print("on")')).out, 'on\n');
    },
  },
  {
    name: 'stops a program that takes too much memory, by name, and goes on',
    async holds({ connection }, run) {
      const result = await callRunCode(connection.client, {
        session: 'memory',
        language: 'python',
        code: 'a = []\nwhile True: a.append(bytearray(10_000_000))',
        timeout: 30,
      });
      assert.equal(metaOf(result).stop, 'memory');
      assert.equal((await run('python', 'print("on")')).out, 'on\n');
    },
  },
  {
    name: 'stops a program that writes too much, by name, and goes on',
    async holds({ connection }, run) {
      const code =
        'import time\nfor i in range(200):\n    open(f"big{i}", "wb").write(b"x" * 10_000_000)\n    time.sleep(0.02)';
      const result = await callRunCode(connection.client, { session: 'disk', language: 'python', code, timeout: 30 });
      assert.equal(metaOf(result).stop, 'disk');
      assert.equal((await run('python', 'print("on")')).out, 'on\n');
    },
  },
  {
    name: 'starts other programs',
    async holds(_host, run) {
      assert.equal(
        (
          await run(
            'python',
            'import subprocess; print(subprocess.run(["echo", "hi"], capture_output=True, text=True).stdout, end="")',
          )
        ).out,
        'hi\n',
      );
    },
  },
  {
    name: 'runs threads in Python',
    async holds(_host, run) {
      assert.equal(
        (
          await run(
            'python',
            'import threading\nt = threading.Thread(target=lambda: print("thread"))\nt.start(); t.join()',
          )
        ).out,
        'thread\n',
      );
    },
  },
];

/** What a wall declares that it cannot do. */
const EXCEPTIONS: Readonly<Record<WallName, Readonly<Record<string, string>>>> = {
  bubblewrap: {},
  podman: {},
  docker: {},
  embedded: {
    'starts other programs': 'Deno has no permission to, and the interpreters inside have no processes',
    'runs threads in Python': 'Pyodide has none',
  },
};

/** `as`: the server is another user's. */
export function describeWall(wall: WallName, { title = wall, as }: { title?: string; as?: TestUser } = {}): void {
  describe(`${title} wall`, () => {
    let host: Host & { close(): Promise<void> };
    before(async () => {
      host = await openHost(wall, as);
    });
    after(() => host.close());

    let count = 0;
    for (const promise of PROMISES) {
      const reason = EXCEPTIONS[wall][promise.name];
      const session = `promise-${++count}`;
      const run = async (language: Language, code: string, more: object = {}) =>
        answerOf(await callRunCode(host.connection.client, { session, language, code, ...more }));
      if (reason === undefined) it(promise.name, () => promise.holds(host, run));
      else it(`still cannot: ${promise.name} (${reason})`, () => assert.rejects(promise.holds(host, run)));
    }

    it('leaves no process when its server ends', async () => {
      const mine = await connect({ flags: wallFlags(wall), ...(as && { as }) });
      const pid = mine.transport.pid ?? 0;
      await callRunCode(mine.client, { language: 'python', code: 'x = 1' });
      assert.notDeepEqual(await sandboxProcesses(pid, mine.stateDir), []);
      await mine.client.close();
      await new Promise((resolve) => setTimeout(resolve, 500));
      assert.deepEqual(await sandboxProcesses(pid, mine.stateDir), []);
      await mine[Symbol.asyncDispose]();
    });
  });
}

/** Programs behind a wall that isolates users are never root outside, even when the server is. */
export async function usersOfSandboxes(): Promise<string[]> {
  const found = new Set<string>();
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const command = await readFile(`/proc/${entry}/cmdline`, 'latin1').catch(() => ''); // ended meanwhile
    if (!command.includes('/run/sallyport/inside/')) continue;
    const status = await readFile(`/proc/${entry}/status`, 'latin1').catch(() => '');
    found.add(/^Uid:\s+(\d+)/m.exec(status)?.[1] ?? '');
  }
  return [...found];
}

async function openHost(wall: WallName, as: TestUser | undefined): Promise<Host & { close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-host-'));
  const canaryFile = join(folder, 'canary');
  await writeFile(canaryFile, CANARY, { mode: 0o644 });
  let visits = 0;
  const listener = net.createServer((socket) => {
    visits++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const canaryProcess = spawn('sleep', ['98765'], { stdio: 'ignore' });
  const flags = [...wallFlags(wall), '--workspace-size', '200m', '--max-sessions', '50'];
  const connection = await connect({ flags, env: { SALLYPORT_TEST_CANARY: CANARY }, ...(as && { as }) });
  return {
    connection,
    port: (listener.address() as net.AddressInfo).port,
    visits: () => visits,
    canaryFile,
    canaryProcess,
    async close() {
      canaryProcess.kill('SIGKILL');
      listener.close();
      await connection[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
