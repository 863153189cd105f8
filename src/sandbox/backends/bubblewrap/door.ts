/**
 * A bwrap that is up to the point where it reads what wall to build, and waits there.
 *
 * Everything that is the same for every sandbox happens before: descriptors, limits, the user, the stage. Opening a door
 * ahead of time takes all of that off the way to the next sandbox. A door whose server dies reads the end of its
 * arguments, finds an empty root without a program to start, and ends.
 *
 *    0      nothing                          3      the supervisor
 *    1, 2   the write ends of two FIFOs      4–8    control channels, one for each start of an interpreter
 *    10–12  bwrap's own                      9      free, see supervisor.sh
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import type { Socket } from 'node:net';
import { AppError, messageOf } from '#contracts/errors';
import type { SandboxLimits } from '../../backend.ts';
import type { LimitGroup } from '../../limits/limiter.ts';
import { killProcess, type ProcessRef, processRef } from '../../process.ts';
import { type Launched, readingSocket, SLOTS } from '../../supervised/launched.ts';
import { BWRAP_FDS, SUPERVISOR_COMMAND } from './arguments.ts';
import type { StageNeeds } from './stage.ts';
import type { Workshop } from './workshop.ts';

export interface DoorPlan {
  readonly limits: SandboxLimits;
  readonly stageNeeds: StageNeeds;
  /** The host's Python, which shows folders as the user's own. */
  readonly python: string | undefined;
  /** The user outside of the wall, already taken; undefined: the server's own. */
  readonly uid: number | undefined;
}

const SUPERVISOR_FD = 3;
const UP_TIMEOUT_MS = 20_000;
const COMPLAINT_BYTES_MAX = 4096;
const COMPLAINT_MS = 100;

/** All that the tools on the way to the wall get to see; the first process behind it has it too. */
const TOOL_ENV = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };

export class Door {
  readonly plan: DoorPlan;
  readonly group: LimitGroup;
  readonly #workshop: Workshop;
  readonly #child: ChildProcess;
  readonly #stdout: Socket;
  readonly #stderr: Socket;
  readonly #ended: Promise<void>;
  #hasEnded = false;
  #complaint = '';

  private constructor(
    workshop: Workshop,
    plan: DoorPlan,
    group: LimitGroup,
    child: ChildProcess,
    outputs: [Socket, Socket],
  ) {
    this.#workshop = workshop;
    this.plan = plan;
    this.group = group;
    this.#child = child;
    [this.#stdout, this.#stderr] = outputs;
    this.#ended = new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
      child.once('error', (error) => {
        this.#complaint ||= messageOf(error);
        resolve();
      });
    }).then(() => {
      this.#hasEnded = true;
    });
    // A channel that breaks is an end that its own reader sees.
    for (const socket of this.#sockets()) socket.on('error', () => {});
    this.#stderr.on('data', this.#onComplaint).resume();
  }

  /** Takes the user of the plan over: it is released with the door. */
  static async open(workshop: Workshop, plan: DoorPlan): Promise<Door> {
    let group: LimitGroup | undefined;
    try {
      group = workshop.limiter.open(plan.limits);
      const door = await Door.#start(workshop, plan, group);
      try {
        if (door.#child.pid !== undefined) await group.join(door.#child.pid);
        return door;
      } catch (error) {
        await door.close();
        throw error;
      }
    } catch (error) {
      await group?.end();
      if (plan.uid !== undefined) workshop.root?.users.release(plan.uid);
      throw error;
    }
  }

  static async #start(workshop: Workshop, plan: DoorPlan, group: LimitGroup): Promise<Door> {
    const [out, err] = [await workshop.fifos.take(plan.uid), await workshop.fifos.take(plan.uid)];
    const filterFd = workshop.openFilter();
    try {
      const [file = '', ...args] = [...group.launcher, ...entryCommand(workshop, plan), ...bwrapCommand(workshop)];
      const child = spawn(file, args, {
        env: { ...TOOL_ENV, ...group.launcherEnv },
        cwd: '/',
        // Away from the terminal's process group: Ctrl-C is for the server to hear.
        detached: true,
        stdio: [
          'ignore',
          out.writeFd,
          err.writeFd,
          'pipe',
          ...SLOTS.map(() => 'pipe' as const),
          'ignore',
          'pipe',
          filterFd,
          'pipe',
        ],
      });
      const outputs: [Socket, Socket] = [readingSocket(out.readFd), readingSocket(err.readFd)];
      return new Door(workshop, plan, group, child, outputs);
    } finally {
      for (const fd of [out.writeFd, err.writeFd, filterFd]) closeSync(fd);
    }
  }

