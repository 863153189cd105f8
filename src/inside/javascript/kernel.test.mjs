/** The interpreter as the host meets it: bundled, in a process of its own, whole answers compared. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, it, describe as suite } from 'node:test';
import vm from 'node:vm';
import { fieldText } from './frames.mjs';
import { bundleKernel, KernelProcess } from './kernel-harness.mjs';

let kernelFile;
let kernel;

before(async () => {
  kernelFile = await bundleKernel();
  kernel = new KernelProcess(kernelFile);
  await kernel.frame('ready');
});

after(async () => {
  await kernel.close();
  fs.rmSync(path.dirname(kernelFile), { recursive: true });
});

/** For one test; it ends with it, whatever becomes of the test. */
async function startOwnKernel(t) {
  const own = new KernelProcess(kernelFile);
  t.after(() => own.close());
  await own.frame('ready');
  return own;
}

/** An interpreter that hangs must not hang its tests. */
function describe(what, tests) {
  suite(what, { timeout: 120_000 }, tests);
}

const CLEAN = {
  stdout: '',
  stderr: '',
  value: undefined,
  exit: 0,
  status: 'ok',
  error: undefined,
  notes: [],
  images: [],
};

/** Runs one program after another in the shared interpreter; each with the whole of its answer. */
async function expectRuns(...steps) {
  for (const [code, expected, options] of steps) {
    const answer = await kernel.run(code, { name: '<run 1>', ...options });
    assert.deepEqual(answer, { ...CLEAN, ...expected }, code);
  }
}

/** A table of single runs. */
function each(cases) {
  for (const [what, code, expected, options] of cases) it(what, () => expectRuns([code, expected, options]));
}

const failed = (error, stderr) => ({ exit: 1, status: 'error', error, stderr });
const TS = { language: 'typescript' };

describe('a value', () => {
  each([
    ['of an expression is shown', '6 * 7', { value: '42' }],
    ['that is text has quotes', '"abc"', { value: "'abc'" }],
    ['that is undefined is not shown', 'undefined', {}],
    ['that is null is shown', 'null', { value: 'null' }],
    [
      'that is an object is inspected',
      '({ a: [1, { b: new Map([[1, 2]]) }] })',
      { value: '{\n  a: [ 1, { b: Map(1) { 1 => 2 } } ]\n}' },
    ],
    ['after output comes by itself', 'console.log("x"); 5', { stdout: 'x\n', value: '5' }],
    ['of a promise is awaited', 'Promise.resolve(5)', { value: '5' }],
    ['of an async call without await is awaited', 'const f = async () => "late"; f()', { value: "'late'" }],
    ['of a promise that never settles is the promise', 'new Promise(() => {})', { value: 'Promise { <pending> }' }],
    ['of top-level return is shown', 'if (1) return { a: 1 }\n2', { value: '{ a: 1 }' }],
    ['of a declaration is not shown', 'const declared = 1', {}],
    ['that is a timer is not shown', 'setTimeout(() => console.log("late"), 1)', { stdout: 'late\n' }],
    ['that is a server is named', 'require("http").createServer().listen(0)', { value: '[Server]' }],
    [
      'with a broken inspect says so',
      '({ [Symbol.for("nodejs.util.inspect.custom")]() { throw new Error("no") } })',
      { value: '[a value that cannot be shown: Error: no]' },
    ],
    ['with nothing at all is empty', '', {}],
  ]);
});

describe('state', () => {
  it('is kept and can be declared anew', () =>
    expectRuns(
      ['const a = 1; let b = 2; var c = 3; class D {} function e() { return a }', {}],
      ['[a, b, c, D.name, e()]', { value: "[ 1, 2, 3, 'D', 1 ]" }],
      ['const a = 10; class D { x = 1 }', {}],
      ['[e(), new D().x]', { value: '[ 10, 1 ]' }],
    ));
  it('is one for JavaScript and TypeScript', () =>
    expectRuns(
      ['const shared: number = 7', {}, TS],
      ['shared', { value: '7' }],
      ['shared as number', { value: '7' }, TS],
    ));
  it('takes names that Node has as getters', () =>
    expectRuns(
      ["const crypto = require('crypto'); const fs = 5", {}],
      ['[typeof crypto.createHash, fs]', { value: "[ 'function', 5 ]" }],
    ));
  it('has imports', () =>
    expectRuns(
      ["import os, { cpus as processors } from 'node:os'; import * as path from 'path'", {}],
      ['[typeof os.cpus, typeof processors, path.join("a", "b")]', { value: "[ 'function', 'function', 'a/b' ]" }],
    ));
  it('survives errors and exits', () =>
    expectRuns(
      ['const kept = 1; process.exit(3)', { exit: 3, status: 'exit' }],
      ['throw kept', failed('Uncaught 1', 'Uncaught 1\n')],
      ['kept', { value: '1' }],
    ));
  it('has the working directory', async () => {
    await expectRuns(
      ["require('fs').mkdirSync('sub'); process.chdir('sub')", {}],
      ["require('path').basename(process.cwd())", { value: "'sub'" }],
    );
    await kernel.run("process.chdir('..')");
  });
});

