// If this worked: sessions that were prepared alike would make the same keys and tokens.
import assert from 'node:assert/strict';
import { answerOf } from '../../support/client.ts';
import type { Attack } from '../attack.ts';

const SOURCES: ReadonlyArray<readonly [language: string, code: string, not?: Record<string, string>]> = [
  [
    'python',
    'import random, os, uuid, secrets\nprint(random.random(), os.urandom(8).hex(), uuid.uuid4(), secrets.token_hex(8))',
  ],
  ['python', 'print(hash("a word"))', { embedded: 'doctor says it: one hash seed for all sessions' }],
  [
    'javascript',
    'console.log(Math.random(), crypto.randomUUID(), require("node:crypto").randomBytes(8).toString("hex"))',
  ],
  ['bash', 'echo $RANDOM $RANDOM $RANDOM $SRANDOM'],
];

export const attack: Attack = {
  checks: SOURCES.map(([language, code, not = {}], index) => ({
    name: `${language}, source ${index + 1}: no two sessions draw the same`,
    control: 'Every value that was drawn is compared with every other',
    not,
    holds: async (field) => {
      const drawn: string[] = [];
      for (let turn = 0; turn < 3; turn++) {
        const session = `entropy-${index}-${turn}`;
        drawn.push(
          ...answerOf(await field.run({ session, language, code }))
            .out.trim()
            .split(' '),
        );
        await field.run({ session, language: 'python', code: 'mcp.session.close()' });
      }
      assert.ok(drawn.length >= 3);
      // $SRANDOM is empty in some shells, $RANDOM has 15 bits: two alike may be chance, a whole line may not.
      assert.ok(new Set(drawn).size >= drawn.length - 2, drawn.join(' '));
    },
  })),
};
