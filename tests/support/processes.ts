/** What is left on the machine of a server that has ended. */
import { readdir, readFile } from 'node:fs/promises';

/** Processes whose parent chain or process group leads to `pid`, or that still run something of a sandbox of that server. */
export async function processesMarked(pid: number): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry) || Number(entry) === process.pid) continue;
    const stat = await readFile(`/proc/${entry}/stat`, 'latin1').catch(() => ''); // ended meanwhile
    const [, parent, group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if ([parent, group, session].some((id) => Number(id) === pid)) found.push(`${entry} ${stat}`);
  }
  return found;
}

/** What is alive of the sandboxes of one server: in its control groups, with its state directory in the command or mounted. */
export async function sandboxProcesses(serverPid: number, stateDir: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry) || Number(entry) === serverPid) continue;
    const read = async (file: string) =>
      (await readFile(`/proc/${entry}/${file}`, 'latin1').catch(() => '')).replaceAll('\0', ' '); // ended meanwhile
    const [command, groups, mounts] = [await read('cmdline'), await read('cgroup'), await read('mountinfo')];
    if ([command, mounts].some((text) => text.includes(stateDir)) || groups.includes(`sallyport-${serverPid}-`))
      found.push(`${entry} ${command.slice(0, 200)}`);
  }
  return found;
}

export async function openFileCount(pid: number): Promise<number> {
  return (await readdir(`/proc/${pid}/fd`)).length;
}
