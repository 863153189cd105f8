/** What a container costs beside bubblewrap: a warm run of each in turns, a new session from the pool, one without. */
import { distributionOf, measureInTurns, time } from './measure.ts';
import { type BenchRow, row } from './rows.ts';
import { type BenchServer, mustPrint, openSallyport } from './servers.ts';

export interface ContainerBenchOptions {
  readonly image: string | undefined;
  readonly rounds: number;
  readonly progress: (line: string) => void;
}

const CONTAINER_WALLS = ['podman', 'docker'];
const PROGRAMS = { python: 'print(1)', javascript: 'console.log(1)', bash: 'echo 1' } as const;
type Language = keyof typeof PROGRAMS;
const LANGUAGES = Object.keys(PROGRAMS) as Language[];
const NEW_SESSIONS = 5;
const COLD_STARTS = 3;
/** Longer than a container takes to start on a slow machine. */
const REFILL_MS = 2_500;

export function isContainerWall(wall: string): boolean {
  return CONTAINER_WALLS.includes(wall);
}

export async function benchContainer(
  wall: string,
  { image, rounds, progress }: ContainerBenchOptions,
): Promise<BenchRow[]> {
  const flags = ['--sandbox', wall, ...(image === undefined ? [] : ['--image', image]), '--max-sessions', '50'];
  progress(`${wall}: warm runs beside bubblewrap`);
  const rows: BenchRow[] = [];
  {
    await using container = await openSallyport(flags);
    await using bubblewrap = await openSallyport(['--sandbox', 'bubblewrap']);
    for (const language of LANGUAGES) {
      const actions = {
        container: run(container, language, language),
        bubblewrap: run(bubblewrap, language, language),
      };
      await measureInTurns(actions, Math.ceil(rounds / 5)); // the first calls start interpreters and warm the machine code
      const warm = await measureInTurns(actions, rounds);
      rows.push(row(wall, 'warm run behind bubblewrap', language, warm.bubblewrap.medianMs));
      rows.push(
        row(wall, 'warm run', language, warm.container.medianMs, {
          name: 'bubblewrap',
          value: warm.bubblewrap.medianMs,
          goal: 1.3,
        }),
      );
      progress(`${wall}: new sessions, ${language}`);
      rows.push(
        row(wall, 'first run in a new session', language, await newSessions(container, language), {
          name: 'warm run',
          value: warm.container.medianMs,
          goal: 5,
        }),
      );
    }
  }
  progress(`${wall}: cold starts`);
  await using cold = await openSallyport([...flags, '--warm', 'off']);
  await run(cold, 'bash', 'first')(); // the first one looks into the image
  const samples: number[] = [];
  for (let index = 0; index < COLD_STARTS; index++) samples.push(await time(run(cold, 'python', `cold-${index}`)));
  rows.push(row(wall, 'cold one-shot, no pool', 'python', distributionOf(samples).medianMs));
  return rows;
}

function run(server: BenchServer, language: Language, session: string): () => Promise<void> {
  return () => mustPrint(server, { code: PROGRAMS[language], language, session }, '1\n');
}

async function newSessions(server: BenchServer, language: Language): Promise<number> {
  const samples: number[] = [];
  for (let index = 0; index < NEW_SESSIONS; index++) {
    await new Promise((resolve) => setTimeout(resolve, REFILL_MS));
    // A warm call first, so that only the session is new and not the caller's own path cold after the pause.
    await run(server, language, language)();
    samples.push(await time(run(server, language, `new-${language}-${index}`)));
  }
  return distributionOf(samples).medianMs;
}
