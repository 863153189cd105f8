/** Which walls the tests can use on this machine. With CI=true all of them must be there. */
import { execFileSync } from 'node:child_process';
import type { WallName } from '../e2e/behaviours.ts';
import { MAIN } from './client.ts';

const ALL_WALLS: readonly WallName[] = ['bubblewrap', 'embedded'];

let known: readonly WallName[] | undefined;

/** Also narrowed by SALLYPORT_TEST_WALLS, a list with commas, while working on one of them. */
export async function availableWalls(): Promise<readonly WallName[]> {
  known ??= askDoctor();
  const wanted = process.env.SALLYPORT_TEST_WALLS?.split(',');
  return wanted ? known.filter((wall) => wanted.includes(wall)) : known;
}

function askDoctor(): readonly WallName[] {
  const report = JSON.parse(execFileSync(process.execPath, [MAIN, 'doctor', '--json'], { encoding: 'utf8' })) as {
    walls: Array<{ name: string; works: boolean; problem: string | null }>;
  };
  const missing = report.walls.filter((wall) => ALL_WALLS.includes(wall.name as WallName) && !wall.works);
  if (missing.length > 0 && process.env.CI === 'true') {
    throw new Error(
      `These walls do not work here: ${missing.map((wall) => `${wall.name} (${wall.problem})`).join(', ')}`,
    );
  }
  for (const wall of missing) process.stderr.write(`left out: ${wall.name}, because ${wall.problem}\n`);
  return ALL_WALLS.filter((wall) => report.walls.some((report) => report.name === wall && report.works));
}
