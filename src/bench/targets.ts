/** What a benchmark can measure here: the walls that work, and the Python that sessions use. */
import type { Settings } from '#config/settings';
import { buildApp } from '../app.ts';
import { isContainerWall } from './containers.ts';

export interface BenchTargets {
  readonly walls: readonly string[];
  readonly python: string;
  readonly image: string | undefined;
}

/** Containers only when they are named: their image may have to be pulled first. */
export async function benchTargets(settings: Settings): Promise<BenchTargets> {
  const app = await buildApp(settings, { warm: false }, '');
  try {
    const report = await app.examine();
    const wanted = report.walls.filter(
      ({ name, works }) =>
        works && (settings.sandbox === name || (settings.sandbox === 'auto' && !isContainerWall(name))),
    );
    const python = report.runtimes.find((runtime) => runtime.language === 'python')?.path ?? 'python3';
    return { walls: wanted.map((wall) => wall.name), python, image: settings.image };
  } finally {
    await app.close();
  }
}
