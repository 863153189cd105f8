/** The same behaviours as of every other wall. A part of the table by default, all of it in test:full. */
import { after, before, describe, it } from 'node:test';
import { BEHAVIOURS, type WallName } from '../e2e/behaviours.ts';
import { check } from '../e2e/check-behaviour.ts';
import { type Connection, connect, type Era } from '../support/client.ts';
import { wallFlags } from '../support/walls.ts';

const isFull = process.env.SALLYPORT_TEST_FULL === '1';
/** Each has a session of its own, and a container takes most of a second. */
const SAMPLE_EVERY = 12;

/** `offset` chooses the sample, so that two engines together see more of the table. */
export function describeBehaviours(engine: WallName, offset: number): void {
  for (const era of (isFull ? ['legacy', 'modern'] : ['modern']) satisfies Era[]) {
    describe(`run_code behind ${engine}, ${era} protocol`, () => {
      let connection: Connection;
      before(async () => {
        connection = await connect({
          era,
          flags: [...wallFlags(engine), '--max-sessions', '20'],
          env: { SALLYPORT_CANARY: 'canary-value' },
        });
      });
      after(() => connection[Symbol.asyncDispose]());

      for (const [line, behaviour] of BEHAVIOURS.entries()) {
        if (behaviour.not?.[engine] !== undefined || !(isFull || line % SAMPLE_EVERY === offset)) continue;
        it(behaviour.name, () => check(connection, behaviour));
      }
    });
  }
}