describe('modules', () => {
  it('are found from the working directory', async () => {
    const { directory } = kernel;
    fs.writeFileSync(path.join(directory, 'common.cjs'), 'exports.a = 1; exports.main = require.main === module');
    fs.writeFileSync(path.join(directory, 'modern.mjs'), 'export default 2; export const b = 3');
    fs.writeFileSync(path.join(directory, 'typed.ts'), 'export const c: number = 4; export interface I {}');
    fs.writeFileSync(path.join(directory, 'data.json'), '{"d":5}');
    fs.mkdirSync(path.join(directory, 'node_modules/pack'), { recursive: true });
    fs.writeFileSync(path.join(directory, 'node_modules/pack/index.js'), 'module.exports = { e: 6 }');
    await expectRuns(
      ["require('./common.cjs')", { value: '{ a: 1, main: false }' }],
      [
        "import x, { b } from './modern.mjs'; import { c, I } from './typed.ts'; [x, b, c, I]",
        { value: '[ 2, 3, 4, undefined ]' },
        TS,
      ],
      ["import data from './data.json' with { type: 'json' }; data", { value: '{ d: 5 }' }],
      ["import { e } from 'pack'; e", { value: '6' }],
      ["(await import('./modern.mjs')).b", { value: '3' }],
    );
  });
  it('have the names of a script in the working directory', () =>
    expectRuns([
      '[require.main === module, __filename === process.argv[1], import.meta.url === `file://${__filename}`, import.meta.main, __dirname === process.cwd(), typeof exports]',
      { value: "[ true, true, true, true, true, 'object' ]" },
    ]));
  it('can be made in the old way', () => expectRuns(['module.exports = { a: 1 }; exports.b = 2; 0', { value: '0' }]));
  it('of Node are there without require', () =>
    expectRuns(['path.basename("/a/b") + typeof os.cpus', { value: "'bfunction'" }]));
  it('that do not exist are told with their place', () =>
    expectRuns([
      "1\nimport x from 'does-not-exist'",
      failed(
        `Error: Cannot find package 'does-not-exist' imported from ${kernel.directory}/`,
        `<run 1>:2\nimport x from 'does-not-exist'\n^\n\nError: Cannot find package 'does-not-exist' imported from ${kernel.directory}/ {\n  code: 'ERR_MODULE_NOT_FOUND'\n}\n`,
      ),
    ]));
  it('that fail are told with their own place', async () => {
    fs.writeFileSync(path.join(kernel.directory, 'throws.mjs'), '\nexport function f() { throw new Error("in file") }');
    fs.writeFileSync(path.join(kernel.directory, 'broken.mjs'), '\nlet a = = 5');
    const thrower = `file://${kernel.directory}/throws.mjs`;
    const broken = `file://${kernel.directory}/broken.mjs`;
    await expectRuns(
      [
        "import { f } from './throws.mjs'\nf()",
        failed(
          'Error: in file',
          `${thrower}:2\nexport function f() { throw new Error("in file") }\n                            ^\n\nError: in file\n    at f (${thrower}:2:29)\n    at <run 1>:2:1\n`,
        ),
      ],
      [
        "import './broken.mjs'",
        failed(
          "SyntaxError: Unexpected token '='",
          `${broken}:2\nlet a = = 5\n        ^\n\nSyntaxError: Unexpected token '='\n`,
        ),
      ],
    );
  });
  it('without the wanted name are told', () =>
    expectRuns([
      "import { nothing } from 'fs'",
      failed(
        "SyntaxError: The requested module 'fs' does not provide an export named 'nothing'",
        "<run 1>:1\nimport { nothing } from 'fs'\n^\n\nSyntaxError: The requested module 'fs' does not provide an export named 'nothing'\n",
      ),
    ]));
});

describe('TypeScript', () => {
  each([
    ['loses its types', 'interface A { a: number }\nconst typed: A = { a: 1 };\ntyped.a as number', { value: '1' }, TS],
    ['may have type arguments in calls', 'const id = <T,>(x: T): T => x;\nid<number>(3)', { value: '3' }, TS],
    [
      'may have enums, namespaces and parameter properties',
      'enum Colour { Red = 1, Blue }\nnamespace N { export const x = 5 }\nclass P { constructor(public name: string) {} }\n[Colour.Blue, Colour[1], N.x, new P("p").name]',
      { value: "[ 2, 'Red', 5, 'p' ]" },
      TS,
    ],
    ['is understood in JavaScript', 'const n: number = 4\nn!', { value: '4' }],
    [
      'keeps lines where types are stripped',
      'interface A {\n  a: number\n}\nconst x: A = undefined as any\nx.a',
      failed(
        "TypeError: Cannot read properties of undefined (reading 'a')",
        "<run 1>:5\nx.a\n  ^\n\nTypeError: Cannot read properties of undefined (reading 'a')\n    at <run 1>:5:3\n",
      ),
      TS,
    ],
    [
      'keeps lines where code is generated',
      'enum A {\n  B\n}\n\n\nfunction fail() {\n  throw new Error("six" + A.B)\n}\nfail()',
      failed(
        'Error: six0',
        '<run 1>:7\n  throw new Error("six" + A.B)\n        ^\n\nError: six0\n    at fail (<run 1>:7:9)\n    at <run 1>:9:1\n',
      ),
      TS,
    ],
    [
      'with an error is told with its place',
      'let a = 1\nlet b: = 2',
      failed(
        'SyntaxError: Unexpected token `=`. Expected an identifier, void, yield, null, await, break, a string literal, a numeric literal, true, false, `, -, import, this, typeof, {, [, (',
        '<run 1>:2\nlet b: = 2\n       ^\n\nSyntaxError: Unexpected token `=`. Expected an identifier, void, yield, null, await, break, a string literal, a numeric literal, true, false, `, -, import, this, typeof, {, [, (\n',
      ),
      TS,
    ],
  ]);
});

