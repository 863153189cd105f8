/** `sallyport bench languages`: what the wall adds to the bare toolchains, and what keeping compiled results saves. */
import { DEFAULT_LIMITS } from '#contracts/limits';
import type { CommandLanguage } from '#languages/language';
import { COMMAND_LANGUAGES } from '#languages/registry';
import { BareToolchain } from './bare-program.ts';
import { distributionOf, time } from './measure.ts';
import { type BenchRow, row } from './rows.ts';
import { type BenchServer, mustPrint, openSallyport } from './servers.ts';
import { SMALL_PROGRAMS } from './small-programs.ts';

const ROUNDS = 3;
const OVERHEAD_GOAL = 1.3;
const AGAIN_GOAL = 0.3;
/** Their second run in a session is held to the goal. */
const KEPT = ['c', 'cpp', 'rust', 'go', 'java', 'haskell'];
const PRINTED = '1000';

export async function benchLanguages(
  { wall, only }: { wall: string; only: readonly string[] | undefined },
  progress: (line: string) => void,
): Promise<BenchRow[]> {
  await using server = await openSallyport(['--sandbox', wall]);
  const rows: BenchRow[] = [];
  const ratios: number[] = [];
  for (const language of COMMAND_LANGUAGES) {
    const code = SMALL_PROGRAMS[language.id];
    if (code === undefined || !(only?.includes(language.id) ?? true)) continue;
    await using bare = await BareToolchain.open(language);
    if (!bare) continue;
    progress(`${wall}: ${language.id}`);
    const figures = await measure(server, bare, language, code);
    ratios.push(figures.wallMs / figures.bareMs);
    const compared = { name: 'bare toolchain', value: figures.bareMs, goal: OVERHEAD_GOAL };
    rows.push(row(wall, 'a new program', language.id, figures.wallMs, compared));
    const first = {
      name: 'first run',
      value: figures.wallMs,
      goal: KEPT.includes(language.id) ? AGAIN_GOAL : Number.POSITIVE_INFINITY,
    };
    if (language.runtimes.some(({ compile }) => compile))
      rows.push(row(wall, 'the same program again', language.id, figures.againMs, first));
  }
  const median = distributionOf(ratios).medianMs;
  return [...rows, { ...row(wall, 'overhead, median over languages', '', median), unit: 'ratio', goal: OVERHEAD_GOAL }];
}

async function measure(server: BenchServer, bare: BareToolchain, { id }: CommandLanguage, code: string) {
  const samples = { wall: [] as number[], bare: [] as number[], again: [] as number[] };
  // The first round fills the caches of both sides and does not count.
  for (let round = 0; round <= ROUNDS; round++) {
    const number = String(Number(PRINTED) + round);
    const program = code.replace(PRINTED, number);
    const inWall = () =>
      mustPrint(server, { code: program, language: id, session: `bench-${id}`, timeout: 60 }, `${number}\n`);
    const bareMs = await time(async () => {
      const printed = await bare.run(program, DEFAULT_LIMITS.memoryBytes);
      if (printed !== `${number}\n`) throw new Error(`${id} printed ${JSON.stringify(printed.slice(0, 100))}`);
    });
    const wallMs = await time(inWall);
    const againMs = await time(inWall);
    if (round === 0) continue;
    samples.bare.push(bareMs);
    samples.wall.push(wallMs);
    samples.again.push(againMs);
  }
  return {
    wallMs: distributionOf(samples.wall).medianMs,
    bareMs: distributionOf(samples.bare).medianMs,
    againMs: distributionOf(samples.again).medianMs,
  };
}
