// If this worked: a program would fill the host's disk, or leave there what the host cannot remove.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { answerOf, metaOf, type RunMeta } from '../../support/client.ts';
import type { Attack } from '../attack.ts';
import type { Field } from '../field.ts';
import { waitFor } from '../wait-for.ts';

const stops = (reason: RunMeta['stop'], language: string, code: string, session: string) => async (field: Field) => {
  const result = await field.run({ session, language, code, timeout: 15 });
  assert.ok(metaOf(result).stop === reason || metaOf(result).exitCode !== 0, JSON.stringify(result));
  const next = answerOf(await field.run({ session: 'beside', language: 'python', code: 'print("on")' }));
  assert.equal(next.out, 'on\n');
};
const FILLS = 'It would fill the disk of the machine that runs the tests';

/** Deeper than any path can be long. */
const DEEP = `
import os
os.chdir('/workspace')
for i in range(1200):
    os.mkdir('d' * 20)
    os.chdir('d' * 20)
os.chdir('/workspace')
open('n' * 255, 'w').close()
for name in (b'\\xff\\xfe', b'new\\nline', b' ', b'-rf', b'*'):
    try: open(name, 'w').close()
    except OSError: pass
print('made')
`;

export const attack: Attack = {
  checks: [
    {
      name: 'many large files are stopped',
      control: FILLS,
      holds: stops(
        'disk',
        'python',
        'for i in range(100):\n    with open(f"big{i}", "wb") as f:\n        for _ in range(10): f.write(b"x" * 1_000_000)',
        'disk-large',
      ),
    },
    {
      name: 'one file without an end is stopped',
      control: FILLS,
      holds: stops(
        'disk',
        'bash',
        'while echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; do cat big big2 2>/dev/null >big3; cat big3 >>big2; head -c 20000000 /dev/zero >>big || exit 1; done >/dev/null',
        'disk-endless',
      ),
      not: { embedded: 'the shell there has no /dev/zero; the large files are tried in Python' },
    },
    {
      name: 'more files than allowed are stopped',
      control: FILLS,
      holds: stops(
        'disk',
        'python',
        'import os, time\nfor i in range(60_000): open(f"f{i}", "w").close()',
        'disk-files',
      ),
    },
    {
      name: 'a file with a hole takes no room, and is no reason to fail',
      control: FILLS,
      not: { embedded: 'Deno writes the zeros' },
      holds: async (field) => {
        const code =
          'import os\ntry:\n    f = open("sparse", "wb"); f.truncate(10**12)\nexcept OSError as e: print(e.errno)\nprint(os.stat("sparse").st_blocks)';
        const answer = answerOf(await field.run({ session: 'disk-sparse', language: 'python', code }));
        assert.match(answer.out, /^(?:27\n)?0\n$/, JSON.stringify(answer));
      },
    },
    {
      name: 'folders deeper than a path can name are read and removed',
      control: 'What is looked at is that the host can remove what was made',
      holds: async (field) => {
        const answer = answerOf(await field.run({ session: 'disk-deep', language: 'python', code: DEEP, timeout: 15 }));
        assert.match(`${answer.out}${answer.notes}`, /made|Error/, JSON.stringify(answer));
        const next = answerOf(await field.run({ session: 'disk-deep', language: 'bash', code: 'rm -rf d*; echo on' }));
        assert.match(next.out, /on\n$/);
      },
    },
    {
      name: 'a session without a name that made such folders leaves nothing behind',
      control: 'What is looked at is that the host can remove what was made',
      holds: async (field) => {
        const own = async () =>
          (await readdir(join(field.connection.stateDir, 'sessions'))).filter((name) => name.startsWith('.own-'));
        await field.run({ language: 'python', code: DEEP, timeout: 15 });
        const before = new Set(await own());
        await field.run({ language: 'python', code: 'mcp.session.close()' });
        await field.run({ language: 'python', code: 'print(1)' });
        // The places of warm sandboxes stay; the one that was used must go.
        await waitFor(
          async () =>
            [...before].some((name) => name) && (await own()).filter((name) => before.has(name)).length < before.size,
          'its folder is still there',
        );
      },
    },
  ],
};
