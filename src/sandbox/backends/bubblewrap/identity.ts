/**
 * Who a sandbox is outside of the wall when the server is root: a user of its own, from a range that belongs to nobody.
 *
 * One user per sandbox, so that sandboxes cannot signal each other or use up each other's counts even if a wall fails.
 * A workspace keeps its user from one sandbox to the next, and its files do not have to change hands.
 */
import { randomInt } from 'node:crypto';
import { lchownSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError, messageOf } from '#contracts/errors';

export const FIRST_UID = 700_000_000;
export const LAST_UID = FIRST_UID + 2 ** 26 - 1;

/** Folders that are given away before the server looks at something else again. */
const FOLDERS_PER_TURN = 50;

export class SandboxUsers {
  readonly #taken = new Set<number>();

  /** A user that no sandbox has. It is taken until it is released. */
  take(): number {
    for (;;) {
      const uid = randomInt(FIRST_UID, LAST_UID + 1);
      if (this.claim(uid)) return uid;
    }
  }

  /** Takes a certain user; false when a sandbox has it. */
  claim(uid: number): boolean {
    if (this.#taken.has(uid)) return false;
    this.#taken.add(uid);
    return true;
  }

  release(uid: number): void {
    this.#taken.delete(uid);
  }
}

/** The sandbox user that a workspace belongs to from an earlier time. */
export function workspaceOwner(workspace: string): number | undefined {
  const { uid } = lstatSync(workspace);
  return uid >= FIRST_UID && uid <= LAST_UID ? uid : undefined;
}

/** Gives a workspace and everything in it to a user. Nothing runs in it at this moment. */
export async function giveWorkspace(workspace: string, uid: number): Promise<void> {
  if (workspaceOwner(workspace) === uid) return;
  try {
    const folders = [workspace];
    for (let count = 1; folders.length > 0; count++) {
      folders.push(...giveFolder(folders.pop() as string, uid));
      if (count % FOLDERS_PER_TURN === 0) await nextTurn();
    }
  } catch (cause) {
    throw new AppError('SANDBOX_FAILED', `Cannot give the workspace to the sandbox's user: ${messageOf(cause)}`, {
      cause,
    });
  }
}

/** Links are given away themselves, never followed. Returns the folders inside. */
function giveFolder(folder: string, uid: number): string[] {
  const folders: string[] = [];
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) folders.push(path);
    else lchownSync(path, uid, uid);
  }
  // Last, so that a move that was cut short is seen as one that has not been made.
  lchownSync(folder, uid, uid);
  return folders;
}
