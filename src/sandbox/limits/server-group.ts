/**
 * The control group that holds all groups of one server. Its name says whose it is, so that the next server can remove
 * what a killed one left behind.
 */
import { readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, errnoOf, messageOf } from '#contracts/errors';
import { isSameProcess, killProcess, processRef } from '../process.ts';

const NAME = /^sallyport-(\d+)-(\d+)-\d+$/;

/** Of a row that doubles: two seconds in all. */
const LONGEST_WAIT_MS = 1024;

let count = 0;

/** A name that no other process, and nobody else in this one, uses. */
export function newServerGroupName(): string {
  const self = processRef(process.pid);
  if (!self) throw new AppError('SANDBOX_UNAVAILABLE', '/proc does not show this process');
  return `sallyport-${self.pid}-${self.started}-${++count}`;
}

/**
 * Removes groups of servers that are gone from a folder of control groups, in the background: their last processes may
 * be about to end. Nothing is killed, because a server that cannot be seen from here may be alive elsewhere.
 */
export function sweepServerGroups(parent: string): void {
  for (const name of readNames(parent)) {
    const [, pid, started] = NAME.exec(name) ?? [];
    if (pid === undefined || started === undefined || isSameProcess({ pid: Number(pid), started })) continue;
    void removeWhenEmpty(join(parent, name));
  }
}

async function removeWhenEmpty(group: string): Promise<void> {
  for (let waitMs = 1; waitMs <= LONGEST_WAIT_MS; waitMs *= 2) {
    for (const child of readNames(group)) removeNow(join(group, child));
    if (removeNow(group)) return;
    await sleep(waitMs, undefined, { ref: false });
  }
}

/** Not in the foreground: the kernel may take its time to move a process. */
export async function joinGroup(group: string, pid: number): Promise<void> {
  try {
    await writeFile(join(group, 'cgroup.procs'), String(pid));
  } catch (cause) {
    throw new AppError('SANDBOX_FAILED', `Cannot put the sandbox into its control group: ${messageOf(cause)}`, {
      cause,
    });
  }
}

/** Kills what is in a group and removes it: a process that dies leaves its group a moment later. */
export async function endGroup(group: string): Promise<void> {
  for (let waitMs = 1; waitMs <= LONGEST_WAIT_MS; waitMs *= 2) {
    killMembers(group);
    if (removeNow(group)) return;
    await sleep(waitMs);
  }
  throw new AppError('INTERNAL', `Cannot remove the control group "${group}": it still has processes`);
}

function killMembers(group: string): void {
  try {
    writeFileSync(join(group, 'cgroup.kill'), '1');
    return;
  } catch {
    // Version 1, a kernel before 5.14, or a group that is gone: one by one.
  }
  for (const pid of readText(join(group, 'cgroup.procs')).split('\n').filter(Boolean)) {
    const member = processRef(Number(pid));
    if (member) killProcess(member);
  }
}

/** True when the group does not exist any more. */
function removeNow(group: string): boolean {
  try {
    rmdirSync(group);
    return true;
  } catch (error) {
    return errnoOf(error) === 'ENOENT';
  }
}

function readNames(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
  } catch {
    return []; // not there, or not ours to read
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return ''; // the group is gone
  }
}
