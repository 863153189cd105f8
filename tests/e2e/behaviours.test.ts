import { after, before, describe, it } from 'node:test';
import { type Connection, connect, type Era } from '../support/client.ts';
import { availableWalls, isFull } from '../support/walls.ts';
import { BEHAVIOURS } from './behaviours.ts';
import { check } from './check-behaviour.ts';

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

      for (const [index, behaviour] of BEHAVIOURS.entries()) {
        if (behaviour.not?.[wall] !== undefined) continue;
        // The slow wall takes them in turns, so that each is tried once and both protocols are.
        if (wall === 'embedded' && !isFull && (index % 2 === 0) === (era === 'legacy')) continue;
        it(behaviour.name, () => check(connection, behaviour));
      }
    });
  }
}
