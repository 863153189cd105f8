/**
 * What a caller may rely on, as a table: what is sent, and the whole of what comes back.
 *
 * Each behaviour has a session of its own and is checked over a real MCP client, in both protocol eras and behind
 * every wall; `not` names walls that declare they cannot do it.
 */
import type { RunArguments, RunMeta } from '../support/client.ts';

export type WallName = 'bubblewrap' | 'podman' | 'docker' | 'embedded';

export interface Step extends RunArguments {
  readonly out: string | RegExp;
  /** The second text block; left out means that there is none. */
  readonly notes?: string | RegExp;
  readonly failed?: true;
  readonly images?: readonly string[];
  readonly meta?: Partial<RunMeta>;
}

export interface Behaviour {
  readonly name: string;
  /** Walls that cannot do it, with the reason. */
  readonly not?: Partial<Record<WallName, string>>;
  readonly steps: readonly Step[];
}

const NO_CHILDREN = { embedded: 'no child processes there' };
const python = (code: string, rest: Omit<Step, 'code' | 'language'>): Step => ({ code, language: 'python', ...rest });
const javascript = (code: string, rest: Omit<Step, 'code' | 'language'>): Step => ({
  code,
  language: 'javascript',
  ...rest,
});
const typescript = (code: string, rest: Omit<Step, 'code' | 'language'>): Step => ({
  code,
  language: 'typescript',
  ...rest,
});
const bash = (code: string, rest: Omit<Step, 'code' | 'language'>): Step => ({ code, language: 'bash', ...rest });

const output: readonly Behaviour[] = [
  {
    name: 'stdout comes back to the byte',
    steps: [
      python('print("a\\n\\tb", end="")', { out: 'a\n\tb', meta: { exitCode: 0, language: 'python', stop: null } }),
    ],
  },
  { name: 'a program that prints nothing says so', steps: [python('x = 1', { out: '(no output)' })] },
  {
    name: 'the value of a last expression follows on its own line',
    steps: [python('print("a", end="")\n6 * 7', { out: 'a\n42' })],
  },
  { name: 'None is not shown', steps: [python('None', { out: '(no output)' })] },
  { name: 'a string value is shown as in a notebook', steps: [python('"a" + "b"', { out: "'ab'" })] },
  {
    name: 'JavaScript shows the value of a last expression',
    steps: [javascript('const a = [1, 2]; a.map((x) => x * 2)', { out: '[ 2, 4 ]' })],
  },
  { name: 'undefined is not shown', steps: [javascript('undefined', { out: '(no output)' })] },
  {
    name: 'stdout and stderr never hide each other',
    steps: [python('import sys\nprint("out")\nprint("err", file=sys.stderr)', { out: 'out\n', notes: 'stderr: err' })],
  },
  {
    name: 'a warning on stderr is not a failure',
    steps: [bash('echo careful >&2', { out: '(no output)', notes: 'stderr: careful' })],
  },
  {
    name: 'several lines of stderr stand below their label',
    steps: [bash('echo a >&2; echo b >&2', { out: '(no output)', notes: 'stderr:\na\nb' })],
  },
  {
    name: 'invalid UTF-8 becomes a replacement character',
    steps: [python('import os, sys\nsys.stdout.flush()\nn = os.write(1, b"a\\xffb\\n")', { out: 'a\uFFFDb\n' })],
    not: { embedded: 'os.write goes to the terminal layer of Pyodide' },
  },
  {
    name: 'NUL and ANSI codes arrive as they are',
    steps: [python('print("\\x00\\x1b[31mred\\x1b[0m")', { out: '\u0000\u001b[31mred\u001b[0m\n' })],
  },
  { name: 'a lone surrogate does not break the answer', steps: [python('print("a\\ud800b")', { out: 'a\\ud800b\n' })] },
  {
    name: 'Unicode is kept',
    steps: [
      python('print("grüße 🙂 漢字")', { out: 'grüße 🙂 漢字\n' }),
      javascript('console.log("grüße 🙂 漢字")', { out: 'grüße 🙂 漢字\n' }),
      bash('echo "grüße 🙂 漢字"', { out: 'grüße 🙂 漢字\n' }),
    ],
  },
  {
    name: 'output of child processes arrives in order',
    not: NO_CHILDREN,
    steps: [
      python('import os, subprocess\nprint("1")\nsubprocess.run(["echo", "2"])\nn = os.write(1, b"3\\n")\nprint("4")', {
        out: '1\n2\n3\n4\n',
      }),
    ],
  },
  {
    name: 'JavaScript output of child processes arrives in order',
    not: NO_CHILDREN,
    steps: [
      javascript(
        'const cp = require("node:child_process"); console.log("1"); cp.execFileSync("echo", ["2"], { stdio: "inherit" }); console.log("3")',
        { out: '1\n2\n3\n' },
      ),
    ],
  },
  {
    name: 'long output shows head and tail and says where the rest is',
    steps: [
      python('print("x" * 100_000)', { out: /^x{8000,16000}\n?… .*\/output\/\w+\/stdout.*\n?x{8000,16000}\n$/s }),
    ],
  },
];

