import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { describe, it } from 'node:test';
import { encodeFrame, type Frame, FrameReader, fieldText, fieldTexts } from '#bridge/codec';

const KERNEL = join(import.meta.dirname, 'kernel.sh');
const PATIENCE_MS = 5_000;
const BASH = process.env.BASH_UNDER_TEST ?? 'bash';

interface RunOptions {
  args?: string[];
  stdin?: string;
  /** Called when the first bytes of output are there. */
  onOutput?: (kernel: Kernel) => void;
}

/** What one run gave, only with what is not the usual: `exit` 0, `status` ok, nothing on stderr, no notes. */
interface Seen {
  out: string;
  err?: string;
  exit?: number;
  status?: string;
  notes?: string[];
}

/** A kernel with FIFOs for its output and a socket for control, as behind the wall. */
class Kernel {
  readonly home = mkdtempSync(join(tmpdir(), 'sallyport-bash-'));
  readonly child: ChildProcess;
  readonly ready: Promise<Frame>;
  readonly exited: Promise<number | string | null>;
  #control: Duplex;
  #reader = new FrameReader();
  #text = { stdout: '', stderr: '' };
  #pipes: Socket[] = [];
  #listener: () => void = () => {};
  #frames: Frame[] = [];
  #count = 0;

  constructor(env: Record<string, string> = {}) {
    const fds = (['stdout', 'stderr'] as const).map((name) => this.#fifo(name));
    this.child = spawn(BASH, ['--norc', '--noprofile', KERNEL], {
      cwd: this.home,
      detached: true,
      env: {
        PATH: '/usr/local/bin:/usr/bin:/bin',
        LANG: 'C.UTF-8',
        TMPDIR: this.home,
        SALLYPORT_CONTROL_FD: '4',
        ...env,
      },
      stdio: ['ignore', ...fds, 'ignore', 'pipe'],
    });
    for (const fd of fds) closeSync(fd);
    this.#control = this.child.stdio[4] as Duplex;
    this.#control.on('data', (bytes: Buffer) => {
      this.#frames.push(...this.#reader.push(bytes));
      this.#listener();
    });
    this.#control.on('error', () => {}); // the kernel may end with frames unread
    this.exited = new Promise((resolve) => this.child.once('exit', (code, signal) => resolve(code ?? signal)));
    this.exited.then(() => this.#listener());
    this.ready = this.frame('ready');
  }

