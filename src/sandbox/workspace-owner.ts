/** Whose a workspace is on the host's disk: the user's that programs behind the wall are outside of it. */
import { lchownSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError, messageOf } from '#contracts/errors';

/** Folders that are given away before the server looks at something else again. */
const FOLDERS_PER_TURN = 50;

/** Gives a workspace and everything in it to a user. Nothing runs in it at this moment. */
export async function giveWorkspace(workspace: string, uid: number, gid = uid): Promise<void> {
  if (lstatSync(workspace).uid === uid) return;
  try {
    const folders = [workspace];
    for (let count = 1; folders.length > 0; count++) {
      folders.push(...giveFolder(folders.pop() as string, uid, gid));
      if (count % FOLDERS_PER_TURN === 0) await nextTurn();
    }
  } catch (cause) {
    throw new AppError('SANDBOX_FAILED', `Cannot give the workspace to the sandbox's user: ${messageOf(cause)}`, {
      cause,
    });
  }
}

/** Links are given away themselves, never followed. Returns the folders inside. */
function giveFolder(folder: string, uid: number, gid: number): string[] {
  const folders: string[] = [];
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) folders.push(path);
    else lchownSync(path, uid, gid);
  }
  // Last, so that a move that was cut short is seen as one that has not been made.
  lchownSync(folder, uid, gid);
  return folders;
}