const state: readonly Behaviour[] = [
  {
    name: 'Python keeps variables, functions and imports',
    steps: [
      python('import math\nx = 20\ndef f(n): return n + x', { out: '(no output)' }),
      python('f(math.floor(1.5))', { out: '21' }),
    ],
  },
  {
    name: 'JavaScript and TypeScript share one realm',
    steps: [
      javascript('let a = 1; function inc(n) { return n + a }', { out: '(no output)' }),
      typescript('const b: number = inc(41); b', { out: '42' }),
      javascript('let a = 2; inc(b)', { out: '44' }),
    ],
  },
  {
    name: 'Bash keeps variables, functions and the directory',
    steps: [
      bash('x=5; f() { echo "f $1 $x"; }; mkdir -p sub && cd sub', { out: '(no output)' }),
      bash('f 1; basename "$PWD"', { out: 'f 1 5\nsub\n' }),
    ],
  },
  {
    name: 'all languages share the workspace',
    steps: [
      python('open("a.txt", "w").write("from python\\n")', { out: '12', notes: 'files: a.txt (12 B)' }),
      bash('cat a.txt', { out: 'from python\n' }),
      javascript('require("node:fs").readFileSync("a.txt", "utf8")', { out: "'from python\\n'" }),
    ],
  },
  {
    name: 'sys.exit ends the run with its code and keeps the state',
    steps: [
      python('x = 1\nimport sys\nsys.exit(3)', {
        out: '(no output)',
        notes: 'exit code: 3',
        failed: true,
        meta: { exitCode: 3 },
      }),
      python('x', { out: '1' }),
    ],
  },
  { name: 'sys.exit(0) is not a failure', steps: [python('import sys\nprint("ok")\nsys.exit(0)', { out: 'ok\n' })] },
  {
    name: 'process.exit ends the run with its code and keeps the state',
    steps: [
      javascript('var y = 7; process.exit(4)', { out: '(no output)', notes: 'exit code: 4', failed: true }),
      javascript('y', { out: '7' }),
    ],
  },
  {
    name: 'exit in Bash ends the run with its code and keeps the state',
    steps: [
      bash('z=9; exit 5', { out: '(no output)', notes: 'exit code: 5', failed: true }),
      bash('echo $z', { out: '9\n' }),
    ],
  },
  {
    name: 'set -e in Bash fails the run and keeps the state',
    not: { embedded: 'the TypeScript shell ends a call there without its state' },
    steps: [
      bash('set -e; v=1; false; echo never', { out: '(no output)', notes: 'exit code: 1', failed: true }),
      bash('set +e; echo $v', { out: '1\n' }),
    ],
  },
  {
    name: 'an EXIT trap in Bash runs at the end of its run',
    not: { embedded: 'the TypeScript shell has no trap' },
    steps: [bash("trap 'echo bye' EXIT; echo hi", { out: 'hi\nbye\n' }), bash('echo again', { out: 'again\n' })],
  },
  {
    name: 'a class defined in one call can be extended in the next',
    steps: [
      javascript('class A { hi() { return "hi" } }', { out: '(no output)' }),
      typescript('class B extends A { n: number = 1 }\nnew B().hi()', { out: "'hi'" }),
    ],
  },
];

