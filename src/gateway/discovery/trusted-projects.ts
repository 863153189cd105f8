/**
 * The projects whose own config files count, because a person said so.
 *
 * A project's files name commands that are started outside the wall, and they come with whatever was cloned last. A
 * folder is trusted by its real path and for itself alone: neither what is above it nor what is below.
 */
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { AppError } from '#contracts/errors';
import { readJson, writeJson } from '../kept-json.ts';

const fileSchema = z.object({ folders: z.array(z.string()) });

export class TrustedProjects {
  /** Changes when a person changes their mind. */
  readonly file: string;

  constructor(stateDir: string) {
    this.file = join(stateDir, 'trusted-projects.json');
  }

  async has(folder: string): Promise<boolean> {
    const [real, folders] = await Promise.all([realpath(folder).catch(() => undefined), this.list()]);
    return real !== undefined && folders.includes(real);
  }

  async list(): Promise<readonly string[]> {
    return fileSchema.safeParse(await readJson(this.file)).data?.folders ?? [];
  }

  /** The folder as it is remembered. */
  async add(folder: string): Promise<string> {
    const real = await realpath(folder).catch((cause: unknown) => {
      throw new AppError('INVALID_INPUT', `There is no folder "${folder}"`, { cause });
    });
    const folders = await this.list();
    if (!folders.includes(real)) await writeJson(this.file, { folders: [...folders, real].sort() });
    return real;
  }

  /** Whether it was trusted before. Works for folders that are gone, too. */
  async remove(folder: string): Promise<boolean> {
    const real = await realpath(folder).catch(() => folder);
    const folders = await this.list();
    if (!folders.includes(real)) return false;
    await writeJson(this.file, { folders: folders.filter((known) => known !== real) });
    return true;
  }
}
