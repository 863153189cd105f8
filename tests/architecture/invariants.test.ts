import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importsOf, readSources, type Source } from './rooms.ts';

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
    name: 'only sandbox, gateway/connect, packages and bench start processes',
    why: 'a process started elsewhere would be user code without a wall, or a leak that no limit covers',
    appearsIn: importing(/^(?:node:)?(?:child_process|cluster)$/),
    allowed: ['sandbox/', 'gateway/connect.ts', 'packages/', 'bench/'],
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
