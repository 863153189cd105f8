/** What a benchmark can measure here: the walls that work, and the Python that sessions use. */
import type { Settings } from '#config/settings';
import { buildApp } from '../app.ts';

export async function benchTargets(settings: Settings): Promise<{ walls: string[]; python: string }> {
  const app = await buildApp(settings, { warm: false }, '');
  try {
    const report = await app.examine();
    const wanted = report.walls.filter(
      (wall) => wall.works && (settings.sandbox === 'auto' || settings.sandbox === wall.name),
    );
    const python = report.runtimes.find((runtime) => runtime.language === 'python')?.path ?? 'python3';
    return { walls: wanted.map((wall) => wall.name), python };
  } finally {
    await app.close();
  }
}
