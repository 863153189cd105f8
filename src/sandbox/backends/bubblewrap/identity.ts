/**
 * Who a sandbox is outside of the wall when the server is root: a user of its own, from a range that belongs to nobody.
 *
 * One user per sandbox, so that sandboxes cannot signal each other or use up each other's counts even if a wall fails.
 * A workspace keeps its user from one sandbox to the next, and its files do not have to change hands.
 */
import { randomInt } from 'node:crypto';
import { lchown, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, messageOf } from '#contracts/errors';

export const FIRST_UID = 700_000_000;
export const LAST_UID = FIRST_UID + 2 ** 26 - 1;

export class SandboxUsers {
  readonly #taken = new Set<number>();

  /** A free user, who owns the workspace and everything in it from now on. */
  async take(workspace: string): Promise<number> {
    try {
      const { uid: owner } = await lstat(workspace);
      if (owner >= FIRST_UID && owner <= LAST_UID && !this.#taken.has(owner)) {
        this.#taken.add(owner);
        return owner;
      }
      const uid = this.#pick();
      await giveTree(workspace, uid);
      return uid;
    } catch (cause) {
      throw new AppError('SANDBOX_FAILED', `Cannot give the workspace to the sandbox's user: ${messageOf(cause)}`, {
        cause,
      });
    }
  }

  release(uid: number): void {
    this.#taken.delete(uid);
  }

  #pick(): number {
    for (;;) {
      const uid = randomInt(FIRST_UID, LAST_UID + 1);
      if (this.#taken.has(uid)) continue;
      this.#taken.add(uid);
      return uid;
    }
  }
}

/** Links are given away themselves, never followed. Nothing runs in the workspace at this moment. */
async function giveTree(folder: string, uid: number): Promise<void> {
  await lchown(folder, uid, uid);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await giveTree(path, uid);
    else await lchown(path, uid, uid);
  }
}
