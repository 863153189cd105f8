/** There are no other programs here: said at once and by its name, instead of by an error about permissions. */
import childProcess from 'node:child_process';

const STARTS = ['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync'];

export function refuseChildProcesses() {
  for (const name of STARTS) {
    childProcess[name] = (command) => {
      const error = new Error(`${name} ${command}: the embedded sandbox cannot start programs`);
      throw Object.assign(error, { code: 'EPERM', errno: -1, syscall: name, path: String(command) });
    };
  }
}