  /** Whether it can still be passed. */
  get isOpen(): boolean {
    return !this.#hasEnded;
  }

  /** Lets bwrap build this wall; resolves when the supervisor behind it is up. Throws with bwrap's own words. */
  async pass(wallArguments: readonly string[]): Promise<Launched> {
    const up = this.#waitUntilUp();
    this.#pipe(BWRAP_FDS.args).end(wallArguments.map((word) => `${word}\0`).join(''));
    const init = await up;
    return {
      init,
      stdout: this.#stdout,
      stderr: this.#stderr,
      supervisor: this.#pipe(SUPERVISOR_FD),
      slots: SLOTS.map((slot) => this.#pipe(slot)),
      ended: this.#ended,
      kill: () => killProcess(init),
      forceEnd: () => void this.#child.kill('SIGKILL'),
    };
  }

  /** Ends whatever is behind it, and frees its group and its user. */
  async close(): Promise<void> {
    if (!this.#hasEnded) this.#child.kill('SIGKILL');
    await this.#ended;
    for (const socket of this.#sockets()) socket.destroy();
    await this.group.end();
    if (this.plan.uid !== undefined) this.#workshop.root?.users.release(this.plan.uid);
  }

  async #waitUntilUp(): Promise<ProcessRef> {
    const { promise, resolve, reject } = Promise.withResolvers<ProcessRef>();
    const supervisor = this.#pipe(SUPERVISOR_FD);
    let status = '';
    let greeting = '';
    const failed = (reason: string) => reject(new AppError('SANDBOX_FAILED', `The sandbox did not start: ${reason}`));
    const look = () => {
      const pid = /"child-pid"\s*:\s*(\d+)/.exec(status)?.[1];
      if (pid === undefined || greeting !== 'up\n') return;
      const init = processRef(Number(pid));
      if (init) resolve(init);
      else failed('its first process ended at once');
    };
    const onGreeting = (chunk: Buffer) => {
      greeting += chunk.toString('latin1');
      look();
    };
    this.#pipe(BWRAP_FDS.status).on('data', (chunk: Buffer) => {
      if (status.length < COMPLAINT_BYTES_MAX) status += chunk.toString('latin1');
      look();
    });
    supervisor.on('data', onGreeting);
    const timer = setTimeout(() => failed(`no sign of life after ${UP_TIMEOUT_MS / 1000} s`), UP_TIMEOUT_MS);
    void this.#ended.then(() => {
      const { exitCode, signalCode } = this.#child;
      const tell = () => failed(this.#complaint.trim() || `it ended with ${signalCode ?? `exit code ${exitCode}`}`);
      // What it complained of may still be in the pipe.
      this.#stderr.once('end', tell);
      setTimeout(tell, COMPLAINT_MS);
    });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#stderr.off('data', this.#onComplaint);
      supervisor.off('data', onGreeting);
      this.#stderr.pause();
      supervisor.pause();
    }
  }

  readonly #onComplaint = (chunk: Buffer): void => {
    if (this.#complaint.length < COMPLAINT_BYTES_MAX) this.#complaint += chunk.toString('utf8');
  };

  /** Node makes a socket for each 'pipe', also when the command could not be started. */
  #pipe(fd: number): Socket {
    return (this.#child.stdio as readonly unknown[])[fd] as Socket;
  }

  #sockets(): Socket[] {
    const pipes = [SUPERVISOR_FD, ...SLOTS, BWRAP_FDS.args, BWRAP_FDS.status].map((fd) => this.#pipe(fd));
    return [this.#stdout, this.#stderr, ...pipes];
  }
}

/** The commands that each become the next one, up to bwrap: it is the same process all the way. */
function entryCommand({ tools, root }: Workshop, { uid, stageNeeds, python }: DoorPlan): string[] {
  if (!root || uid === undefined) return [];
  if (stageNeeds.length > 0) {
    const { fstab = '', owned = '' } = root.stage.files(stageNeeds);
    const alone = [tools.unshare, '--mount', '--propagation', 'private', '--'];
    return [...alone, '/bin/sh', tools.enter, String(uid), fstab, python ?? '', owned];
  }
  const user = [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
  return [tools.setpriv, ...user, '--no-new-privs', '--bounding-set=-all', '--inh-caps=-all', '--'];
}

/** These words can be read behind the wall; all others go through a descriptor. */
function bwrapCommand({ tools }: Workshop): string[] {
  return [tools.bwrap, '--args', String(BWRAP_FDS.args), '--', ...SUPERVISOR_COMMAND];
}