const failures: readonly Behaviour[] = [
  {
    name: 'a traceback shows only the program, with its lines',
    steps: [
      python('def f():\n    return 1 / 0\n\nf()', {
        out: '(no output)',
        notes:
          // Python 3.13 and later mark the call as well.
          /^stderr:\nTraceback \(most recent call last\):\n {2}File "<run 1>", line 4, in <module>\n {4}f\(\)\n(?: {4}~\^\^\n)? {2}File "<run 1>", line 2, in f\n {4}return 1 \/ 0\n {11}~~\^~~\nZeroDivisionError: division by zero\nexit code: 1$/,
        failed: true,
        meta: { error: { code: 'PROGRAM_FAILED', message: 'ZeroDivisionError: division by zero' } },
      }),
    ],
  },
  {
    name: 'a syntax error in Python names the line',
    steps: [
      python('x = 1\ny = = 2', {
        out: '(no output)',
        notes: /^stderr:\n {2}File "<run 1>", line 2\n {4}y = = 2\n {8}\^\nSyntaxError: invalid syntax\nexit code: 1$/,
        failed: true,
      }),
    ],
  },
  {
    name: 'an uncaught error in JavaScript shows only the program',
    steps: [
      javascript('function f() {\n  throw new Error("no")\n}\nf()', {
        out: '(no output)',
        notes: /^stderr:\n[\s\S]*Error: no\n {4}at f \(<run 1>:2:9\)\n {4}at <run 1>:4:1\n[\s\S]*exit code: 1$/,
        failed: true,
      }),
    ],
  },
  {
    name: 'a syntax error in JavaScript names the line',
    steps: [
      javascript('const a = 1\nconst = 2', {
        out: '(no output)',
        notes: /^stderr:\n[\s\S]*<run 1>:2[\s\S]*SyntaxError: [\s\S]*exit code: 1$/,
        failed: true,
      }),
    ],
  },
  {
    name: 'an unknown command in Bash says so with its line',
    steps: [
      bash('echo a\nno-such-command', {
        out: 'a\n',
        notes: /^stderr: bash: (?:line 2: )?no-such-command: command not found\nexit code: 127$/,
        failed: true,
      }),
    ],
  },
  {
    name: 'an unhandled rejection fails the run',
    steps: [
      javascript('Promise.reject(new TypeError("late"))\n1', {
        out: /.*/,
        notes: /TypeError: late[\s\S]*exit code: 1$/,
        failed: true,
      }),
    ],
  },
  {
    name: 'output before a failure is kept',
    steps: [
      python('print("before")\nraise ValueError("no")', {
        out: 'before\n',
        notes: /ValueError: no\nexit code: 1$/,
        failed: true,
      }),
    ],
  },
];

const tolerance: readonly Behaviour[] = [
  {
    name: 'Markdown fences are taken away',
    steps: [{ code: '```python\nprint(1)\n```', out: '1\n', meta: { language: 'python' } }],
  },
  {
    name: 'line numbers in fenced code are those that were sent',
    steps: [
      {
        code: '```python\nraise ValueError("x")\n```',
        out: '(no output)',
        notes: /File "<run 1>", line 2, in <module>/,
        failed: true,
      },
    ],
  },
  {
    name: 'top-level await works in Python',
    steps: [python('import asyncio\nawait asyncio.sleep(0)\nprint("ok")', { out: 'ok\n' })],
  },
  {
    name: 'top-level return works in Python',
    steps: [python('print("a")\nreturn 5\nprint("never")', { out: 'a\n5' })],
  },
  {
    name: 'top-level await and return work in JavaScript',
    steps: [javascript('const x = await Promise.resolve(5)\nif (x) return x + 1\nconsole.log("never")', { out: '6' })],
  },
  { name: 'an indented block works', steps: [python('    x = 1\n    print(x)', { out: '1\n' })] },
  {
    name: 'a forgotten await gives the value',
    steps: [
      python('async def f():\n    return 7\nf()', { out: '7' }),
      javascript('async function g() { return 8 }\ng()', { out: '8' }),
    ],
  },
  {
    name: 'an un-awaited main() still runs to its end',
    steps: [
      javascript('async function main() { await new Promise((r) => setTimeout(r, 20)); console.log("done") }\nmain()', {
        out: 'done\n',
      }),
    ],
  },
  {
    name: 'TypeScript syntax in JavaScript works',
    steps: [javascript('interface P { n: number }\nconst p: P = { n: 3 }\np.n', { out: '3' })],
  },
  { name: 'TypeScript enums work', steps: [typescript('enum E { A = 1, B }\nE.B', { out: '2' })] },
  {
    name: 'static imports work in JavaScript',
    steps: [
      javascript('import { join } from "node:path"\nimport * as url from "node:url"\njoin("a", typeof url.parse)', {
        out: "'a/function'",
      }),
    ],
  },
  { name: 'CRLF line ends work', steps: [bash('echo a\r\necho b\r\n', { out: 'a\nb\n' })] },
  {
    name: 'without a language the first that parses is taken',
    steps: [
      { code: 'print(6*7)', out: '42\n', meta: { language: 'python' } },
      { code: 'const x = 1;\nconsole.log(x)', out: '1\n', meta: { language: 'javascript' } },
      { code: 'let y: number = 2;\nconsole.log(y)', out: '2\n', meta: { language: 'typescript' } },
      { code: 'for i in 1 2; do echo $i; done', out: '1\n2\n', meta: { language: 'bash' } },
    ],
  },
  {
    name: 'a shebang tells the language',
    steps: [{ code: '#!/usr/bin/env bash\necho hi', out: 'hi\n', meta: { language: 'bash' } }],
  },
];

