/** Which wall a session gets. What was named is used or refused; `auto` takes the first that works and can do what is needed. */
import { AppError } from '#contracts/errors';
import { type InterpreterId, ISOLATION_LEVELS, type IsolationLevel, type SandboxBackend } from './backend.ts';

export interface WallWish {
  /** A backend's name, or `auto`. */
  readonly sandbox: string;
  readonly minIsolation: IsolationLevel | undefined;
  readonly needsMounts: boolean;
}

export interface WallChoice {
  readonly backend: SandboxBackend;
  /** Backends that `auto` passed over, with the reason. */
  readonly passedOver: readonly string[];
}

/** What a person calls it. */
const WANTED: Readonly<Partial<Record<InterpreterId, string>>> = {
  command: 'languages besides Python, JavaScript, TypeScript and Bash',
};

/** `backends` in the order of preference. */
export async function chooseBackend(
  backends: readonly SandboxBackend[],
  wish: WallWish,
  interpreter: InterpreterId,
): Promise<WallChoice> {
  const candidates = wish.sandbox === 'auto' ? backends : backends.filter((backend) => backend.name === wish.sandbox);
  const problems: Array<{ name: string; problem: string; fix: string }> = [];
  for (const backend of candidates) {
    const missing = missingCapabilities(backend, wish, interpreter);
    if (missing) {
      problems.push({ name: backend.name, ...missing });
      continue;
    }
    const report = await backend.probe();
    if (report.works) return { backend, passedOver: problems.map(({ name, problem }) => `${name}: ${problem}`) };
    problems.push({ name: backend.name, problem: report.problem, fix: report.fix });
  }
  throw noWall(wish, backends, problems);
}

function missingCapabilities(
  { name, capabilities }: SandboxBackend,
  wish: WallWish,
  interpreter: InterpreterId,
): { problem: string; fix: string } | undefined {
  if (
    wish.minIsolation &&
    ISOLATION_LEVELS.indexOf(capabilities.isolation) < ISOLATION_LEVELS.indexOf(wish.minIsolation)
  ) {
    return {
      problem: `gives isolation "${capabilities.isolation}", and at least "${wish.minIsolation}" is asked for`,
      fix: `Install a stronger wall (see sallyport doctor), or start with --min-isolation ${capabilities.isolation}`,
    };
  }
  if (wish.needsMounts && !capabilities.mounts) {
    return { problem: 'cannot mount host folders', fix: `Leave --mount out, or use another --sandbox than ${name}` };
  }
  if (!capabilities.interpreters.includes(interpreter)) {
    const wanted = WANTED[interpreter] ?? interpreter;
    return { problem: `has no ${wanted}`, fix: `Use another --sandbox than ${name} for ${wanted}` };
  }
  return undefined;
}

function noWall(
  wish: WallWish,
  backends: readonly SandboxBackend[],
  problems: ReadonlyArray<{ name: string; problem: string; fix: string }>,
): AppError {
  const [first] = problems;
  if (wish.sandbox !== 'auto' && first === undefined) {
    return new AppError('INVALID_CONFIG', `Unknown sandbox "${wish.sandbox}"`, {
      hint: `Use one of: auto, ${backends.map((backend) => backend.name).join(', ')}`,
    });
  }
  const tried = problems.map(({ name, problem }) => `${name}: ${problem}`).join('; ');
  return new AppError('SANDBOX_UNAVAILABLE', `No wall can be built here, so nothing is run (${tried})`, {
    ...(first ? { hint: first.fix } : {}),
  });
}
