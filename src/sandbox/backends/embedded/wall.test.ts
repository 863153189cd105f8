/** The embedded wall for real: what programs can do behind it, and what they cannot. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { encodeFrame, type Frame, FrameReader, fieldBytes, fieldText, fieldTexts } from '#bridge/codec';
import type {
  InterpreterChannel,
  InterpreterExit,
  InterpreterId,
  Sandbox,
  SandboxBackend,
  SandboxLimits,
} from '../../backend.ts';
import { createEmbeddedBackend, type EmbeddedOptions } from './index.ts';

const MIB = 1024 * 1024;
const LIMITS: SandboxLimits = {
  memoryBytes: 512 * MIB,
  tmpBytes: 32 * MIB,
  shmBytes: 0,
  workspaceBytes: 64 * MIB,
  processes: 8,
  openFiles: 64,
  cpus: 1,
};

const folder = mkdtempSync(join(tmpdir(), 'sallyport-embedded-'));
/** One for all tests: only the first start of Python makes the image. */
const cacheDir = join(folder, 'cache');
const secretFile = join(folder, 'secret.json');
writeFileSync(secretFile, '{"secret":"of the host"}');
const openSessions: Session[] = [];
let folders = 0;

interface Answer {
  readonly out: string;
  readonly err: string;
  readonly value?: string;
  readonly exit: number;
  readonly status: string | undefined;
  readonly error?: string;
  readonly notes: readonly string[];
  readonly images: ReadonlyArray<readonly [mime: string, bytes: number]>;
}

interface RunOptions {
  readonly language?: string;
  readonly args?: readonly string[];
  readonly stdin?: string;
  readonly name?: string;
  readonly timeoutMs?: number;
  /** Interrupts when this has been printed. */
  readonly interruptAt?: string;
  readonly onInterrupt?: () => void;
}

type Calls = Readonly<Record<string, { readonly ok: boolean; readonly value: unknown }>>;

/** What the session room does with a sandbox, as far as these tests need it. */
class Session {
  readonly sandbox: Sandbox;
  readonly workspace: string;
  calls: Calls = {};
  /** What the command `mcp` prints and ends with, by its first word. */
  commands: Readonly<Record<string, { readonly out: string; readonly exit: number }>> = {};
  readonly #channels = new Map<InterpreterId, InterpreterChannel>();
  readonly #exits = new Map<InterpreterId, InterpreterExit>();
  #onOutput: (stream: 'stdout' | 'stderr', bytes: Buffer) => void = () => {};
  #onFrame: (frame: Frame) => void = () => {};
  #onExit: (exit: InterpreterExit) => void = () => {};
  #runs = 0;