describe('an uncaught error', () => {
  const stackOf = (line) => `<run 1>:1\n${line}`;
  each([
    [
      'shows line, caret and own frames',
      'function f() {\n  null.x\n}\nf()',
      failed(
        "TypeError: Cannot read properties of null (reading 'x')",
        "<run 1>:2\n  null.x\n       ^\n\nTypeError: Cannot read properties of null (reading 'x')\n    at f (<run 1>:2:8)\n    at <run 1>:4:1\n",
      ),
    ],
    [
      'has the columns that were sent',
      'await 0; let a; class B {} boom()',
      failed(
        'ReferenceError: boom is not defined',
        `${stackOf('await 0; let a; class B {} boom()')}\n                           ^\n\nReferenceError: boom is not defined\n    at <run 1>:1:28\n`,
      ),
    ],
    [
      'in an async function',
      'async function f() {\n  await 0\n  throw new RangeError("far")\n}\nawait f()',
      failed(
        'RangeError: far',
        '<run 1>:3\n  throw new RangeError("far")\n        ^\n\nRangeError: far\n    at f (<run 1>:3:9)\n    at async <run 1>:5:1\n',
      ),
    ],
    [
      'in a timer',
      'setTimeout(() => {\n  throw new Error("tick")\n}, 1); 1',
      {
        ...failed(
          'Error: tick',
          '<run 1>:2\n  throw new Error("tick")\n        ^\n\nError: tick\n    at Timeout._onTimeout (<run 1>:2:9)\n',
        ),
        value: '1',
      },
    ],
    [
      'as a rejection that nobody handles',
      'Promise.reject(new Error("lost")); 1',
      {
        ...failed(
          'Error: lost',
          '<run 1>:1\nPromise.reject(new Error("lost")); 1\n               ^\n\nError: lost\n    at <run 1>:1:16\n',
        ),
        value: '1',
      },
    ],
    [
      'as the rejection of the last value',
      'Promise.reject(new Error("last"))',
      failed(
        'Error: last',
        '<run 1>:1\nPromise.reject(new Error("last"))\n               ^\n\nError: last\n    at <run 1>:1:16\n',
      ),
    ],
    [
      'has its own properties',
      'throw Object.assign(new Error("props"), { code: "E", at: { n: 1 } })',
      failed(
        'Error: props',
        '<run 1>:1\nthrow Object.assign(new Error("props"), { code: "E", at: { n: 1 } })\n                    ^\n\nError: props\n    at <run 1>:1:21 {\n  code: \'E\',\n  at: { n: 1 }\n}\n',
      ),
    ],
    [
      'has its cause',
      'throw new Error("outer", { cause: new Error("inner") })',
      failed(
        'Error: outer',
        '<run 1>:1\nthrow new Error("outer", { cause: new Error("inner") })\n      ^\n\nError: outer\n    at <run 1>:1:7 {\n  [cause]: Error: inner\n      at <run 1>:1:35\n}\n',
      ),
    ],
    [
      'of Node shows the call',
      "require('fs').readFileSync('/nowhere')",
      failed(
        "Error: ENOENT: no such file or directory, open '/nowhere'",
        "<run 1>:1\nrequire('fs').readFileSync('/nowhere')\n              ^\n\nError: ENOENT: no such file or directory, open '/nowhere'\n    at <run 1>:1:15 {\n  errno: -2,\n  code: 'ENOENT',\n  syscall: 'open',\n  path: '/nowhere'\n}\n",
      ),
    ],
    ['that is null', 'throw null', failed('Uncaught null', 'Uncaught null\n')],
    ['that is undefined', 'throw undefined', failed('Uncaught undefined', 'Uncaught undefined\n')],
    ['that is an object', 'throw { code: 1 }', failed('Uncaught { code: 1 }', 'Uncaught { code: 1 }\n')],
    [
      'that is a proxy',
      'throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 } })',
      failed('Uncaught {}', 'Uncaught {}\n'),
    ],
    [
      'with a broken stack',
      'const broken = new Error("b"); Object.defineProperty(broken, "stack", { get() { throw 1 } }); throw broken',
      failed('Uncaught [Error: b]', 'Uncaught [Error: b]\n'),
    ],
    [
      'of the syntax',
      'const a = 1\nconst = 5',
      failed(
        "SyntaxError: Unexpected token '='",
        "<run 1>:2\nconst = 5\n      ^\n\nSyntaxError: Unexpected token '='\n",
      ),
    ],
    [
      'of a top-level await that never settles',
      'await new Promise(() => {})',
      {
        exit: 13,
        status: 'error',
        error: 'a top-level await never settled, and nothing is left that could settle it',
        stderr: 'Warning: a top-level await never settled, and nothing is left that could settle it\n',
      },
    ],
  ]);

  it('of an earlier run shows the line of that run', () =>
    expectRuns(
      ['\nfunction later() { throw new Error("old") }', {}, { name: '<run 7>' }],
      [
        'later()',
        failed(
          'Error: old',
          '<run 7>:2\nfunction later() { throw new Error("old") }\n                         ^\n\nError: old\n    at later (<run 7>:2:26)\n    at <run 8>:1:1\n',
        ),
        { name: '<run 8>' },
      ],
    ));
  it('of a deep recursion shows ten frames', async () => {
    const { stderr, error } = await kernel.run('function deep() { deep() }\ndeep()', { name: '<run 1>' });
    assert.equal(error, 'RangeError: Maximum call stack size exceeded');
    assert.match(
      stderr,
      /^<run 1>:1\nfunction deep\(\) \{ deep\(\) \}\n +\^\n\nRangeError: [^\n]+\n( {4}at deep \(<run 1>:1:\d+\)\n){10}$/,
    );
  });
  it('between runs goes to stderr alone', async () => {
    await expectRuns([
      "const { port1, port2 } = new MessageChannel(); port1.unref(); port1.onmessage = () => { throw new Error('between') }; port1.unref(); port2.unref(); setTimeout(() => port2.postMessage(1), 30).unref()",
      {},
    ]);
    await new Promise((resolve) => setTimeout(resolve, 150));
    const { stderr, exit } = await kernel.run('0');
    assert.match(stderr, /^<run 1>:1\n[^\n]*\n *\^\n\nError: between\n {4}at/);
    assert.equal(exit, 0);
  });
  it('keeps its form after a program had its own', () =>
    expectRuns(
      ['Error.prepareStackTrace = (_, frames) => frames.length; new Error("x").stack > 1', { value: 'true' }],
      ['Error.prepareStackTrace = undefined; 0', { value: '0' }],
      ['new Error("x").stack', { value: "'Error: x\\n    at <run 1>:1:1'" }],
    ));
  it('printed by the program has only its own frames', () =>
    expectRuns([
      'try { null.x } catch (error) { console.log(error.stack) }',
      { stdout: "TypeError: Cannot read properties of null (reading 'x')\n    at <run 1>:1:12\n" },
    ]));
});

