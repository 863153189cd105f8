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

/** All processes that run in a sandbox: their command is one of ours, inside. */
export async function sandboxProcesses(): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const command = (await readFile(`/proc/${entry}/cmdline`, 'latin1').catch(() => '')).replaceAll('\0', ' ');
    if (/\/run\/sallyport\/inside|inside\/embedded|(^|\/)bwrap /.test(command))
      found.push(`${entry} ${command.slice(0, 200)}`);
  }
  return found;
}

export async function openFileCount(pid: number): Promise<number> {
  return (await readdir(`/proc/${pid}/fd`)).length;
}
