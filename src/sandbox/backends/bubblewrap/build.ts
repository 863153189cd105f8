/** The steps from a plan to a standing wall. Each is taken back when a later one fails. */
import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError, messageOf } from '#contracts/errors';
import type { Logger } from '#observability/logger';
import type { InterpreterId, Sandbox, SandboxPlan } from '../../backend.ts';
import type { LimitGroup } from '../../limits/limiter.ts';
import { type MountRules, makeMountPoints, planMounts } from '../../mounts.ts';
import type { RuntimeAnswer } from '../../runtimes.ts';
import { BWRAP_FDS, bubblewrapArguments, INSIDE, supervisorCommand, type WallEntry } from './arguments.ts';
import { launch } from './launch.ts';
import { BubblewrapSandbox } from './sandbox.ts';
import { hostTimeZone, insideEnvironment } from './system.ts';
import type { Workshop } from './workshop.ts';

export interface BuildParts {
  readonly workshop: Workshop;
  readonly runtimes: Readonly<Record<InterpreterId, RuntimeAnswer>>;
  readonly node: string;
  /** Host folder of the files that run behind the wall. */
  readonly inside: string;
  readonly mountRules: MountRules;
  readonly canDisableUserns: boolean;
  readonly logger: Logger;
}

const ENTER = fileURLToPath(new URL('./enter.sh', import.meta.url));
/** All that the tools on the way to the wall get to see; the first process behind it has it too. */
const TOOL_ENV = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };

/**
 * V8 and the JVM reserve address space that they never fill, and the kernel counts it as data. With this much on top they
 * start, and an allocation without measure still fails at once instead of being killed; the group holds the real limit.
 */
const RESERVED_BYTES = 1024 ** 3;

export async function buildSandbox(parts: BuildParts, plan: SandboxPlan): Promise<Sandbox> {
  const { workshop, logger } = parts;
  const undo: Array<() => unknown> = [];
  const release = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const uid = await workshop.root?.users.take(plan.workspace);
    if (uid !== undefined) undo.push(() => workshop.root?.users.release(uid));

    const mounts = await planMounts(plan.mounts, parts.mountRules, INSIDE.workspace);
    undo.push(() => mounts.release());
    await makeMountPoints(
      plan.workspace,
      plan.mounts.map(({ name }) => name),
      uid,
    );

    const entries = [...wallEntries(parts, plan), ...mounts.steps];
    const staged = (await workshop.root?.stage.show(entries)) ?? { entries, fstab: undefined };

    const fstab = staged.fstab === undefined ? undefined : writeFstab(workshop.directory, staged.fstab);
    if (fstab !== undefined) undo.push(() => rmSync(fstab, { force: true }));

    const processes = await workshop.limiter.processRlimit(plan.limits);
    const group = workshop.limiter.open(plan.limits);
    undo.push(() => group.end());

    const launched = await launch(workshop, {
      command: launchCommand(workshop, group, { uid, fstab }, [
        ...[workshop.tools.bwrap, '--args', String(BWRAP_FDS.args), '--'],
        ...supervisorCommand({
          dataBytes: plan.limits.memoryBytes + RESERVED_BYTES,
          fileBytes: plan.limits.workspaceBytes,
          openFiles: plan.limits.openFiles,
          processes,
        }),
      ]),
      env: { ...TOOL_ENV, ...group.launcherEnv },
      wallArguments: bubblewrapArguments({
        entries: staged.entries,
        tmpBytes: plan.limits.tmpBytes,
        shmBytes: plan.limits.shmBytes,
        env: insideEnvironment({ binFolders: binFolders(parts), timeZone: hostTimeZone(), given: plan.env }),
        canDisableUserns: parts.canDisableUserns,
      }),
      filter: workshop.filter,
      owner: uid,
    });
    // From here on the sandbox takes the steps back, when it ends.
    const sandbox = new BubblewrapSandbox({ launched, group, runtimes: parts.runtimes, logger, release });
    try {
      group.attach(launched.init);
    } catch (cause) {
      await sandbox.kill();
      throw cause;
    }
    return sandbox;
  } catch (cause) {
    await release();
    throw cause instanceof AppError
      ? cause
      : new AppError('SANDBOX_FAILED', `The sandbox could not be built: ${messageOf(cause)}`, { cause });
  }
}

/** Who stands outside of the wall, and what is shown on the stage. */
interface Entry {
  readonly uid: number | undefined;
  readonly fstab: string | undefined;
}

/** A chain of commands that each become the next: the same process all the way to bwrap. */
function launchCommand(
  workshop: Workshop,
  group: LimitGroup,
  { uid, fstab }: Entry,
  bwrap: readonly string[],
): string[] {
  const stage = fstab !== undefined ? [workshop.tools.unshare, '--mount', '--propagation', 'private', '--'] : [];
  const mustEnter = fstab !== undefined || uid !== undefined || group.joinFiles.length > 0;
  const enter = mustEnter
    ? ['/bin/sh', ENTER, String(group.joinFiles.length), ...group.joinFiles, fstab ?? '', String(uid ?? 0)]
    : [];
  return [...group.launcher, ...stage, ...enter, ...bwrap];
}

let fstabCount = 0;

function writeFstab(directory: string, text: string): string {
  const file = join(directory, `fstab-${++fstabCount}`);
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

function wallEntries({ workshop, runtimes, node, inside }: BuildParts, plan: SandboxPlan): WallEntry[] {
  return [
    ...workshop.system,
    readOnly(inside, INSIDE.files),
    readOnly(node, INSIDE.node),
    ...prefixEntries(runtimes),
    readOnly(plan.output, INSIDE.output),
    { kind: 'bind', source: plan.workspace, target: INSIDE.workspace, mode: 'rw' },
  ];
}

function prefixEntries(runtimes: BuildParts['runtimes']): WallEntry[] {
  const prefixes = Object.values(runtimes).flatMap((answer) => (answer.found ? answer.runtime.prefixes : []));
  const targets = new Map(prefixes.map(({ source, target }) => [target, source]));
  return [...targets].map(([target, source]) => readOnly(source, target));
}

function binFolders({ runtimes }: BuildParts): string[] {
  const folders = Object.values(runtimes).flatMap((answer) =>
    answer.found && answer.runtime.prefixes.length > 0 ? [dirname(answer.runtime.binary)] : [],
  );
  return [...new Set(folders)];
}

function readOnly(source: string, target: string): WallEntry {
  return { kind: 'bind', source, target, mode: 'ro' };
}