const input: readonly Behaviour[] = [
  {
    name: 'stdin reaches the program',
    steps: [
      python('print(input(), input())', { stdin: 'a\nb\n', out: 'a b\n' }),
      bash('read x; echo "got $x"; cat', { stdin: '1\n2\n', out: 'got 1\n2\n' }),
      javascript('require("node:fs").readFileSync(0, "utf8")', { stdin: 'zz', out: "'zz'" }),
    ],
  },
  {
    name: 'stdin without input ends at once',
    steps: [
      python('input()', { out: '(no output)', notes: /EOFError: [\s\S]*exit code: 1$/, failed: true }),
      bash('read x; echo "rc $?"', { out: 'rc 1\n' }),
    ],
  },
  {
    name: 'args arrive untouched',
    steps: [
      python('import sys; print(sys.argv[1:])', {
        args: ['a b', '$(x)', '--flag', '"q"', 'line\nbreak'],
        out: "['a b', '$(x)', '--flag', '\"q\"', 'line\\nbreak']\n",
      }),
      bash('printf "<%s>" "$@"', { args: ['a b', '$(x)', '-n'], out: '<a b><$(x)><-n>' }),
      javascript('process.argv.slice(2)', { args: ['a b', '-x'], out: "[ 'a b', '-x' ]" }),
    ],
  },
  {
    name: 'files are written first, text and base64',
    steps: [
      python('print(open("d/in.txt").read(), list(open("b.bin", "rb").read()))', {
        files: { 'd/in.txt': 'hello', 'b.bin': 'data:application/octet-stream;base64,AAH/' },
        out: 'hello [0, 1, 255]\n',
      }),
    ],
  },
  {
    name: 'new and changed files are named',
    steps: [
      bash('echo 12345 > a.txt; mkdir d; printf x > d/b', {
        out: '(no output)',
        notes: 'files: a.txt (6 B), d/b (1 B)',
      }),
      bash('echo more >> a.txt; cat d/b', { out: 'x', notes: 'files: a.txt (11 B)' }),
    ],
  },
];

