/**
 * The wall as Deno's command line: every permission is denied but the ones listed, and nothing may ask for more.
 * Pure: the same plan gives the same words, so a test can read them.
 */
import { join } from 'node:path';
import { AppError } from '#contracts/errors';

export interface DenoPlan {
  /** The module to start. Never a program's: the static imports of the first module are not checked. */
  readonly main: string;
  /** Files and folders, without links in them. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly heapBytesMax: number;
}

const MIB = 1024 * 1024;

export function denoArguments(plan: DenoPlan): string[] {
  return [
    'run',
    '--no-prompt',
    '--no-remote',
    '--no-npm',
    '--no-config',
    '--no-lock',
    '--no-check',
    '--cached-only',
    '--quiet',
    // Ignored, not denied: libraries that look at a variable find none, instead of failing.
    '--ignore-env',
    '--deny-net',
    '--deny-run',
    '--deny-ffi',
    '--deny-sys',
    '--deny-import',
    `--allow-read=${pathList(plan.reads)}`,
    plan.writes.length > 0 ? `--allow-write=${pathList(plan.writes)}` : '--deny-write',
    // Arrays and WebAssembly live outside this heap; those are watched by the process's memory as a whole.
    `--v8-flags=--max-old-space-size=${Math.max(64, Math.floor(plan.heapBytesMax / MIB))}`,
    plan.main,
  ];
}

/** The process's own environment. Programs cannot see it. */
export function denoEnvironment(main: string, timeZone: string): Record<string, string> {
  return {
    NO_COLOR: '1',
    DENO_NO_UPDATE_CHECK: '1',
    // A folder that cannot exist, since a file is in its place: where Deno has one, `caches` and `localStorage` write to
    // it past every permission.
    DENO_DIR: join(main, 'none'),
    // Graphics drivers are native code with a large surface, and no permission guards them.
    DENO_WEBGPU_BACKEND: 'none',
    TZ: timeZone,
  };
}

/** Deno splits at commas and knows no way to write one: half of such a path would be another, wider permission. */
function pathList(paths: readonly string[]): string {
  const split = paths.find((path) => path.includes(','));
  if (split !== undefined) {
    throw new AppError('SANDBOX_FAILED', `The embedded wall cannot use a path with a comma: "${split}"`, {
      hint: 'Name another folder with --state, or install Sallyport elsewhere',
    });
  }
  return paths.join(',');
}
