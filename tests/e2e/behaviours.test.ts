import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { answerOf, type Connection, callRunCode, connect, type Era, metaOf } from '../support/client.ts';
import { availableWalls } from '../support/walls.ts';
import { BEHAVIOURS, type Behaviour, type Step } from './behaviours.ts';

for (const wall of await availableWalls()) {
  for (const era of ['legacy', 'modern'] satisfies Era[]) {
    describe(`run_code behind ${wall}, ${era} protocol`, () => {
      let connection: Connection;
      before(async () => {
        connection = await connect({
          era,
          flags: ['--sandbox', wall, '--max-sessions', '200'],
          env: { SALLYPORT_CANARY: 'canary-value' },
        });
      });
      after(() => connection[Symbol.asyncDispose]());

      for (const behaviour of BEHAVIOURS) {
        if (behaviour.not?.[wall] !== undefined) continue;
        it(behaviour.name, () => check(connection, behaviour));
      }
    });
  }
}

async function check({ client }: Connection, behaviour: Behaviour): Promise<void> {
  const session = behaviour.name.replace(/[^A-Za-z0-9]+/g, '-').slice(0, 60);
  for (const step of behaviour.steps) {
    const { out, notes, failed, images, meta, ...input } = step;
    const result = await callRunCode(client, { session, ...input });
    const answer = answerOf(result);
    same('stdout', answer.out, out, answer);
    same('notes', answer.notes, notes ?? '', answer);
    assert.equal(answer.failed, failed ?? false, `isError; ${JSON.stringify(answer)}`);
    assert.deepEqual(answer.images, images ?? []);
    for (const [field, value] of Object.entries(meta ?? {})) {
      assert.deepEqual(metaOf(result)[field as keyof NonNullable<Step['meta']>], value, `_meta ${field}`);
    }
  }
  await callRunCode(client, { session, code: 'mcp.session.close()', language: 'python' });
}

function same(what: string, actual: string, expected: string | RegExp, answer: object): void {
  if (typeof expected === 'string') assert.equal(actual, expected, `${what}; whole answer: ${JSON.stringify(answer)}`);
  else assert.match(actual, expected, `${what}; whole answer: ${JSON.stringify(answer)}`);
}
