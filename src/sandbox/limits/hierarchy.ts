/** Where this process stands in the control groups, from what /proc says. Pure parsing, so that a test needs no kernel. */
import { join, posix } from 'node:path';

export interface Hierarchies {
  /** Folder of this process in the unified hierarchy (version 2), with the mount that it is under. */
  readonly unified: { readonly mount: string; readonly folder: string } | undefined;
  /** Folder of this process for each version 1 controller. */
  readonly legacy: ReadonlyMap<string, string>;
}

interface GroupMount {
  readonly mountPoint: string;
  /** The part of the hierarchy that is mounted. */
  readonly root: string;
  readonly isUnified: boolean;
  readonly controllers: readonly string[];
}

/** `cgroup` and `mountinfo` are the texts of `/proc/self/cgroup` and `/proc/self/mountinfo`. */
export function parseHierarchies(cgroup: string, mountinfo: string): Hierarchies {
  const mounts = mountinfo.split('\n').flatMap(parseMount);
  const legacy = new Map<string, string>();
  let unified: Hierarchies['unified'];

  for (const line of cgroup.split('\n')) {
    const [, controllers = '', path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (path === undefined) continue;
    if (controllers === '') {
      const mount = mounts.find((candidate) => candidate.isUnified);
      const folder = mount && folderIn(mount, path);
      if (mount && folder !== undefined) unified = { mount: mount.mountPoint, folder };
      continue;
    }
    for (const controller of controllers.split(',')) {
      const mount = mounts.find((candidate) => !candidate.isUnified && candidate.controllers.includes(controller));
      const folder = mount && folderIn(mount, path);
      if (folder !== undefined) legacy.set(controller, folder);
    }
  }
  return { unified, legacy };
}

function parseMount(line: string): GroupMount[] {
  const [left = '', right] = line.split(' - ');
  if (right === undefined) return [];
  const [, , , root, mountPoint] = left.split(' ').map(unescapePath);
  const [type, , options = ''] = right.split(' ');
  if (root === undefined || mountPoint === undefined || (type !== 'cgroup' && type !== 'cgroup2')) return [];
  return [{ mountPoint, root, isUnified: type === 'cgroup2', controllers: options.split(',') }];
}

/** Undefined when the process stands outside of what is mounted. */
function folderIn(mount: GroupMount, path: string): string | undefined {
  const relative = posix.relative(mount.root, path);
  return relative === '..' || relative.startsWith('../') ? undefined : join(mount.mountPoint, relative);
}

/** mountinfo writes blanks and the like as three octal digits. */
function unescapePath(field: string): string {
  return field.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
