/**
 * What a person allowed for good, in `<state>/approvals.json`: tool by tool, for the server as it was configured then.
 * Read anew at each question, since several processes and the command line share it.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';

const keptSchema = z.object({
  allowed: z.array(z.object({ server: z.string(), tool: z.string(), fingerprint: z.string(), at: z.string() })),
});

export type KeptApproval = z.infer<typeof keptSchema>['allowed'][number];

export interface ApprovedTool {
  readonly server: string;
  readonly tool: string;
  /** Of the server's definition: another server of the same name was not meant. */
  readonly fingerprint: string;
}

export class KeptApprovals {
  readonly #file: string;
  #writing: Promise<void> = Promise.resolve();

  constructor(stateDir: string) {
    this.#file = join(stateDir, 'approvals.json');
  }

  async list(): Promise<readonly KeptApproval[]> {
    try {
      return keptSchema.parse(JSON.parse(await readFile(this.#file, 'utf8'))).allowed;
    } catch {
      return []; // nothing was ever allowed for good, or what is there cannot be trusted: ask again
    }
  }

  async has(tool: ApprovedTool): Promise<boolean> {
    return (await this.list()).some((kept) => isSame(kept, tool));
  }

  async add({ server, tool, fingerprint }: ApprovedTool, now = new Date()): Promise<void> {
    const added = { server, tool, fingerprint, at: now.toISOString() };
    await this.#change((kept) => [...kept.filter((other) => !isSame(other, added)), added]);
  }

  /** How many were taken back. */
  async forget(server: string, tool: string): Promise<number> {
    let count = 0;
    await this.#change((kept) => {
      const left = kept.filter((other) => other.server !== server || other.tool !== tool);
      count = kept.length - left.length;
      return left;
    });
    return count;
  }

  async #change(change: (kept: readonly KeptApproval[]) => readonly KeptApproval[]): Promise<void> {
    const work = this.#writing.then(async () => {
      const allowed = change(await this.list());
      await mkdir(dirname(this.#file), { recursive: true });
      const scratch = `${this.#file}.${randomUUID()}`;
      await writeFile(scratch, `${JSON.stringify({ allowed }, null, 2)}\n`, { mode: 0o600 });
      await rename(scratch, this.#file);
    });
    this.#writing = work.catch(() => {}); // whoever asked for it is told
    await work;
  }
}

function isSame(one: ApprovedTool, other: ApprovedTool): boolean {
  return one.server === other.server && one.tool === other.tool && one.fingerprint === other.fingerprint;
}
