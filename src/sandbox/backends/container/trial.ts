/**
 * Tries an image behind the real wall, once for each boot, engine and image: what the engine needs on this machine, what
 * its groups hold, and which interpreters the image has. Later servers believe the answer that is kept on disk.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '#observability/logger';
import type { InterpreterId, SandboxLimits } from '../../backend.ts';
import { fileStamp, keepFact, readKeptFact } from '../../kept-facts.ts';
import { groupMemoryBytes, groupProcesses } from '../../limits/limiter.ts';
import type { RuntimeAnswer } from '../../runtimes.ts';
import { INSIDE } from '../../supervised/places.ts';
import type { Engine, EngineFacts } from './engine.ts';
import { explainEngine } from './explain.ts';
import { type ContainerWall, type EngineNeeds, runArguments } from './flags.ts';
import type { ImageFacts } from './image.ts';

export type Trial =
  | {
      readonly works: true;
      readonly needs: EngineNeeds;
      readonly runtimes: Readonly<Record<InterpreterId, RuntimeAnswer>>;
      /** Compilers in the image; their programs may have to be started from /tmp. */
      readonly compilers: readonly string[];
      readonly hasPerl: boolean;
    }
  | { readonly works: false; readonly problem: string; readonly fix: string };

export interface TrialParts {
  readonly engine: Engine;
  readonly facts: EngineFacts;
  readonly image: ImageFacts;
  readonly imageName: string;
  readonly node: string;
  readonly inside: string;
  readonly cacheDir: string;
  readonly logger: Logger;
  /** The wall with these needs and limits, for this command. */
  readonly wall: (needs: EngineNeeds, limits: SandboxLimits, command: readonly string[]) => ContainerWall;
  /** A container of the trial has ended. */
  readonly ended: (name: string) => void;
}

const MIB = 1024 * 1024;
const LIMITS: SandboxLimits = {
  memoryBytes: 256 * MIB,
  tmpBytes: 16 * MIB,
  shmBytes: 16 * MIB,
  workspaceBytes: 16 * MIB,
  processes: 64,
  openFiles: 1024,
  cpus: 1,
};
const TRIAL_TIMEOUT_MS = 60_000;
const COMMAND = ['/bin/sh', `${INSIDE.files}/container/probe.sh`];

/** The engine's own choice first, then runtimes that take other systems; and the most limits first. */
function candidates({ engine, facts }: TrialParts): EngineNeeds[] {
  const runtimes = engine.name === 'podman' ? [undefined, 'runc', 'crun'] : [undefined];
  // Without groups a watchdog has to do. It cannot count the processes of a user whom all containers share.
  const groups = ['all', 'no-cpu', ...(facts.isRootless ? (['none'] as const) : [])] as const;
  return groups.flatMap((held) => runtimes.map((runtime) => ({ runtime, groups: held })));
}

export async function tryImage(parts: TrialParts): Promise<Trial> {
  const key = trialKey(parts);
  const file = join(parts.cacheDir, `container-${createHash('sha256').update(key).digest('hex').slice(0, 16)}.json`);
  const kept = readKeptFact<Trial>(file, () => key);
  if (kept) return kept;
  const trial = await tryAll(parts);
  if (trial.works) keepFact(file, key, trial, parts.logger);
  return trial;
}

async function tryAll(parts: TrialParts): Promise<Trial> {
  let complaint = '';
  for (const needs of candidates(parts)) {
    const wall = parts.wall(needs, LIMITS, COMMAND);
    const { exitCode, stdout, stderr } = await parts.engine.ask(runArguments(wall), TRIAL_TIMEOUT_MS);
    parts.ended(wall.name);
    const said = readAnswers(stdout);
    if (exitCode === 0 && holdsLimits(needs, said)) return judge(parts, needs, said);
    // What the engine's own choice says is what a person can do something about.
    complaint ||=
      exitCode === 0 ? 'the limits that were asked for are not in force' : stderr || `it ended with ${exitCode}`;
    if (/executable file not found|\/bin\/sh.*no such file or directory|exec format error/i.test(stderr)) {
      return {
        works: false,
        problem: `The image "${parts.imageName}" has no /bin/sh that runs here`,
        fix: 'Name an image with a shell, for this kind of processor, with --image',
      };
    }
  }
  return { works: false, ...explainEngine(parts.engine.name, complaint) };
}

