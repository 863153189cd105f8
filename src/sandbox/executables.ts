/** Finds the host's own tools by name. */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** Looked at first: what is here was put here by the system. */
const SYSTEM_FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin'];

/** `path` is the value of PATH. */
export function findTool(name: string, path: string): string | undefined {
  return firstExecutable([...SYSTEM_FOLDERS, ...pathFolders(path)], name);
}

/** As a shell would find it. */
export function findOnPath(name: string, path: string): string | undefined {
  return firstExecutable(pathFolders(path), name);
}

/** Relative entries of PATH are left out: they mean another folder for each caller. */
export function pathFolders(path: string): string[] {
  return path.split(delimiter).filter(isAbsolute);
}

function firstExecutable(folders: readonly string[], name: string): string | undefined {
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