  constructor(sandbox: Sandbox, workspace: string) {
    this.sandbox = sandbox;
    this.workspace = workspace;
    sandbox.onOutput((stream, bytes) => this.#onOutput(stream, bytes));
  }

  async start(id: InterpreterId): Promise<InterpreterChannel> {
    const channel = await this.sandbox.start(id);
    const reader = new FrameReader();
    channel.onData((bytes) => {
      for (const frame of reader.push(bytes)) this.#take(channel, frame);
    });
    channel.onExit((exit) => {
      this.#exits.set(id, exit);
      this.#channels.delete(id);
      this.#onExit(exit);
    });
    this.#channels.set(id, channel);
    return channel;
  }

  /** Runs a program that is expected to end by itself or by an interrupt. */
  async run(id: InterpreterId, code: string, options: RunOptions = {}): Promise<Answer> {
    const end = await this.end(id, code, options);
    if ('gone' in end) throw new Error(`${id} is gone: ${JSON.stringify(end)}`);
    return end;
  }

  async end(
    id: InterpreterId,
    code: string,
    options: RunOptions = {},
  ): Promise<Answer | { gone: InterpreterExit; out: string; err: string }> {
    const channel = this.#channels.get(id) ?? (await this.start(id));
    const nonce = `\u0002${randomBytes(16).toString('hex')}`;
    const printed = { stdout: '', stderr: '' };
    const images: Array<readonly [string, number]> = [];
    const { promise, resolve } = Promise.withResolvers<Answer | { gone: InterpreterExit; out: string; err: string }>();
    let done: Frame | undefined;
    let isInterrupted = false;
    const look = () => {
      if (options.interruptAt !== undefined && !isInterrupted && printed.stdout.includes(options.interruptAt)) {
        isInterrupted = true;
        channel.interrupt();
        options.onInterrupt?.();
      }
      const [out = '', isOutOver] = printed.stdout.split(`${nonce}E`);
      const [err = '', isErrorOver] = printed.stderr.split(`${nonce}E`);
      if (done && isOutOver !== undefined && isErrorOver !== undefined)
        resolve(answerOf(done, out.split(`${nonce}V`), err, images));
    };
    this.#onOutput = (stream, bytes) => {
      printed[stream] += bytes.toString('utf8');
      look();
    };
    this.#onFrame = (frame) => {
      if (frame.verb === 'image') images.push([fieldText(frame, 'mime') ?? '', fieldBytes(frame, 'data')?.length ?? 0]);
      if (frame.verb === 'done') done = frame;
      look();
    };
    this.#onExit = (gone) => resolve({ gone, out: printed.stdout, err: printed.stderr });
    channel.send(
      encodeFrame('run', [
        ['id', `r${++this.#runs}`],
        ['nonce', nonce],
        ['language', options.language ?? id],
        ['name', options.name ?? '<run 1>'],
        ...(options.timeoutMs === undefined ? [] : [['timeout', String(options.timeoutMs)] as const]),
        ['code', code],
        ...(options.args ?? []).map((arg) => ['arg', arg] as const),
        ...(options.stdin === undefined ? [] : [['stdin', options.stdin] as const]),
      ]),
    );
    return promise;
  }

  /** Standard output, and the value behind it. */
  async out(id: InterpreterId, code: string, options: RunOptions = {}): Promise<string> {
    const { out, value = '', err } = await this.run(id, code, options);
    return out + value + err;
  }

  async ask(
    id: InterpreterId,
    verb: string,
    fields: ReadonlyArray<readonly [string, string]>,
  ): Promise<Record<string, string>> {
    const channel = this.#channels.get(id) ?? (await this.start(id));
    const { promise, resolve } = Promise.withResolvers<Frame>();
    this.#onFrame = resolve;
    channel.send(encodeFrame(verb, [['id', 'q1'], ...fields]));
    const frame = await promise;
    return { verb: frame.verb, ...Object.fromEntries(frame.fields.map(([name, value]) => [name, value.toString()])) };
  }

  #take(channel: InterpreterChannel, frame: Frame): void {
    if (frame.verb !== 'call') return this.#onFrame(frame);
    if (fieldText(frame, 'method') === 'shell') return this.#takeCommand(channel, frame);
    const { ok, value } = this.calls[fieldText(frame, 'method') ?? ''] ?? {
      ok: false,
      value: { code: 'NOT_FOUND', message: 'no' },
    };
    channel.send(
      encodeFrame('reply', [
        ['id', fieldText(frame, 'id') ?? ''],
        ['ok', ok ? '1' : '0'],
        ['value', JSON.stringify(value)],
      ]),
    );
  }

  #takeCommand(channel: InterpreterChannel, frame: Frame): void {
    const { words } = JSON.parse(fieldText(frame, 'params') ?? '{}') as { words: string[] };
    const { out, exit } = this.commands[words[0] ?? ''] ?? { out: '', exit: 2 };
    channel.send(
      encodeFrame('reply', [
        ['id', fieldText(frame, 'id') ?? ''],
        ['ok', '1'],
        ['exit', String(exit)],
        ['err', ''],
        ['out', out],
      ]),
    );
  }
}

function answerOf(done: Frame, [out = '', value]: string[], err: string, images: Answer['images']): Answer {
  const error = fieldText(done, 'error');
  return {
    out,
    err,
    exit: Number(fieldText(done, 'exit')),
    status: fieldText(done, 'status'),
    notes: fieldTexts(done, 'note'),
    images,
    ...(value === undefined ? {} : { value }),
    ...(error === undefined ? {} : { error }),
  };
}

