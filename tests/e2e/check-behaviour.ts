/** One line of the table of behaviours, tried on a server. */
import assert from 'node:assert/strict';
import { answerOf, type Connection, callRunCode, metaOf } from '../support/client.ts';
import type { Behaviour, Step } from './behaviours.ts';

export async function check({ client }: Connection, behaviour: Behaviour): Promise<void> {
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
