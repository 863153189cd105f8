import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import vm from 'node:vm';
import { originalColumn, SourceError, transform } from './transform.mjs';

/** Runs a program in a fresh realm as the kernel would; `imports` are made up. */
async function run(source, globals = {}) {
  const realm = vm.createContext({ print: [], wait: (value) => Promise.resolve(value), ...globals });
  const value = await runIn(realm, source);
  return { value, realm };
}

async function runIn(realm, source) {
  const program = transform(source);
  for (const name of program.names) if (!(name in realm)) realm[name] = undefined;
  for (const { bindings } of program.imports) for (const { name, imported } of bindings) realm[name] = imported ?? '*';
  if (program.hoisted) vm.runInContext(program.hoisted, realm, { filename: '<run>' });
  const result = vm.runInContext(program.body, realm, { filename: '<run>' });
  const value = program.isAsync ? await result() : result;
  return program.hasValue || program.isAsync ? value : undefined;
}

describe('transform() rewrites', () => {
  const table = [
    ['const a = 1, b = 2;', '0,    a = 1, b = 2;'],
    ['let a', '0,  a = void 0'],
    ['let a, b = 2', '0,  a = void 0, b = 2'],
    ['var a = 1', 'var a = 1'],
    ['const { a, b: [c = 1, ...d] } = o', '0,    { a, b: [c = 1, ...d] } = o'],
    ['for (let i = 0;;) {}', 'for (let i = 0;;) {}'],
    ['class A {}', 'A=class A {};'],
    ['x()\nclass A {}\nclass B {}', 'x()\nA=class A {};\nB=class B {};'],
    ["import a from 'm'", ';                '],
    ["import a\n from 'm'\n[1]", ';       \n         \n[1]'],
    ['export const a = 1', '       0,    a = 1'],
    ['export default 1 + 1', '0,             1 + 1'],
    ['export default function () {}', '0,             function () {};'],
    ['export default function f() {}', '               function f() {}'],
    ['export { a }', ';           '],
    ['#!/usr/bin/env node\n1', '///usr/bin/env node\n1'],
    ['import.meta.url', 'import_meta.url'],
    ['await x', '(async () => {return (await x)\n})'],
    ['a\nawait (x); // end', '(async () => {a\nreturn (await (x)); // end\n})'],
    ['return 5', '(async () => {return 5\n})'],
    ['if (await x) var a = 1, b', '(async () => {if (await x) 0,  a = 1, b\n})'],
    ['for (var i = 0; await x;);', '(async () => {for (    i = 0; await x;);\n})'],
    ['await f()\nfunction f() {\n}', '(async () => {return (await f())\n;             \n \n})'],
    ["'use strict'\nawait x", "(async () => {'use strict'\nreturn (await x)\n})"],
  ];
  for (const [source, body] of table) {
    it(JSON.stringify(source), () => {
      assert.equal(transform(source).body, body);
    });
  }

  it('function declarations of an async program into a script of their own, where they stood', () => {
    const source = "'use strict'\nawait f(); function f() {\n  return import.meta\n}\nclass A {}function g() {}";
    assert.equal(
      transform(source).hoisted,
      "'use strict';             \n           function f() {\n  return import_meta\n}\n             function g() {}",
    );
  });

  it('imports into requests', () => {
    assert.deepEqual(
      transform("1;\n  import d, { a as b, 'x y' as c } from 'm' with { type: 'json' }; import * as n from 'n'")
        .imports,
      [
        {
          specifier: 'm',
          attributes: { type: 'json' },
          bindings: [
            { name: 'd', imported: 'default' },
            { name: 'b', imported: 'a' },
            { name: 'c', imported: 'x y' },
          ],
          line: 2,
          column: 3,
        },
        { specifier: 'n', attributes: {}, bindings: [{ name: 'n', imported: null }], line: 2, column: 68 },
      ],
    );
  });
});

