/** The steps from a plan to a standing wall. Each is taken back when a later one fails. */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError, messageOf } from '#contracts/errors';
import type { Logger } from '#observability/logger';
import type { InterpreterId, Sandbox, SandboxPlan } from '../../backend.ts';
import { openEgressSocket } from '../../egress-socket.ts';
import { type MountRules, makeMountPoints, planMounts } from '../../mounts.ts';
import type { Runtime, RuntimeAnswer } from '../../runtimes.ts';
import { egressEnvironment, insideEnvironment, SYSTEM_PATH } from '../../supervised/environment.ts';
import { INSIDE } from '../../supervised/places.ts';
import { processLimits } from '../../supervised/process-limits.ts';
import { SupervisedSandbox } from '../../supervised/sandbox.ts';
import { VisitorSocket } from '../../visitor-socket.ts';
import { giveWorkspace } from '../../workspace-owner.ts';
import { bubblewrapArguments, type Wall, type WallEntry } from './arguments.ts';
import type { DoorPlan } from './door.ts';
import type { Doorkeeper } from './doorkeeper.ts';
import { workspaceOwner } from './identity.ts';
import type { Workshop } from './workshop.ts';

export interface BuildParts {
  readonly workshop: Workshop;
  readonly doorkeeper: Doorkeeper;
  readonly runtimes: Readonly<Record<InterpreterId, RuntimeAnswer>>;
  readonly node: string;
  /** Host folder of the files that run behind the wall. */
  readonly inside: string;
  readonly mountRules: MountRules;
  readonly canDisableUserns: boolean;
  /** Whether the next sandbox will be like this one. */
  readonly isTypical: boolean;
  readonly logger: Logger;
}

export async function buildSandbox(parts: BuildParts, plan: SandboxPlan): Promise<Sandbox> {
  const { workshop, doorkeeper, runtimes, logger } = parts;
  const undo: Array<() => Promise<void>> = [];
  const release = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const mounts = await planMounts(plan.mounts, parts.mountRules, INSIDE.workspace);
    undo.push(() => mounts.release());

    const entries = [...ownEntries(parts, plan), ...mounts.steps];
    const wanted = doorPlan(parts, plan, entries);
    const door = await doorkeeper.take(wanted);
    undo.push(() => door.close());

    const { uid, stageNeeds } = door.plan;
    if (uid !== undefined) await giveWorkspace(plan.workspace, uid);
    const names = plan.mounts.map(({ name }) => name);
    await makeMountPoints(plan.workspace, names, uid);

    const visitors = plan.hatch === undefined ? undefined : await VisitorSocket.open(plan.hatch, uid);
    if (visitors) undo.push(() => visitors.close());
    const { onEgress } = plan;
    if (onEgress && plan.hatch !== undefined) {
      const egress = await openEgressSocket(plan.hatch, uid);
      undo.push(() => egress.close());
      egress.onConnection(onEgress);
    }

    const shown = workshop.root?.stage.shownEntries(entries, stageNeeds) ?? entries;
    const launched = await door.pass(bubblewrapArguments(await wallOf(parts, plan, [...workshop.system, ...shown])));
    door.group.attach(launched.init);
    const onFirstStart = () => {
      if (parts.isTypical) doorkeeper.prepare({ ...wanted, uid: undefined });
    };
    return new SupervisedSandbox({ launched, group: door.group, runtimes, visitors, logger, release, onFirstStart });
  } catch (cause) {
    await release();
    throw cause instanceof AppError
      ? cause
      : new AppError('SANDBOX_FAILED', `The sandbox could not be built: ${messageOf(cause)}`, { cause });
  }
}

/** A workspace that has a user from earlier keeps it, when no other sandbox has that user at this moment. */
function doorPlan(
  { workshop: { root }, runtimes }: BuildParts,
  plan: SandboxPlan,
  entries: readonly WallEntry[],
): DoorPlan {
  const python = runtimes.python.found ? runtimes.python.runtime.binary : undefined;
  if (!root) return { limits: plan.limits, stageNeeds: [], uid: undefined, python };
  const owner = workspaceOwner(plan.workspace);
  const uid = owner !== undefined && root.users.claim(owner) ? owner : undefined;
  return { limits: plan.limits, stageNeeds: root.stage.needs(entries, python !== undefined), uid, python };
}

async function wallOf(parts: BuildParts, plan: SandboxPlan, entries: readonly WallEntry[]): Promise<Wall> {
  const { workshop, canDisableUserns } = parts;
  return {
    entries,
    tmpBytes: plan.limits.tmpBytes,
    shmBytes: plan.limits.shmBytes,
    env: insideEnvironment({
      path: [...binFolders(parts), ...SYSTEM_PATH],
      timeZone: workshop.timeZone,
      given: {
        ...plan.env,
        ...(plan.onEgress ? egressEnvironment() : {}),
        ...(plan.packages === undefined ? {} : { PYTHONPATH: `${INSIDE.packages}/python` }),
      },
    }),
    processLimits: processLimits(plan.limits, await workshop.limiter.processRlimit(plan.limits)),
    canDisableUserns,
  };
}

/** What stands on the system's own part of the wall. */
function ownEntries({ runtimes, node, inside }: BuildParts, plan: SandboxPlan): WallEntry[] {
  return [
    readOnly(inside, INSIDE.files),
    readOnly(node, INSIDE.node),
    ...prefixEntries(runtimes),
    readOnly(plan.output, INSIDE.output),
    ...(plan.hatch === undefined ? [] : hatchEntries(plan.hatch)),
    ...(plan.packages === undefined ? [] : packageEntries(plan.packages)),
    { kind: 'bind', source: plan.workspace, target: INSIDE.workspace, mode: 'rw' },
  ];
}

/** The command is the one that the system can start soonest. */
function hatchEntries(folder: string): WallEntry[] {
  const command = existsSync('/usr/bin/perl') ? 'mcp.pl' : 'mcp.mjs';
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  return [
    readOnly(folder, INSIDE.hatch),
    { kind: 'symlink', target: `${INSIDE.files}/mcp/${command}`, path: INSIDE.mcp },
  ];
}

/** Node looks for packages in every folder above the program, the root's last. */
function packageEntries(folder: string): WallEntry[] {
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  return [
    readOnly(folder, INSIDE.packages),
    { kind: 'symlink', target: `${INSIDE.packages}/node_modules`, path: '/node_modules' },
  ];
}

function prefixEntries(runtimes: BuildParts['runtimes']): WallEntry[] {
  const prefixes = Object.values(runtimes).flatMap((answer) => (answer.found ? answer.runtime.prefixes : []));
  const targets = new Map(prefixes.map(({ source, target }) => [target, source]));
  return [...targets].map(([target, source]) => readOnly(source, target));
}

function binFolders({ runtimes }: BuildParts): string[] {
  const folders = Object.values(runtimes).flatMap((answer) =>
    answer.found ? (answer.runtime.binFolders ?? ownFolder(answer.runtime)) : [],
  );
  return [...new Set(folders)];
}

function ownFolder({ prefixes, binary }: Runtime): string[] {
  return prefixes.length > 0 ? [dirname(binary)] : [];
}

function readOnly(source: string, target: string): WallEntry {
  return { kind: 'bind', source, target, mode: 'ro' };
}