type Answers = ReadonlyMap<string, readonly string[]>;

function readAnswers(text: string): Answers {
  const lines = text.split('\n').map((line) => line.split('\t'));
  return new Map(
    [...Map.groupBy(lines, ([name = '']) => name)].map(([name, found]) => [name, found.map(([, value = '']) => value)]),
  );
}

/** An engine may take a limit and do nothing with it. */
function holdsLimits({ groups }: EngineNeeds, said: Answers): boolean {
  if (groups === 'none') return true;
  const number = (name: string) => Number(said.get(name)?.[0] ?? Number.NaN);
  const isBounded = number('memory') <= groupMemoryBytes(LIMITS) && number('pids') <= groupProcesses(LIMITS);
  return isBounded && (groups === 'no-cpu' || number('cpu') > 0);
}

function judge({ imageName }: TrialParts, needs: EngineNeeds, said: Answers): Trial {
  const node = said.get('node')?.[0] ?? '';
  if (!/^v\d+\./.test(node)) {
    return {
      works: false,
      problem: `The image "${imageName}" cannot run Sallyport's Node: ${node || 'no answer'}`,
      fix: 'Name an image with glibc 2.28 or later and libstdc++ with --image (Debian, Ubuntu, Fedora; not Alpine)',
    };
  }
  if (!said.has('setsid')) {
    return {
      works: false,
      problem: `The image "${imageName}" has no setsid`,
      fix: 'Add the package util-linux to the image, or name another one with --image',
    };
  }
  const missing = (name: string): RuntimeAnswer => ({
    found: false,
    reason: `the image "${imageName}" has none`,
    install: `Name an image that has ${name} with --image, or add it to this one`,
  });
  const ownNode: RuntimeAnswer = {
    found: true,
    runtime: { binary: INSIDE.node, version: `Node.js ${node.slice(1)}`, prefixes: [] },
  };
  return {
    works: true,
    needs,
    compilers: said.get('compiler') ?? [],
    hasPerl: said.has('perl'),
    runtimes: {
      python: pythonAnswer(said.get('python')?.[0], imageName) ?? missing('Python 3.8 or later'),
      bash: foundAnswer('Bash', said.get('bash')?.[0]) ?? missing('Bash'),
      javascript: ownNode,
      command: ownNode,
    },
  };
}

function pythonAnswer(text: string | undefined, imageName: string): RuntimeAnswer | undefined {
  const answer = foundAnswer('Python', text);
  const [, major = 0, minor = 0] = /^Python (\d+)\.(\d+)/.exec(answer?.found ? answer.runtime.version : '') ?? [];
  if (!answer || Number(major) > 3 || (Number(major) === 3 && Number(minor) >= 8)) return answer;
  return {
    found: false,
    reason: `the image "${imageName}" has ${text}, and 3.8 is needed`,
    install: 'Name an image with a newer Python with --image',
  };
}

function foundAnswer(name: string, text: string | undefined): RuntimeAnswer | undefined {
  const [, binary, version] = /^(\/\S+) (\S+)$/.exec(text ?? '') ?? [];
  if (binary === undefined || version === undefined) return undefined;
  return { found: true, runtime: { binary, version: `${name} ${version}`, prefixes: [] } };
}

function trialKey({ engine, facts, image, node, inside }: TrialParts): string {
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  const files = [engine.binary, node, join(inside, 'container', 'probe.sh')].map(fileStamp);
  return JSON.stringify([engine.name, engine.binary, files, facts, image.id, boot, process.getuid?.()]);
}