const stops: readonly Behaviour[] = [
  {
    name: 'a timeout interrupts, says so, and keeps the state',
    steps: [
      python('x = 1\nprint("begun", flush=True)\nwhile True: pass', {
        timeout: 0.3,
        out: 'begun\n',
        notes: /^stderr:\n[\s\S]*KeyboardInterrupt\nexit code: 130\nstopped: timeout after 0\.3 s$/,
        failed: true,
        meta: { stop: 'timeout' },
      }),
      python('x', { out: '1' }),
    ],
  },
  {
    name: 'a timeout in JavaScript keeps the state',
    steps: [
      javascript('var q = 5; for (;;) {}', {
        timeout: 0.3,
        out: '(no output)',
        notes: /stopped: timeout after 0\.3 s$/,
        failed: true,
      }),
      javascript('q', { out: '5' }),
    ],
  },
  {
    name: 'a timeout in an awaiting program keeps the state',
    steps: [
      javascript('var w = 6; await new Promise(() => { setInterval(() => {}, 1000) })', {
        timeout: 0.3,
        out: '(no output)',
        notes: /stopped: timeout after 0\.3 s$/,
        failed: true,
      }),
      javascript('w', { out: '6' }),
    ],
  },
  {
    name: 'a timeout in Bash keeps the state',
    not: { embedded: 'the TypeScript shell stops without its state' },
    steps: [
      bash('k=1; while :; do :; done', {
        timeout: 0.3,
        out: '(no output)',
        notes: /stopped: timeout after 0\.3 s$/,
        failed: true,
      }),
      bash('echo $k', { out: '1\n' }),
    ],
  },
  {
    name: 'a program that ignores the interrupt is killed and says that variables are gone',
    steps: [
      python('import signal\nx = 1\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass', {
        timeout: 0.3,
        out: '(no output)',
        notes: /stopped: timeout after 0\.3 s\nsession: restarted, variables lost$/,
        failed: true,
      }),
      python('"x" in globals()', { out: 'False' }),
    ],
  },
  {
    name: 'os._exit restarts the interpreter',
    not: { embedded: 'os._exit ends nothing in Pyodide' },
    steps: [
      python('x = 1\nimport os\nos._exit(7)', {
        out: '(no output)',
        notes: 'exit code: 7\nsession: restarted, variables lost',
        failed: true,
      }),
      python('"x" in globals()', { out: 'False' }),
    ],
  },
  {
    name: 'a crash of one interpreter leaves the others alone',
    not: { embedded: 'os._exit ends nothing in Pyodide' },
    steps: [
      javascript('var keep = 3', { out: '(no output)' }),
      python('import os; os.kill(os.getpid(), 11)', {
        out: '(no output)',
        notes: 'exit code: 139 (SIGSEGV)\nsession: restarted, variables lost',
        failed: true,
      }),
      javascript('keep', { out: '3' }),
    ],
  },
  {
    name: 'too much memory is named',
    steps: [
      python('a = bytearray(900_000_000)', {
        out: '(no output)',
        notes: /stopped: memory/,
        failed: true,
        meta: { stop: 'memory' },
      }),
      python('1 + 1', { out: '2', notes: /.*/ }),
    ],
  },
  {
    name: 'a full /tmp is a disk stop',
    not: { embedded: '/tmp is in memory there' },
    steps: [
      python('f = open("/tmp/big", "wb")\nfor i in range(400): f.write(b"x" * 1_000_000)', {
        out: '(no output)',
        notes: /No space left on device[\s\S]*stopped: disk$/,
        failed: true,
        meta: { stop: 'disk' },
      }),
      python('import os; f = None; os.remove("/tmp/big"); 1', { out: '1' }),
    ],
  },
];

const recovery: readonly Behaviour[] = [
  {
    name: 'a replaced print is put back',
    steps: [
      python('import builtins\nbuiltins.print = None', { out: '(no output)', notes: /^session: .*print.*restored/ }),
      python('print("ok")', { out: 'ok\n' }),
    ],
  },
  {
    name: 'closed output is put back',
    not: { embedded: 'there are no descriptors to close' },
    steps: [
      python('import os; os.close(1); os.close(2)', { out: '(no output)' }),
      python('print("ok")', { out: 'ok\n' }),
    ],
  },
  {
    name: 'a replaced sys.stdout is put back',
    steps: [
      python('import sys, io; sys.stdout = io.StringIO(); print("lost")', { out: '(no output)', notes: /.*/ }),
      python('print("ok")', { out: 'ok\n' }),
    ],
  },
  {
    name: 'closing every descriptor restarts the interpreter',
    not: { embedded: 'there are no descriptors to close' },
    steps: [
      python('import os; os.closerange(0, 5000)', {
        out: /.*/,
        notes: /session: restarted, variables lost$/,
        failed: true,
      }),
      python('print("ok")', { out: 'ok\n' }),
    ],
  },
  {
    name: 'threads left behind do not hold up the run',
    not: { embedded: 'no threads in Pyodide' },
    steps: [
      python('import threading, time\nthreading.Thread(target=lambda: time.sleep(60)).start()\nprint("on")', {
        out: 'on\n',
      }),
      python('print("ok")', { out: 'ok\n' }),
    ],
  },
  {
    name: 'a background process lives on in the session',
    not: NO_CHILDREN,
    steps: [
      bash('sleep 300 & echo $! > pid', { out: '(no output)', notes: /files: pid/ }),
      bash('kill -0 $(cat pid) && echo alive', { out: 'alive\n' }),
    ],
  },
  {
    name: 'a deleted working directory does not break the next run',
    not: { embedded: 'the TypeScript shell has no real directories' },
    steps: [
      bash('mkdir gone && cd gone && rm -rf ../gone', { out: '(no output)' }),
      bash('echo ok', { out: 'ok\n', notes: /.*/ }),
    ],
  },
];

