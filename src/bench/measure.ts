/** Timing: medians and tails of many small measurements, taken in turns so that the machine's noise falls on all alike. */

export interface Distribution {
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly count: number;
}

export type Measured = () => Promise<void>;

export async function time(action: Measured): Promise<number> {
  const start = performance.now();
  await action();
  return performance.now() - start;
}

/** Runs each action once per round, in turns. */
export async function measureInTurns<Name extends string>(
  actions: Readonly<Record<Name, Measured>>,
  rounds: number,
): Promise<Record<Name, Distribution>> {
  const names = Object.keys(actions) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = 0; round < rounds; round++) {
    for (const name of names) samples[name].push(await time(actions[name]));
  }
  return Object.fromEntries(names.map((name) => [name, distributionOf(samples[name])])) as Record<Name, Distribution>;
}

export function distributionOf(samples: readonly number[]): Distribution {
  const sorted = samples.toSorted((a, b) => a - b);
  return { medianMs: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99), count: sorted.length };
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
