/** Memory that a process tree has for itself: pages that nobody else shares. Linux only. */
import { readdirSync, readFileSync } from 'node:fs';

function descendantsOf(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const parent = parentOf(Number(entry));
    if (parent !== undefined) parents.set(Number(entry), parent);
  }
  const found: number[] = [];
  for (const [child] of parents) if (hasAncestor(child, pid, parents)) found.push(child);
  return found;
}

function hasAncestor(child: number, wanted: number, parents: ReadonlyMap<number, number>): boolean {
  for (let at = parents.get(child); at !== undefined && at > 1; at = parents.get(at)) if (at === wanted) return true;
  return false;
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined; // ended meanwhile
  }
}

/** Private bytes of all processes below `pid`. */
export function privateBytesBelow(pid: number): number {
  return descendantsOf(pid).reduce((sum, child) => sum + privateBytesOf(child), 0);
}

function privateBytesOf(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1');
    return [...text.matchAll(/^Private_(?:Clean|Dirty):\s+(\d+) kB$/gm)].reduce(
      (sum, [, kb]) => sum + Number(kb) * 1024,
      0,
    );
  } catch {
    return 0; // ended meanwhile
  }
}