const backend = createEmbeddedBackend({ cacheDir });

async function open(limits: Partial<SandboxLimits> = {}, from: SandboxBackend = backend): Promise<Session> {
  const home = join(folder, String(++folders));
  const [workspace, output] = [join(home, 'workspace'), join(home, 'output')];
  for (const path of [workspace, output]) mkdirSync(path, { recursive: true });
  writeFileSync(join(output, 'kept'), 'printed before');
  const sandbox = await from.create({
    workspace,
    output,
    mounts: [],
    env: { GREETING: 'hello' },
    limits: { ...LIMITS, ...limits },
  });
  const session = new Session(sandbox, workspace);
  openSessions.push(session);
  return session;
}

after(async () => {
  await Promise.all(openSessions.map(({ sandbox }) => sandbox.kill()));
  rmSync(folder, { recursive: true, force: true });
});

describe('embedded wall: Python', () => {
  let session: Session;
  before(async () => {
    session = await open();
  });
  const python = (code: string, options?: RunOptions) => session.run('python', code, options);

  it('prints, shows the last value, and keeps its state', async () => {
    assert.deepEqual(await python('x = 20\nprint("é")\nx + 1'), {
      out: 'é\n',
      value: '21',
      err: '',
      exit: 0,
      status: 'ok',
      notes: [],
      images: [],
    });
    assert.equal(await session.out('python', 'x * 2'), '40');
  });

  it('keeps its state through sys.exit, errors and interrupts', async () => {
    assert.deepEqual(pick(await python('import sys; sys.exit(3)')), { exit: 3, status: 'exit' });
    assert.deepEqual(pick(await python('1 / 0')), { exit: 1, status: 'error' });
    for (const waiting of [
      'while True: pass',
      'import time; time.sleep(60)',
      'import asyncio; await asyncio.sleep(60)',
    ]) {
      const answer = await python(`print("on", flush=True)\n${waiting}`, { interruptAt: 'on' });
      assert.deepEqual(pick(answer), { exit: 130, status: 'interrupted' }, waiting);
    }
    assert.equal(await session.out('python', 'x'), '20');
  });

  it('takes every interrupt, at whatever moment it comes', async () => {
    for (let round = 0; round < 100; round++) {
      const answer = await python('print("on")\nwhile True: pass', { interruptAt: 'on' });
      assert.deepEqual(pick(answer), { exit: 130, status: 'interrupted' });
    }
  });

  it("tells of errors with the program's own frames", async () => {
    const { err, error } = await python('def f():\n    raise ValueError("no")\n\nf()', { name: '<run 9>' });
    assert.equal(
      err,
      'Traceback (most recent call last):\n  File "<run 9>", line 4, in <module>\n    f()\n    ~^^\n  File "<run 9>", line 2, in f\n    raise ValueError("no")\nValueError: no\n',
    );
    assert.equal(error, 'ValueError: no');
  });

  it('has standard input as given, then its end', async () => {
    assert.equal(await session.out('python', 'print(input() + input())', { stdin: 'a\nb\n' }), 'ab\n');
    assert.equal((await python('input()')).error, 'EOFError: EOF when reading a line');
  });

  it('awaits, and runs an event loop of its own', async () => {
    assert.equal(
      await session.out(
        'python',
        'import asyncio\nasync def f(): await asyncio.sleep(0.01); return 7\nasyncio.run(f()) + await f()',
      ),
      '14',
    );
  });

  it('restarts after os._exit, and the other interpreters live on', async () => {
    await session.run('javascript', 'var y = 1');
    const end = await session.end('python', 'print("last", flush=True)\nimport os; os._exit(4)');
    assert.deepEqual(end, { gone: { exitCode: 4, signal: null }, out: 'last\n', err: '' });
    assert.equal((await python('x')).error, "NameError: name 'x' is not defined");
    assert.equal(await session.out('javascript', 'y'), '1');
  });

  it('speaks with the host while a program waits for it', async () => {
    session.calls = {
      'session.list': { ok: true, value: [{ name: 'a' }] },
      'session.close': { ok: false, value: { code: 'SESSION_UNKNOWN', message: 'There is none' } },
    };
    assert.equal(await session.out('python', 'print(mcp.session.list())'), "[{'name': 'a'}]\n");
    assert.equal((await python('mcp.session.close("b")')).error, 'mcp.ToolError: There is none');
  });

  it('parses without running, and answers', async () => {
    assert.deepEqual(
      await session.ask('python', 'check', [
        ['language', 'python'],
        ['code', 'x ='],
      ]),
      {
        verb: 'checked',
        id: 'q1',
        ok: '0',
        line: '1',
        column: '4',
        message: 'invalid syntax',
      },
    );
    assert.deepEqual(await session.ask('python', 'ping', []), { verb: 'pong', id: 'q1' });
  });

  it('shows images', async () => {
    const { images } = await python(`import base64; display(base64.b64decode("${PIXEL}"))`);
    assert.deepEqual(images, [['image/png', 70]]);
  });

  it('has a random generator of its own in every session', async () => {
    const other = await open();
    const code = 'import random; print(random.random())';
    assert.notEqual(await session.out('python', code), await other.out('python', code));
  });

  it('prints a flood in order', async () => {
    const { out } = await python('for i in range(30000): print(i)');
    assert.equal(out, Array.from({ length: 30_000 }, (_, i) => `${i}\n`).join(''));
  });
});

