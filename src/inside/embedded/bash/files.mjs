/**
 * The files that the shell sees: the session's three folders at the places where every language has them, over a small
 * system in memory that has `/bin`, `/dev` and the like.
 */
import { Bash, InMemoryFs, MountableFs, OverlayFs, ReadWriteFs } from 'just-bash';

const MIB = 1024 * 1024;
/** Of files outside of the session's folders. */
const MEMORY_BYTES_MAX = 16 * MIB;
/** A command holds a whole file in memory. */
const READ_BYTES_MAX = 256 * MIB;

class SystemFiles extends InMemoryFs {
  async writeFile(path, ...rest) {
    if (path !== '/dev/null') await super.writeFile(path, ...rest);
  }

  async appendFile(path, ...rest) {
    if (path !== '/dev/null') await super.appendFile(path, ...rest);
  }
}

/**
 * @param {{ workspace: string, output: string, tmp: string }} places host paths
 * @param {{ commands: string[], customCommands: object[] }} commands what `/bin` has
 */
export function createFiles({ workspace, output, tmp }, commands) {
  const base = new SystemFiles({}, { maxTotalBytes: MEMORY_BYTES_MAX });
  // A shell fills the file system that it is given with what shells expect, commands included; but only a plain one.
  new Bash({ fs: base, defenseInDepth: false, ...commands });
  const writable = (root) => new ReadWriteFs({ root, maxFileReadSize: READ_BYTES_MAX });
  return new MountableFs({
    base,
    mounts: [
      { mountPoint: '/workspace', filesystem: writable(workspace) },
      { mountPoint: '/tmp', filesystem: writable(tmp) },
      { mountPoint: '/output', filesystem: new OverlayFs({ root: output, mountPoint: '/', readOnly: true }) },
    ],
  });
}
