/** The names that somebody may have meant. */

const NEAREST_MAX = 3;

/** Nearest first; empty when nothing is near. */
export function nearestNames(wanted: string, names: Iterable<string>, countMax = NEAREST_MAX): string[] {
  const probe = letters(wanted);
  const scored = [...names].flatMap((name) => {
    const distance = distanceOf(probe, letters(name));
    return distance === undefined ? [] : [{ name, distance }];
  });
  return scored
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, countMax)
    .map(({ name }) => name);
}

/** As a phrase for a hint: ` Did you mean "a" or "b"?`. */
export function didYouMean(wanted: string, names: Iterable<string>): string | undefined {
  const nearest = nearestNames(wanted, names).map((name) => JSON.stringify(name));
  return nearest.length === 0 ? undefined : `Did you mean ${nearest.join(' or ')}?`;
}

const CHARS_MAX = 64;

/** `createIssue`, `create_issue` and `create-issue` are one name here. */
function letters(name: string): string {
  return name
    .slice(0, CHARS_MAX)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** From 0, the same; undefined when it is another word altogether. */
function distanceOf(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (a === '' || b === '') return undefined;
  const edits = editDistance(a, b);
  const longer = Math.max(a.length, b.length);
  if (edits <= Math.max(1, longer / 3)) return edits / longer;
  // One is a part of the other: a word was left out or put in front.
  const shorter = Math.min(a.length, b.length);
  return shorter >= 3 && (a.includes(b) || b.includes(a)) ? 0.4 + (longer - shorter) / longer / 2 : undefined;
}

/** Letters to change, add, drop or swap with their neighbour. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(at(last, column) + 1, at(next, column - 1) + 1, at(last, column - 1) + (same ? 0 : 1));
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (isSwap) cost = Math.min(cost, at(before, column - 2) + 1);
      next.push(cost);
    }
    before = last;
    last = next;
  }
  return at(last, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
