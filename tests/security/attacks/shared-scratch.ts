// If this worked: one session would find what another left in /tmp, /dev/shm or its workspace, or leave it on the host.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { answerOf } from '../../support/client.ts';
import type { Attack } from '../attack.ts';

const PLACES = [
  '/tmp',
  '/dev/shm',
  '/run/lock',
  '/var/tmp',
  '/workspace',
  '/var/lock',
  '/run',
  '/output',
  '/dev/mqueue',
];

const leave = (name: string) => `
for place in ${JSON.stringify(PLACES)}:
    try: open(place + '/${name}', 'w').write('left'); print('wrote', place)
    except OSError: pass
`;
const find = (name: string) => `
import os
print([place for place in ${JSON.stringify(PLACES)} if os.path.exists(place + '/${name}')])
`;

export const attack: Attack = {
  checks: [
    {
      name: 'what one session leaves is neither in another one nor on the host',
      holds: async (field) => {
        const name = `left-${field.secret.slice(-8)}`;
        const left = answerOf(await field.run({ session: 'leaves', language: 'python', code: leave(name) }));
        assert.match(left.out, /wrote \/tmp\n/);
        const found = answerOf(await field.run({ session: 'finds', language: 'python', code: find(name) }));
        assert.equal(found.out, '[]\n');
        assert.deepEqual(
          PLACES.filter((place) => existsSync(`${place}/${name}`)),
          [],
        );
      },
      control: async (field) => {
        const name = `left-${field.secret.slice(-8)}`;
        await field.outside('python', leave(name));
        const printed = await field.outside('python', find(name));
        for (const place of PLACES) await rm(`${place}/${name}`, { force: true });
        assert.match(printed, /'\/tmp'/);
      },
    },
    {
      name: 'a session that is opened again under its name starts with an empty scratch',
      control: 'The first check shows that the file would be found where there is no wall',
      holds: async (field) => {
        await field.run({
          session: 'again',
          language: 'bash',
          code: 'echo x >/tmp/stays; mcp session close 2>/dev/null; true',
        });
        await field.run({ session: 'again', language: 'python', code: 'mcp.session.close()' });
        const answer = answerOf(
          await field.run({ session: 'again', language: 'python', code: 'import os; print(os.listdir("/tmp"))' }),
        );
        assert.ok(!answer.out.includes('stays'), answer.out);
      },
    },
  ],
};
