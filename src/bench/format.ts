/** Figures as a table that a person can read at a glance. */
import { paint, table } from '#cli/print';
import type { BenchRow } from './rows.ts';

export function formatBenchRun(rows: readonly BenchRow[]): string {
  const cells = rows.map((row) => [
    row.wall,
    row.what,
    row.language,
    `${row.value.toFixed(row.unit === 'ms' ? 2 : 1)} ${row.unit}`,
    comparison(row),
    verdict(row),
  ]);
  return `${table([['WALL', 'WHAT', 'LANGUAGE', 'MEDIAN', 'RATIO', 'GOAL'].map((head) => paint('bold', head)), ...cells])}\n`;
}

function comparison(row: BenchRow): string {
  return row.ratio === null ? '' : `${row.ratio.toFixed(2)} × ${row.comparedWith}`;
}

function reachesGoal(row: BenchRow): boolean | undefined {
  return row.goal === null ? undefined : (row.ratio ?? row.value) <= row.goal;
}

function verdict(row: BenchRow): string {
  const reached = reachesGoal(row);
  if (reached === undefined) return '';
  return `${reached ? paint('green', '✓') : paint('red', '✗')} ≤ ${row.goal}${row.ratio === null ? ` ${row.unit}` : ' ×'}`;
}
