import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type LearntShape, mergeShapes, shapeOf } from './learnt-shape.ts';
import { typeOfSchema } from './schema-type.ts';
import { STYLES } from './signature.ts';

const python = (shape: LearntShape) => STYLES.python.type(typeOfSchema(shape), 6);
const learn = (...values: unknown[]) => python(values.map(shapeOf).reduce(mergeShapes));

const cases: ReadonlyArray<readonly [what: string, values: unknown[], type: string]> = [
  ['words', ['a', 'b'], 'str'],
  ['numbers', [1, 2.5], 'float'],
  ['rows', [[{ id: 1, tags: ['x'] }]], 'list[{"id": int, "tags": list[str]}]'],
  ['what is not always there', [{ id: 1, owner: { login: 'x' } }, { id: 2 }], '{"id": int, "owner"?: {"login": str}}'],
  ['what is not always the same', [{ id: 1 }, { id: null }], '{"id": int | None}'],
  ['several kinds', [[1], 'none'], 'list[int] | str'],
  ['empty lists that are filled later', [[], [{ a: true }]], 'list[{"a": bool}]'],
  ['maps by address', [{ 'ann@example.org': 1, 'bob@example.org': 2 }], 'dict[str, int]'],
  ['maps by number', [{ user_10442: { age: 1 } }], 'dict[str, {"age": int}]'],
  ['maps by digest', [{ deadbeefcafe01: 1 }], 'dict[str, int]'],
  [
    'maps by number of keys',
    [Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`k${n}`, n]))],
    'dict[str, int]',
  ],
  ['maps that grow over calls', Array.from({ length: 40 }, (_, n) => ({ [`k${n}`]: 'x' })), 'dict[str, str]'],
];

describe('learnt shapes', () => {
  for (const [what, values, type] of cases) it(`are those of ${what}`, () => assert.equal(learn(...values), type));

  it('hold no value', () => {
    const text = JSON.stringify(shapeOf({ name: 'Ann Example', nested: [{ secret: 'hush' }], n: 42 }));
    assert.doesNotMatch(text, /Ann|hush|42/);
  });

  it('stay small, whatever comes', () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 5_000; depth += 1) deep = { deep, list: [deep] };
    const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`field_${n.toString(36)}`, { a: n }]));
    const names = Array.from({ length: 20 }, (_, n) => `part${n}`);
    const bushy = Object.fromEntries(
      names.map((name) => [name, Object.fromEntries(names.map((other) => [other, [{ x: 1 }]]))]),
    );
    for (const value of [deep, wide, bushy, Array.from({ length: 100_000 }, () => bushy)]) {
      const startedAt = performance.now();
      const shape = [value, value, wide].map(shapeOf).reduce(mergeShapes);
      assert.ok(JSON.stringify(shape).length < 20_000);
      assert.ok(performance.now() - startedAt < 1_000);
    }
  });

  it('merge without regard to order, and learn nothing from the same answer twice', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), (one, other) => {
        const [a, b] = [shapeOf(one), shapeOf(other)];
        assert.equal(sorted(mergeShapes(a, b)), sorted(mergeShapes(b, a)));
        assert.equal(sorted(mergeShapes(mergeShapes(a, b), a)), sorted(mergeShapes(a, b)));
      }),
      { numRuns: 300 },
    );
  });
});

function sorted(shape: unknown): string {
  return JSON.stringify(shape, (_key, value) => {
    if (Array.isArray(value)) return [...value].sort();
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
