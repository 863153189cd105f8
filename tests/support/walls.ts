/** Which walls the tests can use on this machine. With CI=true all of them must be there. */
import { spawnSync } from 'node:child_process';
import type { WallName } from '../e2e/behaviours.ts';
import { MAIN } from './client.ts';

const OWN_WALLS: readonly WallName[] = ['bubblewrap', 'embedded'];
const ENGINES: readonly WallName[] = ['podman', 'docker'];

/** Made by the set-up of the tests (`scripts/test/containers.mjs`): no registry is asked. */
export const TEST_IMAGE = 'sallyport-test:slim';

/** The full counts are asked for. */
export const isFull = process.env.SALLYPORT_TEST_FULL === '1';

const known = new Map<readonly WallName[], readonly WallName[]>();

/** Those that need no engine. Also narrowed by SALLYPORT_TEST_WALLS, a list with commas, while working on one of them. */
export async function availableWalls(): Promise<readonly WallName[]> {
  return available(OWN_WALLS);
}

export async function availableEngines(): Promise<readonly WallName[]> {
  return available(ENGINES);
}

/** What makes a server use this wall. */
export function wallFlags(wall: WallName): string[] {
  return ['--sandbox', wall, ...(ENGINES.includes(wall) ? ['--image', TEST_IMAGE] : [])];
}

function available(walls: readonly WallName[]): readonly WallName[] {
  const works = known.get(walls) ?? askDoctor(walls);
  known.set(walls, works);
  const wanted = process.env.SALLYPORT_TEST_WALLS?.split(',');
  return wanted ? works.filter((wall) => wanted.includes(wall)) : works;
}

function askDoctor(walls: readonly WallName[]): readonly WallName[] {
  const args = [MAIN, 'doctor', '--json', '--sandbox', 'auto', '--image', TEST_IMAGE];
  // It ends with 1 where nothing works, and tells why all the same.
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  const report = JSON.parse(stdout) as { walls: Array<{ name: string; works: boolean; problem: string | null }> };
  const missing = report.walls.filter((wall) => walls.includes(wall.name as WallName) && !wall.works);
  if (missing.length > 0 && process.env.CI === 'true') {
    throw new Error(
      `These walls do not work here: ${missing.map((wall) => `${wall.name} (${wall.problem})`).join(', ')}`,
    );
  }
  for (const wall of missing) process.stderr.write(`left out: ${wall.name}, because ${wall.problem}\n`);
  return walls.filter((wall) => report.walls.some((report) => report.name === wall && report.works));
}

/** For what hardly depends on the wall: the strongest one, and all of them in the full counts. */
export async function sampledWalls(): Promise<readonly WallName[]> {
  const walls = await availableWalls();
  return isFull ? walls : walls.slice(0, 1);
}