describe('embedded wall: JavaScript', () => {
  let session: Session;
  before(async () => {
    session = await open();
  });
  const js = (code: string, options?: RunOptions) => session.run('javascript', code, options);

  it('prints, shows the last value, and keeps its state; TypeScript too', async () => {
    assert.deepEqual(await js('const x = 20; console.log("é"); x + 1'), {
      out: 'é\n',
      value: '21',
      err: '',
      exit: 0,
      status: 'ok',
      notes: [],
      images: [],
    });
    assert.equal(
      await session.out('javascript', 'enum E { A = 4 }; const y: number = x + E.A; y', { language: 'typescript' }),
      '24',
    );
  });

  it('keeps its state through process.exit, errors and interrupts', async () => {
    assert.deepEqual(pick(await js('process.exit(3); console.log("no")')), { exit: 3, status: 'exit' });
    assert.deepEqual(pick(await js('setTimeout(() => process.exit(4), 5); await new Promise(() => {})')), {
      exit: 4,
      status: 'exit',
    });
    assert.deepEqual(pick(await js('setTimeout(() => { throw new Error("late") }, 1)')), { exit: 1, status: 'error' });
    assert.deepEqual(pick(await js('console.log("on"); await new Promise(() => {})', { interruptAt: 'on' })), {
      exit: 130,
      status: 'interrupted',
    });
    assert.deepEqual(pick(await js('for (;;);', { timeoutMs: 50 })), { exit: 130, status: 'interrupted' });
    assert.equal(await session.out('javascript', 'x'), '20');
  });

  it("tells of errors with the program's own frames", async () => {
    const { err, error } = await js('function f() {\n  throw new TypeError("no");\n}\nf()', { name: '<run 9>' });
    assert.equal(
      err,
      '<run 9>:2\n  throw new TypeError("no");\n        ^\n\nTypeError: no\n    at f (<run 9>:2:9)\n    at <run 9>:4:1\n',
    );
    assert.equal(error, 'TypeError: no');
  });

  it('ends when nothing is left that could still happen', async () => {
    assert.equal(
      await session.out(
        'javascript',
        'setTimeout(() => console.log("timer"), 20); require("fs").readFile("none", (e) => console.log(e.code)); 1',
      ),
      'ENOENT\ntimer\n1',
    );
  });

  it('has standard input as given, then its end', async () => {
    const code = 'require("fs").readFileSync(0, "utf8")';
    assert.equal(await session.out('javascript', code, { stdin: 'abc' }), "'abc'");
    assert.equal(await session.out('javascript', code), "''");
    assert.equal(
      await session.out('javascript', 'for await (const part of process.stdin) console.log(String(part))', {
        stdin: 'd',
      }),
      'd\n',
    );
  });

  it('calls its folders by the names of every wall, in programs and in modules', async () => {
    assert.equal(
      await session.out(
        'javascript',
        `import fs, { readFileSync } from 'node:fs'
         fs.writeFileSync('/workspace/a.txt', 'a'); fs.writeFileSync('/tmp/b', 'b')
         fs.writeFileSync('m.mjs', 'import { readFileSync } from "fs"; export default readFileSync("/workspace/a.txt", "utf8")')
         console.log(process.cwd(), fs.realpathSync('a.txt'), readFileSync('/tmp/b', 'utf8'), readFileSync('/output/kept', 'utf8'), (await import('./m.mjs')).default)`,
      ),
      '/workspace /workspace/a.txt b printed before a\n',
    );
    assert.equal(
      (await js('fs.readFileSync("/workspace/none")')).error,
      "Error: ENOENT: no such file or directory, open '/workspace/none'",
    );
  });

  it('puts back what a program replaced', async () => {
    assert.deepEqual((await js('console.log = () => {}; process.stdout.end()')).notes, [
      'console.log was replaced; restored',
    ]);
    assert.equal(await session.out('javascript', 'console.log("back")'), 'back\n');
  });

  it('speaks with the host', async () => {
    session.calls = { help: { ok: true, value: 'The manual' } };
    assert.equal(await session.out('javascript', 'import mcp from "mcp"; await mcp.help()'), 'The manual\n');
  });

  it('shows images', async () => {
    assert.deepEqual((await js(`display(Buffer.from("${PIXEL}", "base64"))`)).images, [['image/png', 70]]);
  });
});

