/** Attacks on the seams between host, compiler and program: held by the same wall and limits as everything else. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { answerOf, type Connection, callRunCode, connect, metaOf, type RunArguments } from '../support/client.ts';
import { testedLanguages } from './tested.ts';

const { ready } = testedLanguages();
const without = (id: string) => (ready.has(id) ? false : `${id} missing`);
const SECRET = 'canary-of-the-host';

let connection: Connection;
let folder: string;
let canary: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-canary-'));
  canary = join(folder, 'canary.txt');
  await writeFile(canary, `"${SECRET}"\n`, { mode: 0o644 });
  connection = await connect({ flags: ['--sandbox', 'bubblewrap', '--warm', 'off'] });
});
after(async () => {
  await connection[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const run = (input: Partial<RunArguments>) => callRunCode(connection.client, { session: 's', timeout: 30, ...input });

/** Programs that make their compiler read a file of the host, or do something while it compiles. */
const AT_COMPILE_TIME: ReadonlyArray<readonly [language: string, what: string, code: (path: string) => string]> = [
  [
    'c',
    'includes a file of the host',
    (path) => `#include <stdio.h>\nint main(void) { puts(\n#include "${path}"\n); }`,
  ],
  ['c', 'includes the shadow passwords', () => '#include "/etc/shadow"\nint main(void) { return 0; }'],
  ['assembly', 'takes in a file of the host', (path) => `global _start\nsection .text\n_start: incbin "${path}"\n`],
  ['rust', 'takes in a file of the host', (path) => `fn main() { println!("{}", include_str!("${path}")); }`],
  ['nim', 'runs a command', (path) => `const text = staticExec("cat ${path}; id -u")\necho text\n`],
  ['perl', 'runs a command', (path) => `BEGIN { print qx(cat ${path}; id -u) }`],
  [
    'haskell',
    'runs a command',
    (path) =>
      `{-# LANGUAGE TemplateHaskell #-}\nimport Language.Haskell.TH\nmain :: IO ()\nmain = putStrLn $(runIO (readFile "${path}") >>= stringE)\n`,
  ],
  ['lisp', 'reads with evaluation', (path) => `(print #.(with-open-file (in "${path}") (read in)))`],
];

describe('a compiler behind the wall', () => {
  for (const [language, what, code] of AT_COMPILE_TIME) {
    it(`sees no file of the host when a ${language} program ${what}`, { skip: without(language) }, async () => {
      const result = await run({ language, code: code(canary) });
      assert.ok(!JSON.stringify(result).includes(SECRET), JSON.stringify(result));
      assert.doesNotMatch(answerOf(result).out, /^0$/m, 'it ran as root');
      assert.doesNotMatch(JSON.stringify(result), /root:[^ ]*:\d+:/);
    });
  }

  it('takes names of files for names, never for options', { skip: without('c') }, async () => {
    const files = {
      '-fplugin=x.c': 'int a = 1;\n',
      '--help.c': 'int b = 2;\n',
      '-o.c': 'int c = 3;\n',
      '@x.c': 'int d = 4;\n',
      '$(id).c': 'int e = 5;\n',
    };
    const code =
      '#include <stdio.h>\nextern int a, b, c, d, e;\nint main(void) { printf("%d\\n", a + b + c + d + e); }\n';
    assert.equal(answerOf(await run({ language: 'c', code, files, session: 'names' })).out, '15\n');
  });

  it('is stopped when its result has no end, and the session goes on', { skip: without('c') }, async () => {
    const result = await run({ language: 'c', code: 'char a[3UL << 30] = {1};\nint main(void) { return a[0]; }\n' });
    assert.ok(answerOf(result).failed);
    assert.notEqual(metaOf(result).error?.code, 'INTERNAL');
    assert.equal(
      answerOf(await run({ language: 'c', code: '#include <stdio.h>\nint main(void) { puts("on"); }' })).out,
      'on\n',
    );
  });

  it('checks without running anything of the program', { skip: without('ruby') }, async () => {
    await run({ language: 'ruby', code: 'File.write("ran", "")\nsyntax error here (', session: 'unrun' });
    assert.equal(answerOf(await run({ language: 'bash', code: 'ls', session: 'unrun' })).out, '(no output)');
  });
});
