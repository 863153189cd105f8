import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { allowingLine, type CallFacts, decideCall, type PolicyRule } from './rules.ts';

const facts: CallFacts = { server: 'github', tool: 'delete_repo', session: 'work', annotations: {}, isTrusted: false };
const destructive = { ...facts, annotations: { destructiveHint: true } };
const readOnly = { ...facts, annotations: { readOnlyHint: true } };
const rule = (rest: Omit<PolicyRule, 'do'>, what: PolicyRule['do']): PolicyRule => ({ ...rest, do: what });

const cases: ReadonlyArray<
  readonly [what: string, rules: PolicyRule[], facts: CallFacts, expected: 'allow' | 'deny' | 'ask']
> = [
  ['allows what no rule is about', [], facts, 'allow'],
  ['asks about what its server calls destructive', [], destructive, 'ask'],
  ['lets a person allow it by name', [rule({ tools: 'github.delete_repo' }, 'allow')], destructive, 'allow'],
  ['takes the first rule that fits', [rule({ tools: 'github.*' }, 'deny'), rule({}, 'allow')], facts, 'deny'],
  [
    'passes over rules for others',
    [rule({ tools: 'gitlab.*' }, 'deny'), rule({ session: 'play' }, 'deny')],
    facts,
    'allow',
  ],
  ['takes dots and brackets as they are', [rule({ tools: 'github.delete.repo' }, 'deny')], facts, 'allow'],
  ['asks where a rule wants it', [rule({}, 'ask')], facts, 'ask'],
  ['takes the first of two rules that contradict', [rule({}, 'allow'), rule({}, 'deny')], destructive, 'allow'],
  ['knows sessions by pattern', [rule({ session: 'w*' }, 'deny')], facts, 'deny'],
  [
    'does not let a trusted server loosen what is not its word',
    [rule({ when: 'open-world' }, 'allow'), rule({}, 'deny')],
    { ...readOnly, isTrusted: true },
    'deny',
  ],
  [
    'does not let a server loosen by what it says',
    [rule({ when: 'read-only' }, 'allow'), rule({}, 'deny')],
    readOnly,
    'deny',
  ],
  [
    'believes a trusted server',
    [rule({ when: 'read-only' }, 'allow'), rule({}, 'deny')],
    { ...readOnly, isTrusted: true },
    'allow',
  ],
  ['lets a server tighten by what it says', [rule({ when: 'read-only' }, 'deny')], readOnly, 'deny'],
];

describe('decideCall()', () => {
  for (const [what, rules, given, expected] of cases) {
    it(what, () => assert.equal(decideCall(rules, given).kind, expected));
  }

  it('says which rule it was', () => {
    assert.deepEqual(decideCall([rule({ tools: 'x' }, 'allow'), rule({}, 'deny')], facts), {
      kind: 'deny',
      reason: 'rule 2 of "policy" denies it',
    });
    assert.equal(allowingLine('github', 'delete_repo'), '{"tools":"github.delete_repo","do":"allow"}');
  });
});