describe('embedded wall: Bash', () => {
  let session: Session;
  before(async () => {
    session = await open();
  });
  const bash = (code: string, options?: RunOptions) => session.run('bash', code, options);

  it('keeps variables, functions, arrays, directory and status', async () => {
    await bash('x=5; f() { echo "f $1 $x"; }; declare -A m=([k]=v); a=(1 2); mkdir d; cd d; export E=1; false');
    assert.equal(await session.out('bash', 'echo $? $x ${m[k]} ${a[1]} $PWD; f 1'), '1 5 v 2 /workspace/d\nf 1 5\n');
  });

  it('keeps its state through exit, set -e and interrupts', async () => {
    assert.deepEqual(pick(await bash('echo a; exit 3; echo b')), { exit: 3, status: 'exit' });
    assert.deepEqual(pick(await bash('set -e; false; echo b')), { exit: 1, status: 'exit' });
    await bash('set +e');
    for (const waiting of ['sleep 60', 'g() { local x=6; while true; do :; done; }; g']) {
      assert.deepEqual(
        pick(await bash(`echo on\n${waiting}`, { interruptAt: 'on' })),
        { exit: 130, status: 'interrupted' },
        waiting,
      );
    }
    assert.equal(await session.out('bash', 'echo $x'), '5\n');
  });

  it('prints statement by statement, with lines in its errors', async () => {
    assert.deepEqual(await bash('echo a\nno-such-command\necho b'), {
      out: 'a\nb\n',
      err: 'bash: line 2: no-such-command: command not found\n',
      exit: 0,
      status: 'ok',
      notes: [],
      images: [],
    });
    assert.equal((await bash('if')).exit, 2);
  });

  it('has arguments, and standard input that statements share', async () => {
    assert.equal(
      await session.out('bash', 'read a; echo "$a $1 $#"; cat', { args: ["it's", 'b c'], stdin: 'one\ntwo\n' }),
      "one it's 2\ntwo\n",
    );
    assert.equal(await session.out('bash', 'read a; echo $? $#; cat'), '1 0\n');
  });

  it('works on the files of the session', async () => {
    await session.run(
      'python',
      'open("/workspace/p", "w").write("python\\n"); open("/tmp/p", "w").write("scratch\\n")',
    );
    assert.equal(
      await session.out('bash', 'cd /workspace; echo more >> p; cat p /tmp/p /output/kept'),
      'python\nmore\nscratch\nprinted before',
    );
    assert.equal((await bash('echo x > /output/y')).exit, 1);
  });

  it('has the hatch as a command', async () => {
    session.commands = { help: { out: 'The manual\n', exit: 0 }, call: { out: '', exit: 127 } };
    assert.equal(await session.out('bash', 'mcp help | tr a-z A-Z'), 'THE MANUAL\n');
    assert.equal((await bash('mcp call fly away')).exit, 127);
  });
});