  #fifo(name: 'stdout' | 'stderr'): number {
    const path = join(this.home, name);
    execFileSync('mkfifo', [path]);
    const readFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const writeFd = openSync(path, constants.O_WRONLY);
    rmSync(path);
    const pipe = new Socket({ fd: readFd, readable: true, writable: false });
    pipe.on('data', (bytes) => {
      this.#text[name] += bytes.toString('latin1');
      this.#listener();
    });
    this.#pipes.push(pipe);
    return writeFd;
  }

  send(verb: string, fields: Array<[string, string]>): void {
    this.write(encodeFrame(verb, fields));
  }

  write(bytes: Buffer): void {
    this.#control.write(bytes);
  }

  get stdout(): string {
    return this.#text.stdout;
  }

  interrupt(): void {
    process.kill(-(this.child.pid as number), 'SIGINT');
  }

  async until<T>(find: () => T | undefined): Promise<T> {
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      if (this.child.exitCode !== null || this.child.signalCode !== null)
        throw new Error(`Kernel ended: ${this.child.exitCode ?? this.child.signalCode}`);
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`Kernel does not answer; it wrote ${JSON.stringify(this.#text)}`)),
          PATIENCE_MS,
        );
        this.#listener = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  /** The next frame of this verb; others are thrown away. */
  async frame(verb: string): Promise<Frame> {
    return await this.until(() => {
      while (this.#frames.length > 0) {
        const frame = this.#frames.shift() as Frame;
        if (frame.verb === verb) return frame;
      }
      return undefined;
    });
  }

  async run(code: string, { args = [], stdin, onOutput }: RunOptions = {}): Promise<Seen> {
    const id = String(++this.#count);
    const nonce = `nonce-${id}-${'x'.repeat(24)}`;
    this.#text = { stdout: '', stderr: '' };
    this.send('run', [
      ['id', id],
      ['nonce', nonce],
      ['language', 'bash'],
      ['name', `<run ${id}>`],
      ['timeout', '30000'],
      ['code', code],
      ...args.map((arg): [string, string] => ['arg', arg]),
      ...(stdin === undefined ? [] : ([['stdin', stdin]] as Array<[string, string]>)),
    ]);
    if (onOutput) {
      await this.until(() => (this.#text.stdout === '' ? undefined : true));
      onOutput(this);
    }
    const done = await this.until(() => {
      return this.#frames[0] && this.#text.stdout.includes(`${nonce}E`) && this.#text.stderr.includes(`${nonce}E`)
        ? this.#frames.shift()
        : undefined;
    });
    assert.equal(done?.verb, 'done');
    assert.equal(fieldText(done, 'id'), id);
    const [out, err] = [this.#text.stdout, this.#text.stderr].map((text) => {
      assert.ok(text.endsWith(`${nonce}E`), `more after the end: ${text}`);
      return Buffer.from(text.slice(0, -nonce.length - 1), 'latin1').toString('utf8');
    }) as [string, string];
    const seen: Seen = { out };
    const exit = Number(fieldText(done, 'exit'));
    const status = fieldText(done, 'status');
    const notes = fieldTexts(done, 'note');
    if (err !== '') seen.err = err;
    if (exit !== 0) seen.exit = exit;
    if (status !== 'ok') seen.status = status as string;
    if (notes.length > 0) seen.notes = notes;
    return seen;
  }

  endControl(): void {
    this.#control.end();
  }

  async close(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null)
      process.kill(-(this.child.pid as number), 'SIGKILL');
    await this.exited;
    for (const pipe of this.#pipes) pipe.destroy();
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** Not at once: a child that has not quite become `sleep` would not notice. */
function interruptSoon(kernel: Kernel): void {
  setTimeout(() => kernel.interrupt(), 150);
}

type Step = [code: string, expected: Seen | string, options?: RunOptions];

/** Each case has a kernel of its own; a plain string is the whole of what a good run prints. */
const cases: Record<string, Step[]> = {
  'prints on both streams, to the byte': [
    ['echo out; echo err >&2; printf "no end"', { out: 'out\nno end', err: 'err\n' }],
    ["printf 'a\\0b\\377\\n' | od -An -tx1", ' 61 00 62 ff 0a\n'],
    ['echo "grüße 🙂"; x=🙂; echo ${#x}', 'grüße 🙂\n1\n'],
    ['', ''],
    ['# nothing', ''],
    ['-x', { out: '', err: 'bash: line 1: -x: command not found\n', exit: 127, status: 'error' }],
  ],
  'keeps variables, functions, arrays, aliases, options and the directory': [
    [
      'a=1; declare -A m=([k]="v w"); l=(1 2 3); f() { echo "f $1 $a"; }; shopt -s extglob expand_aliases; alias hi="echo hello"; export E=env; mkdir sub; cd sub',
      '',
    ],
    [
      'f x; echo "${m[k]} ${l[@]: -1}"; hi; sh -c \'echo $E\'; [[ ab == @(ab|c) ]] && basename "$PWD"',
      'f x 1\nv w 3\nhello\nenv\nsub\n',
    ],
    ['cd -', { out: '@HOME@\n' }],
  ],
  'keeps everything through exit': [
    [
      'a=1; readonly R=2; declare -i n=3; declare -A m=(["k 1"]=$\'v\\n\\tw\'); l=([2]=x [5]="y z"); e=(); declare -x E="en v"; declare u; shopt -s extglob expand_aliases nullglob\n' +
        'f() { case $1 in @(a|b)) echo "f \'$1\'";; esac; }; g() { echo g; }; set -o pipefail; alias hi=\'echo "hello"\'; export -f g\n' +
        "trap 'echo term' TERM; umask 027; mkdir -p d1 d2; cd d1; pushd ../d2 >/dev/null; n+=4; exit 3",
      { out: '', exit: 3, status: 'exit' },
    ],
    [
      'echo "$a $R $n ${m[k 1]@Q} ${!l[*]} ${l[5]} ${#e[@]} $E"; f a; hi',
      "1 2 7 $'v\\n\\tw' 2 5 y z 0 en v\nf 'a'\nhello\n",
    ],
    ['R=5; echo not reached', { out: '', err: 'bash: line 1: R: readonly variable\n', exit: 1, status: 'error' }],
    ['shopt -qo pipefail && shopt -q nullglob && umask; trap -p; bash -c g', "0027\ntrap -- 'echo term' SIGTERM\ng\n"],
    [
      'dirs -v | sed "s,$PWD,.,;s,/.*/,,"; popd >/dev/null; basename "$PWD"; basename "$OLDPWD"',
      ' 0  .\n 1  d1\nd1\nd2\n',
    ],
  ],
  'keeps globals, not the locals of functions that were going on': [
    [
      'x=global; l=(1 2); g() { local x=g l=(9) only=1; f; }; f() { local x=f; local -n r=x; y=set; exit 4; }; g',
      { out: '', exit: 4, status: 'exit' },
    ],
    ['echo "$x ${l[*]} ${only-none} ${r-none} $y"', 'global 1 2 none none set\n'],
  ],
  'ends a run where the program says so': [
    ['echo a; exit 0; echo b', { out: 'a\n', status: 'exit' }],
    ['echo a; exit 7; echo b', { out: 'a\n', exit: 7, status: 'exit' }],
    ['echo a; exit 300', { out: 'a\n', exit: 44, status: 'exit' }],
    ['(exit 9); exit', { out: '', exit: 9, status: 'exit' }],
    ['echo a; return 5; echo b', { out: 'a\n', exit: 5, status: 'error' }],
    ['f() { return 6; }; f', { out: '', exit: 6, status: 'error' }],
    ['return', ''],
    ['true; false', { out: '', exit: 1, status: 'error' }],
    ['( exit 3 ); echo "sub $?"', 'sub 3\n'],
    ['echo $(echo in; exit 4) $?', 'in 4\n'],
    ['echo x | exit 3', { out: '', exit: 3, status: 'error' }],
  ],
  'ends a run where an option says so, and keeps the state': [
    ['set -e; v=1; false; echo never', { out: '', exit: 1, status: 'exit' }],
    ['echo "$v"; false; echo never', { out: '1\n', exit: 1, status: 'exit' }],
    ['set +e; false; echo on', 'on\n'],
    [
      'set -u; echo "$nope"; echo never',
      { out: '', err: 'bash: line 1: nope: unbound variable\n', exit: 1, status: 'exit' },
    ],
    ['set +u; echo "$v[$nope]"', '1[]\n'],
    ['set -euo pipefail; false | true', { out: '', exit: 1, status: 'exit' }],
    ['return 4', { out: '', exit: 4, status: 'exit' }],
    [
      'set +e; : "${nope:?is missing}"; echo never',
      { out: '', err: 'bash: line 1: nope: is missing\n', exit: 1, status: 'exit' },
    ],
    ['set +uo pipefail; echo $v', '1\n'],
  ],
  'tells errors with the lines of the code': [
    [
      'echo a\n\nno-such-command x\necho b',
      { out: 'a\nb\n', err: 'bash: line 3: no-such-command: command not found\n' },
    ],
    ['f() {\n  no-such-command\n}', ''],
    ['\n\n\nf', { out: '', err: 'bash: line 2: no-such-command: command not found\n', exit: 127, status: 'error' }],
    [
      'echo a\nif then\nfi',
      {
        out: 'a\n',
        err: "bash: eval: line 2: syntax error near unexpected token `then'\nbash: eval: line 2: `if then'\n",
        exit: 2,
        status: 'error',
      },
    ],
    ['cat <<X\nline $LINENO\nX\necho $LINENO', 'line 1\n4\n'],
    [
      'echo "$0 ${BASH_SOURCE[0]} $(dirname "${BASH_SOURCE[0]}")"; [[ ${BASH_SOURCE[0]} == "$0" ]] && echo main',
      'bash bash .\nmain\n',
    ],
  ],
  'gives arguments and standard input': [
    ['printf "<%s>" "$#" "$@"', '<3><a b><$(x)><-n>', { args: ['a b', '$(x)', '-n'] }],
    ['echo "$#"; set -- q r; echo "$#"', '0\n2\n'],
    ['echo "$#"; read x; echo "rc $?"', '0\nrc 1\n'],
    ['read x; echo "got $x"; cat', 'got 1\n2\nno end', { stdin: '1\n2\nno end' }],
    ['cat', '', { stdin: '' }],
    ['cat', ''],
    ['cat | wc -c; head -c 4', '400000\n', { stdin: 'x'.repeat(400_000) }],
    ['exec < /dev/zero; head -c 3 | wc -c', '3\n', { stdin: 'abc' }],
    ['cat', 'ü🙂', { stdin: 'ü🙂' }],
    ['od -An -c', '   a  \\0   b\n', { stdin: 'a\0b' }],
    ['echo fine', 'fine\n'],
  ],
  'runs EXIT traps at the end of their run': [
    ["trap 'echo bye $?' EXIT; echo hi", 'hi\nbye 0\n'],
    ['echo again; trap -p', 'again\n'],
    ["trap 'echo bye $?' EXIT; echo hi; false", { out: 'hi\nbye 1\n', exit: 1, status: 'error' }],
    ["trap 'echo bye $?' 0; exit 3", { out: 'bye 3\n', exit: 3, status: 'exit' }],
    [
      'cleanup() { rc=$?; echo clean $rc; exit $rc; echo never; }; trap cleanup EXIT; x=kept; exit 4',
      { out: 'clean 4\n', exit: 4, status: 'exit' },
    ],
    ["trap 'exit 9' EXIT; echo $x", { out: 'kept\n', exit: 9, status: 'exit' }],
    ["trap 'echo one' EXIT; trap - EXIT; echo two", 'two\n'],
    [
      'trap \'echo "it is"\' EXIT; trap -p EXIT; trap; echo "$(trap -p EXIT)"',
      'trap -- \'echo "it is"\' EXIT\ntrap -- \'echo "it is"\' EXIT\ntrap -- \'echo "it is"\' EXIT\nit is\n',
    ],
    ["( trap 'echo sub' EXIT; echo in ); echo out", 'in\nsub\nout\n'],
    [
      "sleep 100 & trap 'kill $(jobs -p); wait; echo killed' EXIT; exit 2",
      { out: 'killed\n', exit: 2, status: 'exit' },
    ],
    ["set -e; trap 'echo bye; false; echo on' EXIT; false", { out: 'bye\non\n', exit: 1, status: 'exit' }],
    ['set +e; type -t exit', 'builtin\n'],
  ],
  'ends EXIT, INT, DEBUG, ERR and RETURN traps with their run': [
    ["trap 'echo err $LINENO' ERR; false\ntrue", 'err 1\n'],
    ["trap 'echo dbg' DEBUG; :; trap - DEBUG", 'dbg\ndbg\n'],
    ["f() { trap 'echo ret' RETURN; echo in; }; f; echo out", 'in\nret\nout\n'],
    ["trap 'echo usr' USR1; trap 'echo d' DEBUG; trap 'echo x' INT", /* each later command */ 'd\n'],
    ['false; kill -USR1 $$; trap -p', { out: "usr\ntrap -- 'echo usr' SIGUSR1\n" }],
  ],
  'puts standard output, error and input back': [
    ['exec >log 2>&1; echo to the log', ''],
    ['cat log; exec >&- 2>&- <&-', 'to the log\n'],
    ['echo back; echo err >&2; cat', { out: 'back\n', err: 'err\n' }],
    ['exec 3>three 10>ten 11>eleven; echo a >&3', ''],
    ['echo b >&3; echo c >&10; echo d >&11; cat three ten eleven', 'a\nb\nc\nd\n'],
    ['exit 1', { out: '', exit: 1, status: 'exit' }],
    ['echo e >&3; echo f >&11; cat three ten eleven', 'a\nb\ne\nc\nd\nf\n'],
    ['exec 3>&- 10>&- 11>&-; ls /proc/self/fd | awk "\\$1 > 3 && \\$1 < 230"', ''],
    ['echo x >/dev/stdout; echo y >/dev/stderr', { out: 'x\n', err: 'y\n' }],
  ],
  'is not disturbed by what programs do to a shell': [
    [
      'read() { echo mine; }; printf() { :; }; source() { :; }; eval() { :; }; exit() { echo no; }; local() { :; }; set() { :; }; cd() { builtin cd "$@" && echo moved; }',
      '',
    ],
    ['read; cd .; printf x', 'mine\nmoved\n'],
    [
      'unset -f read printf source eval exit local set cd; command() { :; }; declare() { :; }; builtin exit 2',
      { out: '', exit: 2, status: 'exit' },
    ],
    ['type -t command declare; unset -f command declare', 'function\nfunction\n'],
    ['builtin() { echo mine; }', { out: '', notes: ['builtin was replaced; restored'] }],
    ['builtin echo theirs', 'theirs\n'],
    [
      'builtin() { :; }; unset() { :; }; exit 3',
      { out: '', exit: 3, status: 'exit', notes: ['builtin was replaced; restored'] },
    ],
    ['IFS=0123456789; readonly code=1 name=2 line=3 i=4 n=5 id=6', ''],
    ['echo "$IFS"; IFS=$\' \\t\\n\'; LC_ALL=C; x=🙂; echo ${#x}', '0123456789\n4\n'],
    ['unset LC_ALL; echo ${#x}; set -f; set -C; set -o posix', '1\n'],
    ['echo *; set +f; set +C; set +o posix', '*\n'],
    ['set -a; q=1', ''],
    ['set +a; env | grep -c -e ^__sp -e ^BASH_FUNC', { out: '0\n', exit: 1, status: 'error' }],
    ['shopt -s nocasematch extdebug xpg_echo lastpipe failglob; shopt -u sourcepath', ''],
    ['return 3', { out: '', exit: 3, status: 'error' }],
    [
      'shopt -u nocasematch extdebug xpg_echo lastpipe failglob; shopt -q sourcepath || echo off; shopt -s sourcepath',
      'off\n',
    ],
    ['REPLY=mine', ''],
    ['echo $REPLY; alias builtin=false while=false eval=false; shopt -s expand_aliases', 'mine\n'],
    ['echo a', 'a\n'],
    ['exit 1', { out: '', exit: 1, status: 'exit' }],
    ['unalias -a; echo b', 'b\n'],
  ],
  'shows traces of the program alone': [
    ['set -x\necho a', { out: 'a\n', err: '+++ echo a\n' }],
    [
      "echo b\ntrap 'echo bye' EXIT\ntrap - EXIT\nreturn 0",
      { out: 'b\n', err: "+++ echo b\n+++ trap 'echo bye' EXIT\n+++ trap - EXIT\n+++ return 0\n" },
    ],
    ['exit 3', { out: '', err: '+++ exit 3\n', exit: 3, status: 'exit' }],
    ['echo c', { out: 'c\n', err: '+++ echo c\n' }],
    ['set +x', { out: '', err: '+++ set +x\n' }],
    ['set -v\necho d', { out: 'd\n', err: 'echo d\n' }],
    ['set +v', { out: '', err: 'set +v\n' }],
  ],
  'goes on in the workspace when the directory is gone': [
    ['mkdir gone; cd gone; rm -r ../gone', ''],
    ['echo "$PWD"; ls', { out: '@HOME@\n', notes: ['the working directory is gone; back in @HOME@'] }],
    [
      'mkdir gone; cd gone; rm -r ../gone; exit 1',
      { out: '', exit: 1, status: 'exit', notes: ['the working directory is gone; back in @HOME@'] },
    ],
    ['echo "$PWD"; mkdir real; ln -s real link; cd link', { out: '@HOME@\n' }],
    ['echo "$PWD"; exit 0', { out: '@HOME@/link\n', status: 'exit' }],
    ['echo "$PWD"', { out: '@HOME@/link\n' }],
  ],
  'lets background jobs live on': [
    ['sleep 1000 & echo $! >pid', ''],
    ['kill -0 $(<pid) && jobs -r | wc -l; exit 1', { out: '1\n', exit: 1, status: 'exit' }],
    ['kill -0 $(<pid) && echo alive; kill $(<pid)', 'alive\n'],
    ['{ sleep 0.05; echo late; } & wait; echo $?', 'late\n0\n'],
  ],
  'is interrupted, and keeps the state': [
    [
      'k=1; echo go; while :; do :; done',
      { out: 'go\n', exit: 130, status: 'interrupted' },
      { onOutput: interruptSoon },
    ],
    ['echo $k; sleep 100', { out: '1\n', exit: 130, status: 'interrupted' }, { onOutput: interruptSoon }],
    [
      "trap 'echo clean' EXIT; echo go; sleep 100; echo never",
      { out: 'go\nclean\n', exit: 130, status: 'interrupted' },
      { onOutput: interruptSoon },
    ],
    [
      "trap 'echo caught; exit 5' INT; echo go; sleep 100",
      { out: 'go\ncaught\n', exit: 5, status: 'exit' },
      { onOutput: interruptSoon },
    ],
    [
      'echo go; (while :; do :; done); echo never',
      { out: 'go\n', exit: 130, status: 'interrupted' },
      { onOutput: interruptSoon },
    ],
    [
      "trap 'got=1; echo caught' INT; echo go; until [[ $got ]]; do sleep 0.01; done; trap - INT; echo on; sleep 100 & wait",
      { out: 'go\ncaught\non\n', exit: 130, status: 'interrupted' },
      {
        onOutput: (kernel) => {
          interruptSoon(kernel);
          setTimeout(() => kernel.interrupt(), 600);
        },
      },
    ],
    ['echo $k', '1\n'],
  ],
};

/** Whole programs that end the process: the host sees it and starts another. */
const endings: Array<[name: string, code: string, end: number | string]> = [
  ['exec of a command', 'exec sh -c "exit 4"', 4],
  ['a kill', 'kill -9 $$', 'SIGKILL'],
  ['descriptors closed under its feet', 'exec 202>&- 203>&-', 71],
];

async function withKernel(use: (kernel: Kernel) => Promise<void>): Promise<void> {
  const kernel = new Kernel();
  try {
    await kernel.ready;
    await use(kernel);
  } finally {
    await kernel.close();
  }
}

async function expectSteps(kernel: Kernel, steps: readonly Step[]): Promise<void> {
  for (const [code, expected, options] of steps) {
    const seen = await kernel.run(code, options);
    const wanted = typeof expected === 'string' ? { out: expected } : expected;
    assert.deepEqual(seen, JSON.parse(JSON.stringify(wanted).replaceAll('@HOME@', kernel.home)), code);
  }
}

describe('Bash kernel', () => {
  for (const [name, steps] of Object.entries(cases)) {
    it(name, () => withKernel((kernel) => expectSteps(kernel, steps)));
  }

  it('gives processes the word for their run, and those of an earlier run keep theirs', () =>
    withKernel(async (kernel) => {
      const first = await kernel.run(
        'sh -c \'echo "$SALLYPORT_RUN"\'; ( sleep 0.2; sh -c \'echo "$SALLYPORT_RUN"\' ) >log &',
      );
      const second = await kernel.run('sh -c \'echo "$SALLYPORT_RUN"\'; wait; cat log');
      assert.notEqual(first.out, '\n');
      const [now, left] = second.out.split('\n');
      assert.deepEqual([`${left}\n`, now === left], [first.out, false]);
    }));

  it('says its version when it is ready', async () => {
    const kernel = new Kernel();
    assert.match(fieldText(await kernel.ready, 'version') ?? '', /^[45]\.\d+\./);
    await kernel.close();
  });

  it('answers a ping, and parses without running', () =>
    withKernel(async (kernel) => {
      kernel.send('ping', [['id', 'q1']]);
      assert.deepEqual(texts(await kernel.frame('pong')), { id: 'q1' });
      kernel.send('no-such-verb', [
        ['id', 'q2'],
        ['x', 'a\nb'],
      ]);
      for (const [code, verdict] of [
        ['echo ran >ran\necho "${x[@]}"', { ok: '1' }],
        ['echo a\nif then', { ok: '0', line: '2', message: "syntax error near unexpected token `then'" }],
        ['echo "', { ok: '0', line: '1', message: 'unexpected EOF while looking for matching `"\'' }],
      ] as const) {
        kernel.send('check', [
          ['id', 'q3'],
          ['language', 'bash'],
          ['code', code],
        ]);
        assert.deepEqual(texts(await kernel.frame('checked')), { id: 'q3', ...verdict });
      }
      assert.deepEqual(await kernel.run('ls'), { out: '' });
    }));

  for (const [name, code, end] of endings) {
    it(`ends with ${name}`, () =>
      withKernel(async (kernel) => {
        await assert.rejects(kernel.run(code), new Error(`Kernel ended: ${end}`));
      }));
  }

  it('ends when its control channel ends', async () => {
    const kernel = new Kernel();
    await kernel.ready;
    kernel.endControl();
    assert.equal(await kernel.exited, 0);
    await kernel.close();
  });

  it('takes a long program, and carries a large state over', () =>
    withKernel(async (kernel) => {
      assert.deepEqual(await kernel.run(`${'# grüße\n'.repeat(100_000)}echo $LINENO`), { out: '100001\n' });
      // More than an exec may pass on in the environment.
      assert.deepEqual(await kernel.run('export BIG=$(head -c 3000000 /dev/zero | tr "\\0" x); exit 1'), {
        out: '',
        exit: 1,
        status: 'exit',
      });
      assert.deepEqual(await kernel.run('echo ${#BIG}; unset BIG; ls | wc -l'), { out: '3000000\n0\n' });
    }));

  it('is interrupted by a signal that comes before the program has begun', () =>
    withKernel(async (kernel) => {
      const frame = encodeFrame('run', [
        ['id', '1'],
        ['nonce', 'n'],
        ['language', 'bash'],
        ['name', '<run 1>'],
        ['timeout', '30000'],
        ['code', 'echo ran; sleep 10'],
      ]);
      kernel.write(frame.subarray(0, 20));
      await new Promise((resolve) => setTimeout(resolve, 100));
      kernel.interrupt();
      await new Promise((resolve) => setTimeout(resolve, 100));
      kernel.write(frame.subarray(20));
      assert.deepEqual(texts(await kernel.frame('done')), { id: '1', exit: '130', status: 'interrupted' });
      assert.equal(kernel.stdout, 'nE');
    }));

  it('ignores an interrupt between runs', () =>
    withKernel(async (kernel) => {
      await kernel.run('x=1');
      kernel.interrupt();
      await new Promise((resolve) => setTimeout(resolve, 50));
      assert.deepEqual(await kernel.run('echo $x'), { out: '1\n' });
    }));

  it('costs little time and memory', (t) =>
    withKernel(async (kernel) => {
      const medians: string[] = [];
      for (const [code, count] of [
        ['echo 42', 300],
        ['exit 3', 20],
      ] as const) {
        const times: number[] = [];
        for (let i = 0; i < count; i++) {
          const startedAt = performance.now();
          await kernel.run(code);
          times.push(performance.now() - startedAt);
        }
        const median = times.sort((a, b) => a - b)[count >> 1] as number;
        medians.push(`${code}: ${median.toFixed(2)} ms`);
        // Far above what it takes, so that only a mistake fails and not a busy machine.
        assert.ok(median < (code === 'exit 3' ? 200 : 20), medians.join(', '));
      }
      const memory = readFileSync(`/proc/${kernel.child.pid}/smaps_rollup`, 'utf8');
      const privateKb = [...memory.matchAll(/^Private_\w+:\s+(\d+) kB$/gm)].reduce(
        (sum, [, kb]) => sum + Number(kb),
        0,
      );
      assert.ok(privateKb < 4_000, `${privateKb} kB`);
      t.diagnostic(`${medians.join(', ')}; private memory ${privateKb} kB`);
    }));
});

function texts(frame: Frame): Record<string, string> {
  return Object.fromEntries(frame.fields.map(([name, value]) => [name, value.toString('utf8')]));
}