const wall: readonly Behaviour[] = [
  {
    name: 'there is no network, and a hint says so',
    steps: [
      python('import urllib.request\nurllib.request.urlopen("http://example.com", timeout=2)', {
        out: '(no output)',
        notes: /hint: network is off/,
        failed: true,
      }),
    ],
    not: { embedded: 'no sockets in Pyodide, so no connect fails' },
  },
  {
    name: 'the host environment is not there',
    steps: [
      python('import os; sorted(k for k in os.environ if "CANARY" in k)', { out: '[]' }),
      javascript('Object.keys(process.env).filter((k) => k.includes("CANARY"))', { out: '[]' }),
      bash('env | grep -c CANARY', { out: '0\n', notes: 'exit code: 1', failed: true }),
    ],
  },
  {
    name: 'host files are not there',
    steps: [
      python(
        'import os\n[p for p in ["/home", "/etc/shadow", "/etc/ssh", "/var/log", "/var/run", "/var/lib/dpkg", "/sys", "/boot", "/mnt", "/srv", "/run/docker.sock", "/root/.ssh"] if os.path.exists(p)]',
        { out: '[]' },
      ),
    ],
    not: {
      embedded: 'Pyodide has a file system of its own',
      podman: 'an image has folders of these names',
      docker: 'an image has folders of these names',
    },
  },
  {
    name: 'the system is read-only',
    not: { embedded: 'checked by its own suite' },
    steps: [
      python(
        'import os\nfor p in ["/x", "/usr/x", "/etc/x", "/dev/x", "/proc/x", "/output/x"]:\n    try: open(p, "w"); print("wrote", p)\n    except OSError as e: pass',
        { out: '(no output)' },
      ),
    ],
  },
  {
    name: 'the program is nobody special',
    not: { embedded: 'there is no user in Pyodide' },
    steps: [
      bash('id -u; grep -E "^(CapEff|NoNewPrivs|Seccomp):" /proc/self/status | tr "\\t" " "', {
        out: /^(?:1000|65534)\nCapEff: 0000000000000000\nNoNewPrivs: 1\nSeccomp: 2\n$/,
      }),
    ],
  },
];

const figures: readonly Behaviour[] = [
  {
    name: 'display() shows an image',
    steps: [
      python(
        'import base64\ndisplay(base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="))',
        { out: '(no output)', images: ['image/png'] },
      ),
    ],
  },
  {
    name: 'JavaScript shows an image',
    steps: [
      javascript(
        'display(Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64"))',
        { out: '(no output)', images: ['image/png'] },
      ),
    ],
  },
];

const hatch: readonly Behaviour[] = [
  {
    name: 'mcp.help() prints the manual',
    steps: [
      python('mcp.help()', { out: /^Sallyport runs your program behind a wall/ }),
      javascript('await mcp.help()', { out: /^Sallyport runs your program behind a wall/ }),
      bash('mcp help | head -c 9', { out: 'Sallyport' }),
    ],
  },
  {
    name: 'mcp.session.reset() clears the variables after the run',
    steps: [
      python('x = 1\n_ = mcp.session.reset()\nprint(x)', { out: '1\n' }),
      python('"x" in globals()', { out: 'False', notes: 'session: reset, variables cleared' }),
    ],
  },
];

export const BEHAVIOURS: readonly Behaviour[] = [
  ...output,
  ...state,
  ...failures,
  ...tolerance,
  ...input,
  ...stops,
  ...recovery,
  ...wall,
  ...figures,
  ...hatch,
];