describe('embedded wall: what is kept out', () => {
  let session: Session;
  let visits = 0;
  const server = net.createServer(() => {
    visits += 1;
  });
  let port: number;
  before(async () => {
    session = await open();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as net.AddressInfo).port;
  });
  after(() => server.close());

  /** Whether the program gets hold of a secret. */
  async function finds(secret: string, code: string, id: InterpreterId): Promise<boolean> {
    return JSON.stringify(await session.end(id, code)).includes(secret);
  }

  let readings = 0;
  /** Modules have a name of their own each time: one that was loaded is not loaded again. */
  const readers = (file: string, count = ++readings): ReadonlyArray<readonly [InterpreterId, string]> => [
    ['python', `print(open(${JSON.stringify(file)}).read())`],
    ['python', `import js; print(js.Deno.readTextFileSync(${JSON.stringify(file)}))`],
    ['bash', `cat '${file}'`],
    ['javascript', `require('fs').readFileSync(${JSON.stringify(file)}, 'utf8')`],
    ['javascript', `Deno.readTextFileSync(${JSON.stringify(file)})`],
    ['javascript', `await (await fetch('file://${file}')).text()`],
    ['javascript', `(await import('${file}', { with: { type: 'json' } })).default`],
    ['javascript', `require('${file}')`],
    [
      'javascript',
      `require('fs').writeFileSync('e${count}.mjs', 'import x from "${file}" with { type: "json" }; export default x'); (await import('./e${count}.mjs')).default`,
    ],
    [
      'javascript',
      `require('fs').writeFileSync('w${count}.mjs', 'import x from "${file}" with { type: "json" }; postMessage(x)'); const w = new Worker(require('url').pathToFileURL(require('fs').realpathSync('w${count}.mjs').replace('/workspace', Deno.cwd())), { type: 'module' }); await new Promise((done) => { w.onmessage = (e) => done(e.data); w.onerror = (e) => { e.preventDefault(); done(e.message) } })`,
    ],
    [
      'javascript',
      `const { DatabaseSync } = require('node:sqlite'); new DatabaseSync(':memory:').exec("attach '${file}' as a")`,
    ],
    ['javascript', `require('fs').linkSync(${JSON.stringify(file)}, 'l'); require('fs').readFileSync('l', 'utf8')`],
    ['javascript', `Deno.symlinkSync(${JSON.stringify(file)}, 's'); Deno.readTextFileSync('s')`],
  ];
  it('the ways that are tried below do read a file of the workspace', async () => {
    const own = join(session.workspace, 'own.json');
    writeFileSync(own, '{"secret":"of the workspace"}');
    const ways = readers(own).filter(([id, code]) => id === 'javascript' && !/sqlite|symlink|linkSync/.test(code));
    for (const [id, code] of ways) assert.equal(await finds('of the workspace', code, id), true, code);
  });

  for (const [id, code] of readers(secretFile)) {
    it(`no file of the host: ${id}: ${code.replaceAll(secretFile, 'FILE').slice(0, 90)}`, async () => {
      assert.equal(await finds('of the host', code, id), false);
    });
  }

  it('nothing of the environment of the process', async () => {
    process.env.SALLYPORT_TEST_SECRET = 'of the host';
    const other = await open();
    for (const [id, code] of [
      ['python', 'import os, js; print(dict(os.environ), js.Deno.env.toObject().to_py())'],
      ['javascript', 'console.log(process.env, Deno.env.toObject())'],
      ['bash', 'env; set; declare -p'],
    ] as const) {
      const out = await other.out(id, code);
      assert.match(out, /GREETING/);
      assert.doesNotMatch(out, /of the host|SALLYPORT|DENO_/);
    }
    delete process.env.SALLYPORT_TEST_SECRET;
  });

  it('no network', async () => {
    for (const [id, code] of [
      ['python', `import socket; socket.create_connection(("127.0.0.1", ${port}), timeout=1)`],
      ['python', `import urllib.request; urllib.request.urlopen("http://127.0.0.1:${port}")`],
      ['javascript', `await fetch("http://127.0.0.1:${port}")`],
      ['javascript', `await Deno.connect({ port: ${port} })`],
      [
        'javascript',
        `await new Promise((done, fail) => require("net").connect(${port}, "127.0.0.1").on("connect", done).on("error", fail))`,
      ],
      ['javascript', `new WebSocket("ws://127.0.0.1:${port}")`],
      ['javascript', 'Deno.listen({ port: 0 })'],
      ['javascript', `await import("http://127.0.0.1:${port}/x.mjs")`],
      ['bash', `curl http://127.0.0.1:${port}`],
    ] as const) {
      assert.notEqual((await session.run(id, code)).exit, 0, code);
    }
    assert.equal(visits, 0);
  });

  it('no other program, no signal, no library, no debugger', async () => {
    for (const [id, code] of [
      ['python', 'import subprocess; subprocess.run(["true"])'],
      ['python', 'import os; os.system("true")'],
      ['javascript', 'require("child_process").execSync("true")'],
      ['javascript', 'new Deno.Command("/bin/true").outputSync()'],
      ['javascript', `process.kill(${process.pid}, 0)`],
      ['javascript', `Deno.kill(${process.pid}, "SIGUSR1")`],
      ['javascript', 'Deno.dlopen("libc.so.6", {})'],
      ['javascript', 'require("inspector").open(0)'],
      ['javascript', 'await caches.open("x")'],
      ['javascript', 'if (await navigator.gpu?.requestAdapter()) 1; else throw new Error("none")'],
      ['bash', '/bin/true; /usr/bin/env true; no-such'],
    ] as const) {
      assert.notEqual((await session.run(id, code)).exit, 0, code);
    }
  });

  it('no more permission for the asking', async () => {
    const code =
      'for (const name of ["read", "write", "net", "run", "env", "sys", "ffi", "import"]) console.log(name, (await Deno.permissions.request({ name })).state)';
    assert.equal(
      await session.out('javascript', code),
      'read denied\nwrite denied\nnet denied\nrun denied\nenv denied\nsys denied\nffi denied\nimport denied\n',
    );
  });

  it('no writing outside of its folders', async () => {
    const target = join(folder, 'written');
    for (const [id, code] of [
      ['python', `open("${target}", "w").write("x")`],
      ['javascript', `require("fs").writeFileSync("${target}", "x")`],
      ['javascript', `Deno.renameSync(Deno.cwd(), "${target}")`],
      ['bash', `echo x > ${target}`],
      ['javascript', 'require("fs").writeFileSync("/output/x", "x")'],
    ] as const) {
      await session.end(id, code);
    }
    assert.equal(existsSync(target), false);
  });

  it('no link that a workspace brings along', async () => {
    const home = join(folder, 'linked');
    mkdirSync(home);
    symlinkSync('/etc', join(home, 'etc'));
    await assert.rejects(backend.create({ workspace: home, output: home, mounts: [], env: {}, limits: LIMITS }), {
      code: 'SANDBOX_FAILED',
    });
  });
});

