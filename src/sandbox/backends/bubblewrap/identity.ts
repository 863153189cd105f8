/**
 * Who a sandbox is outside of the wall when the server is root: a user of its own, from a range that belongs to nobody.
 *
 * One user per sandbox, so that sandboxes cannot signal each other or use up each other's counts even if a wall fails.
 * A workspace keeps its user from one sandbox to the next, and its files do not have to change hands.
 */
import { randomInt } from 'node:crypto';
import { lstatSync } from 'node:fs';

export const FIRST_UID = 700_000_000;
export const LAST_UID = FIRST_UID + 2 ** 26 - 1;

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