describe('the end of a run', () => {
  each([
    [
      'waits for timers',
      'setTimeout(() => console.log("a"), 20); setImmediate(() => console.log("b"))',
      { stdout: 'b\na\n' },
    ],
    [
      'waits for children',
      "require('child_process').exec('sleep 0.05; echo child', (_, out) => console.log(out.trim())); 0",
      { stdout: 'child\n', value: '0' },
    ],
    [
      'waits for files',
      "require('fs').readFile('/proc/self/comm', 'utf8', (_, text) => console.log(text.length > 0)); 0",
      { stdout: 'true\n', value: '0' },
    ],
    [
      'waits for main() without await',
      'async function main() {\n  await new Promise((r) => setTimeout(r, 10))\n  console.log("done")\n}\nmain()',
      { stdout: 'done\n' },
    ],
    [
      'waits for workers',
      "const { Worker } = require('worker_threads'); new Worker('console.log(\"from worker\")', { eval: true }); 0",
      { stdout: 'from worker\n', value: '0' },
    ],
    [
      'waits for forked processes',
      "require('fs').writeFileSync('forked.cjs', 'process.on(\"message\", (n) => { process.send(n + 1); process.disconnect() })'); const child = require('child_process').fork('./forked.cjs'); child.on('message', (n) => console.log('answer', n)); child.send(41); 0",
      { stdout: 'answer 42\n', value: '0' },
    ],
    [
      'does not wait for servers',
      "require('net').createServer().listen(0, 'localhost', () => console.log('listening')); 0",
      { stdout: 'listening\n', value: '0' },
    ],
    [
      'gives beforeExit a chance',
      "let rounds = 0; process.on('beforeExit', () => { if (rounds++ < 2) setTimeout(() => console.log('round', rounds), 1) }); 0",
      { stdout: 'round 1\nround 2\n', value: '0' },
    ],
    [
      'calls exit listeners',
      "process.on('exit', (code) => console.log('exit', code)); 0",
      { stdout: 'exit 0\n', value: '0' },
    ],
    ['forgets exit listeners', '0', { value: '0' }],
    [
      'survives removeAllListeners()',
      'process.removeAllListeners(); process.removeAllListeners("beforeExit"); 0',
      { value: '0' },
    ],
    ['uses process.exitCode', 'process.exitCode = 4; 0', { value: '0', exit: 4, status: 'exit' }],
    ['forgets process.exitCode', 'process.exitCode', {}],
    [
      'may be caught by the program',
      "process.on('uncaughtException', (error) => console.log('caught', error.message)); setTimeout(() => { throw new Error('x') }, 1); 0",
      { stdout: 'caught x\n', value: '0' },
    ],
  ]);

  it('lets a server answer in the next run', () =>
    expectRuns(
      [
        "const http = require('http'); const server = http.createServer((_, answer) => answer.end('hello')).listen(0); await new Promise((r) => server.on('listening', r))",
        {},
      ],
      ['await (await fetch(`http://localhost:${server.address().port}`)).text()', { value: "'hello'" }],
      ['server.close(); server.closeAllConnections()', {}],
    ));
});

describe('process.exit()', () => {
  each([
    ['ends the run', 'console.log(1); process.exit(5); console.log(2)', { stdout: '1\n', exit: 5, status: 'exit' }],
    ['without a code is 0', 'process.exit(); console.log(2)', { exit: 0, status: 'exit' }],
    [
      'cannot be caught',
      'try { process.exit(6) } catch { console.log("caught") } finally { console.log("finally") }',
      { exit: 6, status: 'exit' },
    ],
    [
      'works in a timer',
      'setInterval(() => console.log("more"), 5); setTimeout(() => { process.exit(7) }, 1); 0',
      { value: '0', exit: 7, status: 'exit' },
    ],
    [
      'works in an immediate',
      'setImmediate(() => process.exit(8)); setImmediate(() => console.log("more")); 0',
      { value: '0', exit: 8, status: 'exit' },
    ],
    [
      'works after await',
      'try { await 0; process.exit(9) } finally { console.log("finally") }',
      { exit: 9, status: 'exit' },
    ],
    [
      'works in a promise',
      'Promise.reject(new Error("x")).catch(() => process.exit(10))',
      { exit: 10, status: 'exit' },
    ],
    ['works in a tick', 'process.nextTick(() => process.exit(11)); 0', { value: '0', exit: 11, status: 'exit' }],
    [
      'works in a callback',
      "require('fs').stat('/', () => process.exit(12)); 0",
      { value: '0', exit: 12, status: 'exit' },
    ],
    [
      'works with async hooks',
      "require('async_hooks').createHook({ init() {} }).enable(); setTimeout(() => process.exit(13), 1); 0",
      { value: '0', exit: 13, status: 'exit' },
    ],
    [
      'calls exit listeners, which may change the code',
      "process.on('exit', () => { console.log('bye'); process.exitCode = 15 }); process.exit(14)",
      { stdout: 'bye\n', exit: 15, status: 'exit' },
    ],
    [
      'refuses what is no code',
      'process.exit("soon")',
      failed(
        'TypeError: The "code" argument must be of type number. Received type string (\'soon\')',
        `<run 1>:1\nprocess.exit("soon")\n        ^\n\nTypeError: The "code" argument must be of type number. Received type string ('soon')\n    at <run 1>:1:9 {\n  code: 'ERR_INVALID_ARG_TYPE'\n}\n`,
      ),
    ],
    [
      'works in a later immediate',
      'setImmediate(() => {}); setImmediate(() => process.exit(8)); setImmediate(() => console.log("more")); 0',
      { value: '0', exit: 8, status: 'exit' },
    ],
    [
      'lets nothing be heard of what is on its way',
      "require('fs').readFile('/proc/self/stat', () => console.log('read')); require('fs/promises').stat('/').then(() => console.log('stat')); process.exit(16)",
      { exit: 16, status: 'exit' },
    ],
    [
      'ends threads',
      "const spinner = new (require('worker_threads').Worker)('for (;;);', { eval: true }); setTimeout(() => process.exit(17), 50); 0",
      { value: '0', exit: 17, status: 'exit' },
    ],
    [
      'leaves no async context behind',
      'const local = new (require("async_hooks").AsyncLocalStorage)(); local.run(5, () => setTimeout(() => process.exit(1), 1)); 0',
      { value: '0', exit: 1, status: 'exit' },
    ],
    [
      'has left none',
      'setTimeout(() => console.log(local.getStore()), 1); local.getStore()',
      { stdout: 'undefined\n' },
    ],
    [
      'leaves nothing behind',
      'setTimeout(() => console.log("timers work"), 30); setTimeout(() => {}, 1e6).unref(); 0',
      { stdout: 'timers work\n', value: '0' },
    ],
  ]);
});