describe('embedded wall: limits and ends', () => {
  for (const [id, code] of [
    ['python', 'a = []\nwhile True: a.append(bytearray(10**7))'],
    ['javascript', 'const a = []; for (;;) a.push(new Uint8Array(1e7).fill(1))'],
    ['javascript', 'const a = []; for (;;) a.push({ x: [a.length] })'],
  ] as const) {
    it(`a program that takes too much memory is ended and counted: ${id}, ${code.slice(0, 60)}`, async () => {
      const session = await open({ memoryBytes: 320 * MIB });
      const end = await session.end(id, code);
      assert.ok('gone' in end);
      const { oomKills, peakMemoryBytes } = session.sandbox.usage();
      assert.equal(oomKills, 1);
      assert.ok((peakMemoryBytes ?? 0) < 520 * MIB, `${peakMemoryBytes} bytes at most`);
    });
  }

  it('where the system shows no other process, memory is watched from inside', async () => {
    const inside: EmbeddedOptions = { cacheDir, watch: 'inside' };
    const session = await open({ memoryBytes: 320 * MIB }, createEmbeddedBackend(inside));
    assert.equal(await session.out('javascript', '1'), '1');
    assert.ok(
      'gone' in (await session.end('javascript', 'const a = []; for (;;) a.push(new Uint8Array(1e7).fill(1))')),
    );
    assert.equal(session.sandbox.usage().oomKills, 1);
  });

  it('a program that fills /tmp is ended, and it is said why', async () => {
    const session = await open();
    const end = await session.end('python', 'with open("/tmp/big", "wb") as f:\n    while True: f.write(b"x" * 10**6)');
    assert.ok('gone' in end);
    assert.equal(session.sandbox.usage().tmpFull, true);
  });

  it('a program that never gives way is killed, and nothing is left', async () => {
    const session = await open();
    const { promise: isInterrupted, resolve: onInterrupt } = Promise.withResolvers<void>();
    const code = 'console.log("on"); await 0; for (;;);';
    const end = session.end('javascript', code, { interruptAt: 'on', onInterrupt });
    await isInterrupted;
    await new Promise((resolve) => setTimeout(resolve, 100));
    let hasEnded = false;
    session.sandbox.onEnd(() => {
      hasEnded = true;
    });
    await session.sandbox.kill();
    await session.sandbox.kill();
    assert.deepEqual(await end, { gone: { exitCode: null, signal: 'SIGKILL' }, out: 'on\n', err: '' });
    assert.equal(hasEnded, true);
    assert.deepEqual(
      readdirSync(tmpdir()).filter((name) => name.startsWith(`sallyport-tmp-${process.pid}-`)).length,
      openSessions.filter(({ sandbox }) => sandbox.usage().memoryBytes !== null).length,
    );
  });

  it('a paused output holds the program up and loses nothing', async () => {
    const session = await open();
    await session.start('javascript');
    session.sandbox.pauseOutput();
    const answer = session.run('javascript', 'for (let i = 0; i < 20000; i++) console.log("x".repeat(99))');
    await new Promise((resolve) => setTimeout(resolve, 100));
    session.sandbox.resumeOutput();
    assert.equal((await answer).out.length, 2_000_000);
  });

  it('the second start of Python is several times faster than the first', async () => {
    const own = createEmbeddedBackend({ cacheDir: join(folder, 'own-cache') });
    const times: number[] = [];
    for (const _ of [1, 2]) {
      const session = await open({}, own);
      const from = performance.now();
      await session.start('python');
      times.push(performance.now() - from);
      await session.sandbox.kill();
    }
    const [first = 0, second = 0] = times;
    assert.ok(first > second * 2.5, `first ${Math.round(first)} ms, second ${Math.round(second)} ms`);
  });

  it('two servers may make the image at once, and a torn one is made anew', async () => {
    const shared = join(folder, 'shared-cache');
    const start = async () => {
      const session = await open({}, createEmbeddedBackend({ cacheDir: shared }));
      return session.out('python', '6 * 7').finally(() => session.sandbox.kill());
    };
    assert.deepEqual(await Promise.all([start(), start()]), ['42', '42']);
    const images = readdirSync(shared);
    assert.deepEqual(
      images.map((name) => name.replace(/-.*-[0-9a-f]{16}/, '')),
      ['python.image'],
    );
    writeFileSync(join(shared, images[0] ?? ''), 'torn');
    assert.equal(await start(), '42');
  });

  it('the probe tries the wall', async () => {
    const report = await backend.probe();
    assert.equal(report.works, true);
    assert.equal(await backend.probe(), report);
  });
});

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

function pick({ exit, status }: Answer): { exit: number; status: string | undefined } {
  return { exit, status };
}
