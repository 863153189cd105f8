/** What a person answered to the inputs of config files (`${input:ID}`), for themselves alone. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writeJson } from '../kept-json.ts';

/** File → input → answer. */
const fileSchema = z.record(z.string(), z.record(z.string(), z.string()));

export class InputAnswers {
  readonly file: string;

  constructor(stateDir: string) {
    this.file = join(stateDir, 'inputs.json');
  }

  get(id: string, file: string): string | undefined {
    return this.#read()[file]?.[id];
  }

  async set(id: string, file: string, answer: string): Promise<void> {
    const all = this.#read();
    await writeJson(this.file, { ...all, [file]: { ...all[file], [id]: answer } });
  }

  #read(): z.infer<typeof fileSchema> {
    try {
      return fileSchema.parse(JSON.parse(readFileSync(this.file, 'utf8')));
    } catch {
      return {}; // nobody answered anything yet
    }
  }
}
