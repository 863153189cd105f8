/** One figure of a benchmark, beside the thing it is compared with. */
export interface BenchRow {
  readonly wall: string;
  readonly what: string;
  readonly language: string;
  readonly value: number;
  readonly unit: 'ms' | 'MB' | 'count' | 'ratio';
  /** What it is compared with, and the ratio. */
  readonly comparedWith: string | null;
  readonly ratio: number | null;
  /** The figure to reach; null where none is set. */
  readonly goal: number | null;
}

export function row(
  wall: string,
  what: string,
  language: string,
  value: number,
  compared?: { name: string; value: number; goal: number },
): BenchRow {
  const ratio = compared ? value / compared.value : null;
  return {
    wall,
    what,
    language,
    value,
    unit: 'ms',
    comparedWith: compared?.name ?? null,
    ratio,
    goal: compared?.goal ?? null,
  };
}
