import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import {
  countUnreadableImports,
  forbiddenImports,
  importsOf,
  ROOMS,
  ROOT,
  readSources,
  type Source,
  WIRING,
} from './rooms.ts';

/** Absences that nobody can read out of the code: what may appear only in the places named. */
interface Invariant {
  readonly name: string;
  readonly why: string;
  readonly appearsIn: (source: Source) => boolean;
  /** Files or folders below `src`. */
  readonly allowed: readonly string[];
}

const INVARIANTS: readonly Invariant[] = [
  {
    name: 'only protocol and gateway know MCP',
    why: 'everything else works the same for the command line and the web page; bench compares us with the SDK itself',
    appearsIn: importing(/^@modelcontextprotocol\//),
    allowed: ['protocol/', 'gateway/', 'bench/'],
  },
  {
    name: 'only sandbox, gateway/transports, packages and bench start processes',
    why: 'a process started elsewhere would be user code without a wall, or a leak that no limit covers',
    appearsIn: importing(/^(?:(?:node:)?(?:child_process|cluster)|cross-spawn)$/),
    allowed: ['sandbox/', 'gateway/transports/', 'packages/', 'bench/'],
  },
  {
    name: 'only config/env.ts reads the environment',
    why: 'what is read in one place can be documented, and cannot leak into a sandbox by accident',
    appearsIn: either(containing(/\bprocess\s*\.\s*env\b/), importing(/^(?:node:)?process$/)),
    allowed: ['config/env.ts'],
  },
  {
    name: 'nothing prints through console',
    why: 'stdout belongs to the protocol; logs go to stderr through observability',
    appearsIn: containing(/\bconsole\s*\.\s*\w/),
    allowed: [],
  },
];

describe('rooms', () => {
  it('the table holds no cycle: a line names only rooms above it', () => {
    const names = Object.keys(ROOMS);
    for (const [index, name] of names.entries()) {
      const below = ROOMS[name]?.filter((room) => !names.slice(0, index).includes(room));
      assert.deepEqual(below, [], `${name} names rooms that are not above it`);
    }
  });

  it('everything in src is a room of the table or wires the house', async () => {
    const entries = await readdir(join(ROOT, 'src'));
    const strangers = entries.filter(
      (entry) => !(entry in ROOMS) && !WIRING.includes(entry) && entry !== 'main.test.ts',
    );
    assert.deepEqual(strangers, []);
  });

  it('a room imports only what its line allows', async () => {
    const sources = await readSources(/\.m?[jt]s$/);
    assert.deepEqual(sources.flatMap(forbiddenImports), []);
  });
});

describe('invariants', () => {
  for (const { name, why, appearsIn, allowed } of INVARIANTS) {
    it(name, async () => {
      const sources = (await readSources(/\.ts$/)).filter(({ path }) => !path.startsWith('inside/'));
      const elsewhere = sources.filter((source) => !allowed.some((place) => source.path.startsWith(place)));
      assert.deepEqual(
        elsewhere.filter(appearsIn).map(({ path }) => path),
        [],
        `${name}: ${why}`,
      );
    });
  }
});

describe('reading imports', () => {
  const cases: ReadonlyArray<readonly [text: string, specifiers: readonly string[]]> = [
    ["import { a } from './a.ts';", ['./a.ts']],
    ["import {\n  a,\n  type B,\n} from '#contracts/errors';", ['#contracts/errors']],
    ["import type { A } from '#engine/parts';", ['#engine/parts']],
    ["export * from './a.ts';\nexport type { B } from '#cli/b';", ['./a.ts', '#cli/b']],
    ["import '#config/env';", ['#config/env']],
    ["const a = await import('#web/api');", ['#web/api']],
    ["let a: import('#web/api').Api;", ['#web/api']],
    ['export const text = \'from "here"\';', []],
    ['// taken from "there"', []],
  ];
  for (const [text, specifiers] of cases) {
    it(`finds ${JSON.stringify(specifiers)} in ${JSON.stringify(text)}`, () => {
      assert.deepEqual(importsOf(text), specifiers);
    });
  }

  it('counts imports that are computed', () => {
    assert.equal(
      countUnreadableImports("await import(name); await import(`./${name}.ts`); await import('./a.ts');"),
      2,
    );
  });

  const source = (path: string, text: string) => forbiddenImports({ path, text });
  it('says which room may not import which', () => {
    assert.deepEqual(source('output/a.ts', "import { b } from '#engine/b';"), [
      'output/a.ts: output may not import engine (#engine/b)',
    ]);
    assert.deepEqual(source('output/a.ts', "import { b } from '../contracts/b.ts';"), [
      'output/a.ts: leaves its room by a path (../contracts/b.ts); cross rooms by name (#room/file)',
    ]);
    assert.deepEqual(source('attic/a.ts', ''), ['attic/a.ts: "attic" is no room yet; give it a line in ROOMS']);
    assert.deepEqual(source('main.ts', "import { b } from '#engine/b';"), []);
  });
});

function either(one: Invariant['appearsIn'], other: Invariant['appearsIn']): Invariant['appearsIn'] {
  return (source) => one(source) || other(source);
}

function importing(pattern: RegExp): Invariant['appearsIn'] {
  return ({ text }) => importsOf(text).some((specifier) => pattern.test(specifier));
}

/** Comments and the programs that we hold as text may speak of what our code may not do. */
function containing(pattern: RegExp): Invariant['appearsIn'] {
  const comment = /^\s*(?:\/\/|\/?\*).*$/gm;
  const string = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g;
  return ({ text }) => pattern.test(text.replace(comment, '').replace(string, "''"));
}