describe('an interrupt', () => {
  const programs = [
    ['a loop', 'const before = 1; console.log("go"); for (;;);'],
    [
      'a loop in a function with finally',
      'console.log("go"); try { for (;;); } catch { console.log("no") } finally { console.log("no") }',
    ],
    ['a loop after imports', 'import os from "os"; console.log("go"); for (;;);'],
    ['a loop after await', 'await 0; console.log("go"); for (;;);'],
    ['a loop of awaits', 'console.log("go"); for (;;) await 0'],
    ['a loop in a tick', 'console.log("go"); process.nextTick(() => { for (;;); })'],
    ['a loop in a timer', 'setTimeout(() => { console.log("go"); for (;;); }, 1)'],
    [
      'a loop in an immediate',
      'setImmediate(() => {}); setImmediate(() => { console.log("go"); for (;;); }); setImmediate(() => console.log("no"))',
    ],
    ['a loop that prints', 'console.log("go"); for (;;) console.log("go")'],
    ['a loop after a timer', 'await new Promise((r) => setTimeout(r, 1)); console.log("go"); for (;;);'],
    ['a loop after a file', 'await require("fs/promises").readFile("/proc/self/stat"); console.log("go"); for (;;);'],
    [
      'a loop in an async context',
      'new (require("async_hooks").AsyncResource)("x").runInAsyncScope(() => { console.log("go"); for (;;); })',
    ],
    [
      'a loop with async hooks',
      'require("async_hooks").createHook({ init() {}, before() {}, after() {} }).enable(); process.nextTick(() => { console.log("go"); for (;;); })',
    ],
    ['a timer', 'console.log("go"); setInterval(() => {}, 1000)'],
    ['an await', 'console.log("go"); await new Promise((r) => setTimeout(r, 1e6))'],
    ['an await of timers/promises', 'console.log("go"); await require("timers/promises").setTimeout(1e6)'],
    [
      'a child process',
      'require("child_process").execFileSync("sh", ["-c", "echo go; exec sleep 100"], { stdio: "inherit" })',
    ],
    [
      'an asynchronous child process',
      'require("child_process").execFile("sleep", ["100"], () => {}); console.log("go"); await new Promise(() => {})',
    ],
    [
      'a child process that the program asks about its end',
      'require("child_process").execFile("sleep", ["100"], () => console.log("no")); console.log("go")',
    ],
    [
      'an open connection',
      'const net = require("net"); const server = net.createServer().listen(0, () => { net.connect(server.address().port, () => console.log("go")) }); await new Promise(() => {})',
    ],
    ['Atomics.wait', 'console.log("go"); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'],
  ];
  for (const [what, code] of programs) {
    it(`ends ${what} and keeps the state`, { timeout: 10_000 }, async () => {
      await kernel.run('globalThis.state = Math.PI');
      const run = kernel.start(code);
      await kernel.printed('go', run);
      kernel.interrupt();
      const answer = await run.finished;
      const stdout = answer.stdout.replace(/^(go\n)+$/, 'go\n');
      assert.deepEqual({ ...answer, stdout }, { ...CLEAN, stdout: 'go\n', exit: 130, status: 'interrupted' });
      await expectRuns([
        'setTimeout(() => console.log("next"), 30); state',
        { stdout: 'next\n', value: '3.141592653589793' },
      ]);
    });
  }

  it('ends what cannot be ended together with the interpreter', async (t) => {
    const own = await startOwnKernel(t);
    const run = own.start('const again = () => require("fs").stat("/", again); again(); console.log("go")');
    await own.printed('go', run);
    own.interrupt();
    assert.deepEqual(await run.finished, {
      ...CLEAN,
      stdout: 'go\n',
      exit: 130,
      status: 'interrupted',
      notes: ['the program could not be stopped: the interpreter starts anew'],
    });
    assert.deepEqual(await own.ended, { code: 0, signal: null });
  });

  it('calls the program’s own handler', async () => {
    const run = kernel.start(
      'process.on("SIGINT", () => console.log("mine")); setInterval(() => {}, 1000); setTimeout(() => console.log("go"), 50); 0',
    );
    await kernel.printed('go', run);
    kernel.interrupt();
    assert.deepEqual(await run.finished, {
      ...CLEAN,
      stdout: 'go\nmine\n',
      value: '0',
      exit: 130,
      status: 'interrupted',
    });
    const second = kernel.start('console.log("go"); for (;;);');
    await kernel.printed('go', second);
    kernel.interrupt();
    assert.equal((await second.finished).status, 'interrupted');
  });

  it('that a child process was faster to notice ends the run', () =>
    expectRuns(
      [
        'require("child_process").spawn("sh", ["-c", "(sleep 0.005; kill -INT $PPID) & kill -INT $$"], { stdio: "ignore" }); await new Promise(() => {})',
        { exit: 130, status: 'interrupted' },
      ],
      [
        'require("child_process").spawnSync("sh", ["-c", "(sleep 0.005; kill -INT $PPID) & kill -INT $$"]); console.log("no")',
        { exit: 130, status: 'interrupted' },
      ],
      ['require("child_process").spawnSync("sh", ["-c", "kill -INT $$"]).signal', { value: "'SIGINT'" }],
    ));

  it('that comes too late does nothing', async () => {
    kernel.interrupt();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await expectRuns(['await new Promise((r) => setTimeout(r, 50)); 1', { value: '1' }]);
  });
});

