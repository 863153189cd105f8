// If this worked: a program would run without a wall, or behind a weaker one, because the strong one could not be built.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MAIN } from '../../support/client.ts';
import { sallyport } from '../../support/command.ts';
import type { Attack, AttackCheck } from '../attack.ts';
import type { Field } from '../field.ts';

const REFUSED = 125;

/** What stands in the place of the tool that builds the wall. */
const FAKES: Readonly<Record<string, string>> = {
  'cannot make a namespace': 'echo "bwrap: No permissions to create new namespace" >&2; exit 1',
  'ends at once without a word': 'exit 0',
  'runs the program without any wall': 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"',
};

const program = (field: Field) =>
  `print("ran")\nopen(${JSON.stringify(join(field.folder, 'outside-ran'))}, "w").write("x")`;

async function makeFake(field: Field, body: string): Promise<string> {
  const bin = join(field.folder, 'outside-bin');
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, 'bwrap'), `#!/bin/sh\n${body}\n`);
  await chmod(join(bin, 'bwrap'), 0o755);
  return bin;
}

/** The fake is mounted over the real tool, in a mount namespace that only this command sees. */
async function runWithFake(field: Field, body: string, flags: readonly string[]) {
  const fake = join(await makeFake(field, body), 'bwrap');
  const script = 'mount --bind "$1" /usr/bin/bwrap && shift && exec "$@"';
  const state = join(field.folder, 'outside-state');
  const command = [process.execPath, MAIN, 'run', '--state', state, ...flags, '-l', 'python', '-e', program(field)];
  return spawnSync(
    'unshare',
    ['--mount', '--propagation', 'private', '/bin/sh', '-c', script, 'sh', fake, ...command],
    {
      encoding: 'utf8',
      timeout: 30_000,
      env: { PATH: process.env.PATH ?? '', HOME: field.home },
    },
  );
}

const NOT_OTHERS = {
  embedded: 'it needs no tool that could be missing',
  podman: 'its engine stands for itself',
  docker: 'its engine stands for itself',
};
const canMount = process.getuid?.() === 0;

const refusals: readonly AttackCheck[] = Object.entries(FAKES).map(([what, body]) => ({
  name: `a tool that ${what} is refused with a reason`,
  not: NOT_OTHERS,
  control: 'The same command with the real tool is what all other tests run',
  holds: async (field) => {
    const { status, stdout, stderr } = await runWithFake(field, body, ['--sandbox', 'bubblewrap']);
    assert.equal(status, REFUSED, stderr);
    assert.equal(stdout, '');
    assert.match(stderr, /error: .*bubblewrap/);
    assert.match(stderr, /\nhint: /);
    assert.ok(!(await readdir(field.folder)).includes('outside-ran'));
  },
}));

export const attack: Attack = {
  checks: [
    // Standing in for a tool of the system takes root.
    ...(canMount ? refusals : []),
    {
      name: 'a tool of the same name that comes first in PATH is not used',
      not: NOT_OTHERS,
      control: 'A fake that is used runs the program outside, where it leaves a file',
      holds: async (field) => {
        const bin = await makeFake(field, FAKES['runs the program without any wall'] ?? '');
        const { stdout } = await sallyport(['run', '--sandbox', 'bubblewrap', '-l', 'python', '-e', program(field)], {
          stateDir: join(field.folder, 'outside-state'),
          env: { PATH: `${bin}:${process.env.PATH}` },
        });
        assert.equal(stdout, 'ran\n');
        assert.ok(!(await readdir(field.folder)).includes('outside-ran'));
      },
    },
    {
      name: 'a weaker wall than asked for is never taken instead',
      control: 'The same command without the wish is what all other tests run',
      not: {
        bubblewrap: 'as strong as what is asked for',
        podman: 'as strong as what is asked for',
        docker: 'as strong as what is asked for',
      },
      holds: async (field) => {
        const { code, stdout } = await sallyport(
          ['run', '--sandbox', 'embedded', '--min-isolation', 'container', '-l', 'python', '-e', program(field)],
          { stateDir: join(field.folder, 'outside-state') },
        );
        assert.deepEqual([code, stdout], [REFUSED, '']);
      },
    },
  ],
};
