/** The steps from a plan to a container with its supervisor up. Each is taken back when a later one fails. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, messageOf } from '#contracts/errors';
import type { Logger } from '#observability/logger';
import type { InterpreterId, Sandbox, SandboxLimits, SandboxPlan } from '../../backend.ts';
import { openEgressSocket } from '../../egress-socket.ts';
import { openForeignGroup } from '../../limits/foreign-group.ts';
import { groupProcesses } from '../../limits/limiter.ts';
import { type MountRules, type MountStep, makeMountPoints, planMounts } from '../../mounts.ts';
import { killProcess, processRef } from '../../process.ts';
import type { RuntimeAnswer } from '../../runtimes.ts';
import { egressEnvironment, hostTimeZone, insideEnvironment, SYSTEM_PATH } from '../../supervised/environment.ts';
import { INSIDE } from '../../supervised/places.ts';
import { limitText, processLimits } from '../../supervised/process-limits.ts';
import { SupervisedSandbox } from '../../supervised/sandbox.ts';
import { VisitorSocket } from '../../visitor-socket.ts';
import { giveWorkspace } from '../../workspace-owner.ts';
import type { Caretaker } from './caretaker.ts';
import { ContainerDoor } from './door.ts';
import type { Engine } from './engine.ts';
import { type ContainerBind, type ContainerWall, type EngineNeeds, runArguments } from './flags.ts';
import type { ImageFacts } from './image.ts';
import { type Identity, refuseUnwritable } from './user.ts';

export interface BuildParts {
  readonly engine: Engine;
  readonly caretaker: Caretaker;
  readonly image: ImageFacts;
  readonly needs: EngineNeeds;
  readonly runtimes: Readonly<Record<InterpreterId, RuntimeAnswer>>;
  readonly identity: Identity;
  readonly mountRules: MountRules;
  readonly mkfifo: string;
  /** Host folder of the files that run behind the wall. */
  readonly inside: string;
  /** The form of the command `mcp` that this image starts soonest. */
  readonly mcpCommand: 'mcp.pl' | 'mcp.mjs';
  /** Private to this server. */
  readonly directory: string;
  /** A folder with nothing in it. */
  readonly emptyFolder: string;
  /** Everything of the wall that does not depend on the plan. */
  readonly wall: (needs: EngineNeeds, limits: SandboxLimits, command: readonly string[]) => ContainerWall;
  readonly logger: Logger;
}

const RUN_TIMEOUT_MS = 60_000;
const GATE = ['/bin/sh', `${INSIDE.files}/container/gate.sh`];

let count = 0;

export async function buildContainer(parts: BuildParts, plan: SandboxPlan): Promise<Sandbox> {
  const { engine, caretaker, identity, runtimes, logger } = parts;
  const undo: Array<() => Promise<void> | void> = [];
  const release = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const mounts = await planMounts(plan.mounts, parts.mountRules, INSIDE.workspace);
    undo.push(() => mounts.release());
    refuseUnwritable(mounts.steps, identity);
    const { owner } = identity;
    if (owner) await giveWorkspace(plan.workspace, owner.uid, owner.gid);
    await makeMountPoints(
      plan.workspace,
      plan.mounts.map(({ name }) => name),
      owner?.uid,
    );

    if (plan.hatch !== undefined) mkdirSync(plan.hatch, { recursive: true, mode: 0o755 });
    const visitors = plan.hatch === undefined ? undefined : await VisitorSocket.open(plan.hatch, owner?.uid);
    if (visitors) undo.push(() => visitors.close());

    if (plan.onEgress && plan.hatch !== undefined) {
      const egress = await openEgressSocket(plan.hatch, owner?.uid);
      undo.push(() => egress.close());
      egress.onConnection(plan.onEgress);
    }

    const directory = join(parts.directory, `door-${++count}`);
    const door = await ContainerDoor.open(directory, parts.mkfifo, environmentOf(parts, plan));
    undo.push(() => door.close());

    const base = parts.wall(parts.needs, plan.limits, GATE);
    const binds = [
      ...base.binds,
      ...planBinds(parts, plan, door.directory),
      ...mounts.steps.map((step) => bindOf(step, parts)),
    ];
    const { name } = base;
    const words = runArguments({ ...base, binds, detached: true });
    try {
      const [channels, init] = await Promise.all([door.meet(), start(engine, words, name)]);
      const group = openForeignGroup(init, plan.limits);
      undo.push(() => group.close());
      undo.push(() => caretaker.ended(name));
      const launched = {
        ...channels,
        init,
        stdout: door.stdout,
        stderr: door.stderr,
        ended: door.ended,
        kill: () => {
          door.endLife();
          killProcess(init);
        },
        forceEnd: () => void caretaker.remove(name),
      };
      return new SupervisedSandbox({ launched, group, runtimes, visitors, logger, release, onFirstStart: () => {} });
    } catch (error) {
      await caretaker.remove(name);
      throw error;
    }
  } catch (cause) {
    await release();
    throw cause instanceof AppError
      ? cause
      : new AppError('SANDBOX_FAILED', `The container could not be built: ${messageOf(cause)}`, { cause });
  }
}

/** Its first process, in the numbers of the host. */
async function start(engine: Engine, words: readonly string[], name: string) {
  await engine.must(words, RUN_TIMEOUT_MS);
  const pid = Number(await engine.must(['inspect', '--type', 'container', '--format', '{{.State.Pid}}', name]));
  const init = pid > 0 ? processRef(pid) : undefined;
  if (!init) throw new AppError('SANDBOX_FAILED', 'The container did not start: its first process ended at once');
  return init;
}

/** The image's own variables, then what every program sees. */
function environmentOf({ image, needs }: BuildParts, plan: SandboxPlan): Record<string, string> {
  const own = Object.fromEntries(image.env.map((line) => [line.split('=', 1)[0], line.slice(line.indexOf('=') + 1)]));
  const path = typeof own.PATH === 'string' ? own.PATH.split(':').filter(Boolean) : SYSTEM_PATH;
  const processes = needs.groups === 'none' ? groupProcesses(plan.limits) : undefined;
  return {
    ...insideEnvironment({
      path,
      timeZone: hostTimeZone(),
      given: { ...own, ...plan.env, ...(plan.onEgress ? egressEnvironment() : {}) },
    }),
    SALLYPORT_LIMITS: limitText(processLimits(plan.limits, processes)),
  };
}

function planBinds({ inside, mcpCommand }: BuildParts, plan: SandboxPlan, door: string): ContainerBind[] {
  const readOnly = (source: string, target: string): ContainerBind => ({ source, target, mode: 'ro' });
  return [
    readOnly(door, INSIDE.door),
    readOnly(plan.output, INSIDE.output),
    ...(plan.hatch === undefined
      ? []
      : [readOnly(plan.hatch, INSIDE.hatch), readOnly(join(inside, 'mcp', mcpCommand), INSIDE.mcp)]),
    { source: plan.workspace, target: INSIDE.workspace, mode: 'rw' },
  ];
}

function bindOf(step: MountStep, { emptyFolder }: BuildParts): ContainerBind {
  if (step.kind === 'cover') return { source: emptyFolder, target: step.path, mode: 'ro' };
  return { source: step.source, target: step.target, mode: step.mode };
}
