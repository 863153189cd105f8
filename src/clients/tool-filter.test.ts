import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ToolFilter } from './entry.ts';
import { allowsTool } from './tool-filter.ts';

describe('allowsTool()', () => {
  const cases: ReadonlyArray<
    readonly [filter: ToolFilter | undefined, allowed: readonly string[], refused: readonly string[]]
  > = [
    [undefined, ['anything'], []],
    [{ include: ['read', 'list_*'] }, ['read', 'list_', 'list_issues'], ['reads', 'write', 'List_x']],
    [{ exclude: ['*_delete', 'a*b*c'] }, ['delete', 'ab', 'abcd'], ['x_delete', 'abc', 'aXbYc']],
    [{ include: ['*'], exclude: ['x'] }, ['y'], ['x']],
    [{ include: [] }, [], ['x']],
    [{ include: ['ab*ab'] }, ['abab', 'ab--ab'], ['ab', 'aba']],
    [{ include: ['.*'] }, ['.x'], ['x']],
  ];
  for (const [filter, allowed, refused] of cases) {
    it(`with ${JSON.stringify(filter)}`, () => {
      const names = [...allowed, ...refused];
      assert.deepEqual(
        names.filter((name) => allowsTool(filter, name)),
        allowed,
      );
    });
  }

  it('takes no longer for a pattern that is made to take long', () => {
    const pattern = '*a'.repeat(5_000);
    assert.equal(allowsTool({ include: [pattern] }, 'a'.repeat(4_999)), false);
  });
});
