/** Processes of the machine by a mark that is in their command line. */
import { readdir, readFile } from 'node:fs/promises';

export async function processesWith(mark: string): Promise<number[]> {
  const found: number[] = [];
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry) || Number(entry) === process.pid) continue;
    const command = await readFile(`/proc/${entry}/cmdline`, 'latin1').catch(() => ''); // ended meanwhile
    if (command.startsWith(mark)) found.push(Number(entry));
  }
  return found;
}