describe('output', () => {
  each([
    [
      'is in order with children and descriptors',
      "const cp = require('child_process'), fs = require('fs'); console.log(1); cp.execSync('echo 2', { stdio: 'inherit' }); fs.writeSync(1, '3\\n'); process.stdout.write('4\\n'); cp.spawnSync('sh', ['-c', 'echo 5; echo err >&2'], { stdio: 'inherit' }); console.error('err2')",
      { stdout: '1\n2\n3\n4\n5\n', stderr: 'err\nerr2\n' },
    ],
    ['may be binary', 'process.stdout.write(Buffer.from([0xe2, 0x82, 0xac]))', { stdout: '€', value: 'true' }],
    ['needs no newline at its end', 'process.stdout.write("x")', { stdout: 'x', value: 'true' }],
    [
      'to /dev/stdout works',
      "require('fs').writeFileSync('/dev/stdout', 'file\\n'); require('child_process').execSync('echo shell > /dev/stdout', { stdio: 'inherit' }); 0",
      { stdout: 'file\nshell\n', value: '0' },
    ],
    [
      'of a child that shares it',
      "require('child_process').spawnSync(process.execPath, ['-e', 'console.log(\"x\".repeat(200000))'], { stdio: 'inherit' }).status",
      { stdout: `${'x'.repeat(200000)}\n`, value: '0' },
    ],
    ['after that child still comes', 'console.log("y".repeat(300000))', { stdout: `${'y'.repeat(300000)}\n` }],
    [
      'calls back',
      'await new Promise((r) => process.stdout.write("a", r)); await new Promise((r) => process.stdout.end("b", r)); 0',
      { stdout: 'ab', value: '0' },
    ],
    ['works after the stream was ended', 'console.log("again")', { stdout: 'again\n' }],
    ['is written though it is corked', 'process.stdout.cork(); console.log("corked")', { stdout: 'corked\n' }],
    [
      'that fails is told',
      "require('fs').closeSync(1); process.stdout.once('error', (e) => console.error(e.code)); process.stdout.write('lost'); 0",
      { stderr: 'EBADF\n', value: '0', notes: ['process.stdout or process.stderr was broken; restored'] },
    ],
    ['works after it failed', 'console.log("again")', { stdout: 'again\n' }],
    ['works after descriptors are closed', "require('fs').closeSync(1); require('fs').closeSync(2); 0", { value: '0' }],
    [
      'works after they were',
      "console.log('out'); console.error('err'); require('child_process').execSync('echo child', { stdio: 'inherit' })",
      { stdout: 'out\nchild\n', stderr: 'err\n', value: 'null' },
    ],
    [
      'is piped',
      "require('stream').pipeline(require('stream').Readable.from(['a', 'b']), process.stdout, () => console.log('end')); 0",
      { stdout: 'abend\n', value: '0' },
    ],
  ]);

  it('of 100 MB arrives in full, also when nobody reads for a while', { timeout: 120_000 }, async () => {
    kernel.pauseOutput();
    const { finished } = kernel.start(
      'const line = "z".repeat(999) + "\\n"; for (let i = 0; i < 1e5; i++) process.stdout.write(line); console.error("end")',
    );
    await new Promise((resolve) => setTimeout(resolve, 200));
    kernel.resumeOutput();
    const { stdout, stderr, exit } = await finished;
    assert.deepEqual(
      [stdout.length, stdout.slice(-1000), stderr, exit],
      [100_000_000, `${'z'.repeat(999)}\n`, 'end\n', 0],
    );
  });
});

describe('standard input', () => {
  const readAll = "require('fs').readFileSync(0, 'utf8')";
  const readStream = 'let all = ""; for await (const chunk of process.stdin) all += chunk; all';
  const readLines =
    'const lines = []; for await (const line of require("readline").createInterface({ input: process.stdin })) lines.push(line); lines';
  const readEvents =
    'process.stdin.setEncoding("utf8").on("data", (d) => console.log("data", d)).on("end", () => console.log("end")); 0';
  each([
    ['is at its end without input', readAll, { value: "''" }],
    ['is at its end for streams', readStream, { value: "''" }],
    ['is at its end for events', readEvents, { stdout: 'end\n', value: '0' }],
    ['is read as a file', readAll, { value: "'a\\nb\\n'" }, { stdin: 'a\nb\n' }],
    ['is read as a stream', readStream, { value: "'a\\nb\\n'" }, { stdin: 'a\nb\n' }],
    ['is read by lines', readLines, { value: "[ 'a', 'b' ]" }, { stdin: 'a\nb\n' }],
    ['is read by events', readEvents, { stdout: 'data c\nend\n', value: '0' }, { stdin: 'c' }],
    [
      'is read by children',
      "require('child_process').execSync('cat', { stdio: 'inherit' })",
      { stdout: 'for the child', value: 'null' },
      { stdin: 'for the child' },
    ],
    [
      'is read by its name',
      "require('fs').readFileSync('/dev/stdin', 'utf8')",
      { value: "'named'" },
      { stdin: 'named' },
    ],
    ['may be empty', readAll, { value: "''" }, { stdin: '' }],
    ['is empty again in the next run', readAll, { value: "''" }],
    ['may be closed', "require('fs').closeSync(0)", {}],
    ['is back after that', readStream, { value: "'back'" }, { stdin: 'back' }],
  ]);
  it('may be large', () => expectRuns([`${readAll}.length`, { value: '8000000' }, { stdin: 'i'.repeat(8_000_000) }]));
});

describe('arguments', () => {
  each([['are in process.argv', 'process.argv.slice(2)', { value: "[ 'a', '-b c' ]" }, { args: ['a', '-b c'] }]]);
});