describe('transform() keeps the meaning of', () => {
  const table = [
    ['a last expression', '1; 2', 2],
    ['a last expression before function declarations', 'f()\nfunction f() { return 3 }', 3],
    ['a parenthesised object', '({ a: 1 })', { a: 1 }],
    ['a directive as the last expression', "'hello'", 'hello'],
    ['a last declaration, which has no value', '5; const a = 1', undefined],
    ['a last loop, which has no value', 'for (const a of [1]) a', undefined],
    ['await', 'const a = await wait(2); a * 2', 4],
    ['a parenthesised await with a semicolon', '(await wait(2), await wait(3));', 3],
    ['return', 'if (true) { return 7 } 8', 7],
    ['for await', 'for await (const a of [wait(1), wait(2)]) print.push(a); print', [1, 2]],
    ['a function called before its place', 'const a = await f(); a; async function f() { return 5 }', 5],
    ['a function that sees later variables', 'const f = () => b; let b = 1; await wait(); b = 2; f()', 2],
    [
      'destructuring',
      'const { a, b: [c, ...d], ...e } = { a: 1, b: [2, 3, 4], f: 5 }; [a, c, d, e]',
      [1, 2, [3, 4], { f: 5 }],
    ],
    ['destructuring in an async program', 'let [a, { b = await wait(9) }] = [1, {}]; [a, b]', [1, 9]],
    [
      'destructuring after a line without semicolon',
      'const a = [1, 2]\nconst [b] = a\nlet { length } = a\n;[b, length]',
      [1, 2],
    ],
    ['names of functions', 'const f = () => {}, g = class {}; [f.name, g.name]', ['f', 'g']],
    ['let that resets', 'var a = 1; let b = 5; b', 5],
    ['var in blocks', '{ var a = 1 } for (var b of [2]); for (var c in { x: 1 }); await 0; [a, b, c]', [1, 2, 'x']],
    [
      'class declarations',
      'class A { n = 1 }\nclass B extends A { m = 2 }\nconst b = new B(); [b.n, b.m, B.name]',
      [1, 2, 'B'],
    ],
    ['labels', 'a: for (;;) { for (;;) break a }\n1', 1],
    ['strict mode', "'use strict'; (function () { return this })()", undefined],
    ['strict mode in an async program', "'use strict'; await 0; f(); function f() { return this }", undefined],
    ['a hashbang', '#!/usr/bin/env node\n1 + 1', 2],
    ['a hashbang in an async program', '#!/usr/bin/env node\nawait 2', 2],
    ['CRLF', 'const a = 1\r\nconst b = 2\r\na + b\r\n', 3],
    ['indentation', '    const a = 1\n    if (a) {\n        a + 1\n    }\n    a', 1],
    ['exports', 'export const a = 1; export function f() { return a } export class C {} export default f(); f()', 1],
    ['comments at the end', 'await 1 // one', 1],
    ['an expression after a blanked export', 'const a = 1\nexport { a }\n(2)', 2],
    [
      'using',
      'using a = { n: 1, [Symbol.dispose]() { print.push("gone") } }; f(); print\nfunction f() { print.push(a.n) }',
      [1, 'gone'],
    ],
    ['an empty program', '', undefined],
    ['only a comment', '// nothing', undefined],
  ];
  for (const [what, source, expected] of table) {
    it(what, async () => {
      const { value } = await run(source);
      // Values of another realm have other prototypes.
      assert.deepEqual(value && structuredClone(value), expected);
    });
  }
});

describe('transform() lets one run follow another', () => {
  const table = [
    ['const again', ['const a = 1', 'const a = 2; a'], 2],
    ['let without a value again', ['let a = 1', 'let a; a'], undefined],
    ['var keeps its value', ['var a = 1', 'var a; a'], 1],
    ['var keeps its value in an async program', ['var a = 1', 'var a; await a'], 1],
    ['class again', ['class A { x() { return 1 } }', 'class A { x() { return 2 } } new A().x()'], 2],
    [
      'closures see a newer function',
      ['function f() { return 1 } function g() { return f() }', 'function f() { return 2 }', 'g()'],
      2,
    ],
    [
      'closures see it across async programs',
      ['await 0; function f() { return 1 } function g() { return f() }', 'await 0; function f() { return 2 }', 'g()'],
      2,
    ],
    ['closures see a newer variable', ['let a = 1; const f = () => a', 'let a = 2', 'f()'], 2],
    ['imports stay', ["import { a as b } from 'm'", 'b'], 'a'],
  ];
  for (const [what, sources, expected] of table) {
    it(what, async () => {
      const { realm } = await run('');
      let value;
      for (const source of sources) value = await runIn(realm, source);
      assert.deepEqual(value, expected);
    });
  }
});

describe('transform() keeps positions', () => {
  const table = [
    ['boom()', '1:1'],
    ['  const a = 1, b = boom()', '1:20'],
    ['class A { static x = boom() }', '1:22'],
    ['let a; boom()', '1:8'],
    ['boom(); await 0; let c; class D {}', '1:1'],
    ['await 0; let c; f(); function f() { boom() }', '1:37'],
    ['await 0; boom()', '1:10'],
    ['await 0\n  const { a } = boom()', '2:17'],
    ['class A {}\nclass B { static x = boom() }', '2:22'],
    ['1\n\n   await boom()', '3:10'],
    ['f()\nfunction f() {\n  await0 = 1; boom()\n}', '3:15'],
    ['await 0; f()\nfunction f() { boom()\n}', '2:16'],
    ['import a from "a"; export const b = boom()', '1:37'],
  ];
  for (const [source, expected] of table) {
    it(JSON.stringify(source), async () => {
      let stack = '';
      const boom = () => {
        stack = new Error('here').stack;
        return {};
      };
      await run(source, { boom });
      const [, line, column] = /<run>:(\d+):(\d+)/.exec(stack) ?? [];
      const { shifts } = transform(source);
      assert.equal(`${line}:${originalColumn(source, shifts, Number(line), Number(column))}`, expected);
    });
  }
});

describe('transform() refuses', () => {
  const table = [
    ['const = 5', 1, 7, 'Unexpected token'],
    ['a\nlet b; let b', 2, 12, "Identifier 'b' has already been declared"],
    ['function f() { await x }', 1, 22, 'Unexpected token'],
    ['"abc', 1, 1, 'Unterminated string constant'],
    ['if (a) {\n', 2, 1, 'Unexpected end of input'],
  ];
  for (const [source, line, column, message] of table) {
    it(JSON.stringify(source), () => {
      assert.throws(
        () => transform(source),
        (error) => {
          assert.ok(error instanceof SourceError);
          assert.deepEqual([error.line, error.column, error.message], [line, column, message]);
          return true;
        },
      );
    });
  }
});
