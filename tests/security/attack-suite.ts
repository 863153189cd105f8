/**
 * Every class of attack, one file each in `attacks`, against one wall. One server takes all of them, one after the other
 * and some at once, as a server in use would.
 */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import type { WallName } from '../e2e/behaviours.ts';
import { answerOf } from '../support/client.ts';
import { type Attack, type AttackCheck, type AttackProgram, BREACH, FINISHED, wholeProgram } from './attack.ts';
import { type Field, openField } from './field.ts';

const FOLDER = new URL('./attacks/', import.meta.url);
const ANSWER_MS_MAX = 10_000;
/** Programs there see files, also devices, that exist in their own memory alone. */
const WALLS_WITH_OWN_FILES = new Set(['embedded']);

interface NamedAttack extends Attack {
  readonly name: string;
}

const attacks = await loadAttacks();
export function describeAttacks(wall: WallName): void {
  describe(`attacks behind ${wall}`, { timeout: 5 * 60_000 }, () => {
    let field: Field;
    before(async () => {
      field = await openField(wall);
    });
    after(() => field[Symbol.asyncDispose]());

    for (const attack of attacks) {
      for (const [index, program] of (attack.programs ?? []).entries()) {
        if (program.not?.[wall] !== undefined) continue;
        it(`${attack.name}: ${program.language} program ${index + 1} gets nothing`, () =>
          holdsAgainst(field, attack.name, program));
      }
      for (const check of attack.checks ?? []) {
        if (check.not?.[wall] !== undefined) continue;
        it(`${attack.name}: ${check.name}`, () => staysWhole(field, check));
      }
    }

    it('the server answers at once after all of them', async () => {
      const startedAt = performance.now();
      const answer = answerOf(await field.run({ code: 'print(6 * 7)', language: 'python', session: 'afterwards' }));
      assert.equal(answer.out, '42\n', JSON.stringify(answer));
      assert.ok(performance.now() - startedAt < ANSWER_MS_MAX);
    });
  });
}

/** The server is not asked for anything here; the field needs one. */
export function describeControls(wall: WallName): void {
  describe('the same attacks without a wall', { timeout: 2 * 60_000 }, () => {
    let field: Field;
    before(async () => {
      field = await openField(wall);
    });
    after(() => field[Symbol.asyncDispose]());

    for (const attack of attacks) {
      for (const [index, { control, language, code, wrapOutside }] of (attack.programs ?? []).entries()) {
        if (control !== true && !(control === 'root' && process.getuid?.() === 0)) continue;
        it(`${attack.name}: ${language} program ${index + 1} works`, async () => {
          const printed = await field.outside(language, code(field, 'outside'), wrapOutside);
          assert.ok(printed.includes(BREACH), printed);
          const harm = (await field.takeEffects()).filter((effect) => effect.endsWith(' changed'));
          assert.deepEqual(harm, [], 'a control leaves the machine as it is');
        });
      }
      for (const { name, control } of attack.checks ?? []) {
        if (typeof control === 'function') it(`${attack.name}: ${name}: the check can fail`, () => control(field));
      }
    }
  });
}

export function describeFiles(): void {
  describe('the files of attacks', () => {
    it('each try something, and each program says how it is known to work', () => {
      for (const { name, programs = [], checks = [] } of attacks) {
        assert.ok(programs.length + checks.length > 0, name);
        for (const { control } of [...programs, ...checks]) {
          assert.ok(typeof control !== 'string' || control === 'root' || control.length > 20, `${name}: ${control}`);
        }
      }
    });
  });
}

async function loadAttacks(): Promise<NamedAttack[]> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.ts')).sort();
  return Promise.all(
    files.map(async (file) => {
      const { attack } = (await import(new URL(file, FOLDER).href)) as { attack: Attack };
      return { name: file.replace(/\.ts$/, ''), ...attack };
    }),
  );
}

async function holdsAgainst(field: Field, name: string, program: AttackProgram): Promise<void> {
  const { language, code, alone, timeout = 15 } = program;
  const session = alone ? `${name}-${language}` : 'attacker';
  const result = await field.run({
    language,
    session,
    timeout,
    code: wholeProgram(language, code(field, 'inside')),
  });
  const { out, notes } = answerOf(result);
  assert.ok(out.includes(FINISHED), `it did not get to its end: ${out}\n${notes}`);
  assert.match(out, /^(?:held|BREACH) /m, 'it tried nothing');
  const isPretended = program.byEffect === true && WALLS_WITH_OWN_FILES.has(field.wall);
  assert.ok(isPretended || !out.includes(BREACH), out);
  assert.ok(!`${out}${notes}`.includes(field.secret), `the secret came out: ${out}\n${notes}`);
  assert.deepEqual(await field.takeEffects(), []);
}

async function staysWhole(field: Field, check: AttackCheck): Promise<void> {
  await check.holds(field);
  assert.deepEqual(await field.takeEffects(), []);
}