describe('a program that breaks things', () => {
  each([
    [
      'has its console restored',
      'console.log = () => {}; console.log("lost")',
      { notes: ['console.log was replaced; restored'] },
    ],
    [
      'has its console object restored',
      'globalThis.console = { log() {} }; console.log("lost")',
      { notes: ['console was replaced; restored'] },
    ],
    [
      'has its stream restored',
      'process.stdout.write = () => true; console.log("lost")',
      { notes: ['process.stdout.write was replaced; restored'] },
    ],
    [
      'has process.exit restored',
      'process.exit = () => {}; process.exit(1); 0',
      { value: '0', notes: ['process.exit was replaced; restored'] },
    ],
    [
      'has process restored',
      'const process = { exit() {} }; process.exit(1); 0',
      { value: '0', notes: ['process was replaced; restored'] },
    ],
    ['has mcp restored', 'mcp = 1', { value: '1', notes: ['mcp was replaced; restored'] }],
    [
      'finds all of it in place',
      'console.log("here"); [typeof process.exit, typeof mcp.session.list]',
      { stdout: 'here\n', value: "[ 'function', 'function' ]" },
    ],
    ['has display restored', 'globalThis.display = 1; 0', { value: '0', notes: ['display was replaced; restored'] }],
  ]);

  it('may take display for itself', async (t) => {
    const own = await startOwnKernel(t);
    assert.deepEqual(await own.run('function display() { return "mine" }'), CLEAN);
    assert.deepEqual(await own.run('display()'), { ...CLEAN, value: "'mine'" });
  });

  it('of the language’s own does not break the interpreter', async (t) => {
    const own = await startOwnKernel(t);
    const poison = [
      'Array.prototype.push = Array.prototype.map = Array.prototype.filter = Array.prototype[Symbol.iterator] = () => { throw 1 }',
      'String.prototype.slice = String.prototype.split = RegExp.prototype.exec = null',
      'Object.defineProperty = Object.keys = Object.entries = Object.getOwnPropertyDescriptor = null',
      'JSON = undefined; Promise = undefined; Map.prototype.get = Map.prototype.set = Set.prototype.add = null',
      'delete Array.prototype.join; delete Function.prototype.apply; delete Function.prototype.call',
      'Uint8Array.prototype.set = Uint8Array.prototype.subarray = null; JSON.stringify = () => "mine"; 0',
    ];
    for (const code of poison) assert.equal((await own.run(code)).status, 'ok', code);
    const answer = await own.run('function f() { null.x }\nlet a = 1; console.log(JSON.stringify(1), a); await 0; f()');
    assert.deepEqual(answer, {
      ...CLEAN,
      stdout: 'mine 1\n',
      ...failed("TypeError: Cannot read properties of null (reading 'x')", answer.stderr),
    });
    assert.match(answer.stderr, /^<run 7>:1\nfunction f\(\) \{ null\.x \}\n {20}\^/);
  });

  it('dies with its real exit code', async (t) => {
    for (const [code, expected] of [
      ['process.reallyExit(9)', { code: 9, signal: null }],
      ['process.abort()', { code: null, signal: 'SIGABRT' }],
      ['process.kill(process.pid, "SIGKILL")', { code: null, signal: 'SIGKILL' }],
    ]) {
      const own = await startOwnKernel(t);
      own.start(code).finished.catch(() => {});
      assert.deepEqual(await own.ended, expected);
    }
  });
});

describe('an image', () => {
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
  const image = { mime: 'image/png', data: Buffer.from(png, 'base64') };
  each([
    ['as the value is sent', `Buffer.from('${png}', 'base64')`, { images: [image] }],
    [
      'is displayed',
      `display(Buffer.from('${png}', 'base64')); display('data:image/png;base64,${png}'); 1`,
      { value: '1', images: [image, image] },
    ],
    ['that is none is printed', 'display({ a: 1 }, "text")', { stdout: '{ a: 1 }\ntext\n' }],
  ]);

  it('that is too large is made smaller', { timeout: 30_000 }, async () => {
    const { images, notes } = await kernel.run(`
      const zlib = require('zlib');
      const chunk = (type, data) => { const body = Buffer.concat([Buffer.from(type), data]); const out = Buffer.alloc(body.length + 8); out.writeUInt32BE(data.length); out.set(body, 4); out.writeUInt32BE(zlib.crc32(body), body.length + 4); return out };
      const header = Buffer.alloc(13); header.writeUInt32BE(700, 0); header.writeUInt32BE(700, 4); header.set([8, 2], 8);
      const rows = require('crypto').randomBytes(700 * 2101); for (let y = 0; y < 700; y++) rows[y * 2101] = 0;
      Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]), chunk('IHDR', header), chunk('IDAT', zlib.deflateSync(rows)), chunk('IEND', Buffer.alloc(0))])`);
    assert.deepEqual(notes, []);
    assert.equal(images.length, 1);
    assert.ok(images[0].data.length <= 750_000 && images[0].data.length > 100_000, String(images[0].data.length));
  });
  it('that cannot be made smaller becomes a file', async () => {
    const { images, notes } = await kernel.run(
      'Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.alloc(800000)])',
    );
    assert.deepEqual([images, notes], [[], ['image too large to show: saved as image-1.jpg']]);
    assert.equal(fs.statSync(path.join(kernel.directory, 'image-1.jpg')).size, 800_003);
  });
});

describe('mcp', () => {
  /** Answers calls as the host would. */
  async function answer(method, ok, value) {
    const call = await kernel.frame('call');
    assert.equal(fieldText(call, 'method'), method);
    kernel.send('reply', [
      ['id', fieldText(call, 'id')],
      ['ok', ok],
      ['value', JSON.stringify(value)],
    ]);
    return JSON.parse(fieldText(call, 'params'));
  }

  it('asks the host and gives its answer', async () => {
    const { finished } = kernel.start("await mcp.session.close('other')");
    assert.deepEqual(await answer('session.close', '1', { closed: true }), { name: 'other' });
    assert.deepEqual(await finished, { ...CLEAN, value: '{ closed: true }' });
  });
  it('can ask many things at once', async () => {
    const { finished } = kernel.start('await Promise.all([mcp.session.list(), mcp.session.list()])');
    const calls = [await kernel.frame('call'), await kernel.frame('call')];
    for (const [index, call] of calls.reverse().entries()) {
      kernel.send('reply', [
        ['id', fieldText(call, 'id')],
        ['ok', '1'],
        ['value', String(index)],
      ]);
    }
    assert.deepEqual(await finished, { ...CLEAN, value: '[ 1, 0 ]' });
  });
  it('throws what the host refuses', async () => {
    const { finished } = kernel.start(
      'try { await mcp.session.reset() } catch (error) { console.log(error instanceof mcp.ToolError, error.code, String(error)) }',
    );
    await answer('session.reset', '0', { code: 'BUSY', message: 'not now' });
    assert.deepEqual(await finished, { ...CLEAN, stdout: 'true BUSY ToolError: not now\n' });
  });
  it('prints its manual', async () => {
    const { finished } = kernel.start('mcp.help()');
    await answer('help', '1', 'the manual\n\n');
    assert.deepEqual(await finished, { ...CLEAN, stdout: 'the manual\n' });
  });
  it('is the same in every way to import it', async () => {
    fs.writeFileSync(
      path.join(kernel.directory, 'user.mjs'),
      "import mcp, { mcp as named } from 'mcp'; export default [mcp, named]",
    );
    await expectRuns(
      [
        "import a, { mcp as b } from 'mcp'; import * as c from 'mcp'; const { mcp: d } = require('mcp'); [a, b, c, d, require('mcp')].every((one) => one === mcp)",
        { value: 'true' },
      ],
      ["const imported = await import('mcp'); imported.mcp === mcp && imported.default === mcp", { value: 'true' }],
      ["import user from './user.mjs'; user.every((one) => one === mcp)", { value: 'true' }],
    );
  });
});

describe('the channel', () => {
  it('answers a check with the place of the error', async () => {
    const table = [
      ['javascript', 'const a = 1', { ok: '1', language: 'javascript' }],
      ['javascript', 'const a: number = 1', { ok: '1', language: 'typescript' }],
      [
        'javascript',
        '1\n  const = 2',
        { ok: '0', line: '2', column: '9', message: "SyntaxError: Unexpected token '='" },
      ],
      [
        'typescript',
        '\n\tlet a: number = ]',
        { ok: '0', line: '2', column: '18', message: 'SyntaxError: Expression expected' },
      ],
    ];
    for (const [language, code, expected] of table) {
      kernel.send('check', [
        ['id', 'c'],
        ['language', language],
        ['code', code],
      ]);
      const { fields } = await kernel.frame('checked');
      assert.deepEqual(
        Object.fromEntries(fields.map(([name, value]) => [name, Buffer.from(value).toString()])),
        { id: 'c', ...expected },
        code,
      );
    }
  });
  it('answers a ping when the run is over', async () => {
    const { finished } = kernel.start('await new Promise((r) => setTimeout(r, 50)); console.log(1)');
    kernel.send('ping', [['id', 'p']]);
    const pong = kernel.frame('pong').then(() => performance.now());
    const done = finished.then(() => performance.now());
    await Promise.all([pong, done]);
    kernel.send('ping', [['id', 'q']]);
    assert.equal(fieldText(await kernel.frame('pong'), 'id'), 'q');
  });
  it('takes runs while one is going on', async () => {
    const first = kernel.start('await new Promise((r) => setTimeout(r, 30)); console.log(1)');
    const second = kernel.start('console.log(2)');
    assert.deepEqual([(await first.finished).stdout, (await second.finished).stdout], ['1\n', '2\n']);
  });
  it('ends the interpreter when it closes', async (t) => {
    const own = await startOwnKernel(t);
    own.control.end();
    assert.deepEqual(await own.ended, { code: 0, signal: null });
  });
  it('ends the interpreter with 70 when it carries no frames', async (t) => {
    const own = await startOwnKernel(t);
    own.control.write('hello?\n');
    assert.deepEqual(await own.ended, { code: 70, signal: null });
  });
  it('is not handed on to children, nor named to them', async () => {
    const { stdout } = await kernel.run(
      "require('child_process').execSync('ls /proc/self/fd; echo $SALLYPORT_CONTROL_FD', { stdio: 'inherit' })",
    );
    const own = spawnSync('ls', ['/proc/self/fd'], { stdio: ['ignore', 'pipe', 'ignore'] }).stdout.toString();
    assert.equal(stdout, `${own}\n`);
  });
});

describe('a rehearsal', () => {
  it('while nobody waits leaves nothing to be heard or seen', async (t) => {
    const own = await startOwnKernel(t);
    const names = 'Object.getOwnPropertyNames(globalThis).length';
    const { value } = await own.run(names);
    const idle = await startOwnKernel(t);
    await new Promise((resolve) => setTimeout(resolve, 200));
    assert.deepEqual(await idle.run(names), { ...CLEAN, value });
  });
  it('does not come after a program', async (t) => {
    const own = await startOwnKernel(t);
    await own.run('Array.prototype[Symbol.iterator] = () => { throw 1 }');
    await new Promise((resolve) => setTimeout(resolve, 60));
    assert.deepEqual(await own.run('1'), { ...CLEAN, value: '1' });
  });
});

describe('the code cache', () => {
  const cached = () => path.join(path.dirname(kernelFile), 'kernel.cache');
  after(() => fs.rmSync(cached(), { force: true }));

  it('is written on request, and taken by the engine', async () => {
    const writer = new KernelProcess(kernelFile, { args: ['--write-cache'] });
    assert.deepEqual(await writer.run('console.log(1)'), { ...CLEAN, stdout: '1\n' });
    await writer.close();
    const source = fs.readFileSync(path.join(path.dirname(kernelFile), 'kernel.js'), 'latin1');
    const script = new vm.Script(source, { cachedData: fs.readFileSync(cached()) });
    assert.equal(script.cachedDataRejected, false);
  });
  for (const [what, change] of [
    ['changes nothing but the time of a start', (bytes) => bytes],
    ['of another engine changes nothing', (bytes) => Buffer.concat([Buffer.alloc(16), bytes.subarray(16)])],
    ['that is empty changes nothing', () => Buffer.alloc(0)],
  ]) {
    it(what, async (t) => {
      fs.writeFileSync(cached(), change(fs.readFileSync(cached())));
      const own = await startOwnKernel(t);
      assert.deepEqual(await own.run('function f() { null.x }\nf()', { name: '<run 1>' }), {
        ...CLEAN,
        ...failed(
          "TypeError: Cannot read properties of null (reading 'x')",
          "<run 1>:1\nfunction f() { null.x }\n                    ^\n\nTypeError: Cannot read properties of null (reading 'x')\n    at f (<run 1>:1:21)\n    at <run 1>:2:1\n",
        ),
      });
    });
  }
});
