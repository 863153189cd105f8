/** A Sallyport with upstream servers of the tests' own, and short ways to run programs in it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Answer, answerOf, type Connection, callRunCode, connect, metaOf, type RunMeta } from './client.ts';

const TOOLS = fileURLToPath(new URL('../fixtures/upstream/tools.mjs', import.meta.url));

/** The server with a tool for each thing that a tool may do. */
export const TOOLS_SERVER = { command: process.execPath, args: [TOOLS] };

export interface ServedHouse extends AsyncDisposable {
  readonly connection: Connection;
  /** A folder of its own, also the home. */
  readonly folder: string;
  run(language: string, code: string, session?: string): Promise<Answer & { readonly meta: RunMeta }>;
}

export async function openHouse(wall: string, config: object, env: Record<string, string> = {}): Promise<ServedHouse> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-hatch-'));
  const file = join(folder, 'config.json');
  await writeFile(file, JSON.stringify(config));
  const connection = await connect({ flags: ['--sandbox', wall, '--config', file], env: { HOME: folder, ...env } });
  return {
    connection,
    folder,
    async run(language, code, session) {
      const input = { language, code, timeout: 60, ...(session !== undefined && { session }) };
      const result = await callRunCode(connection.client, input);
      return { ...answerOf(result), meta: metaOf(result) };
    },
    async [Symbol.asyncDispose]() {
      await connection[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    },
  };
}
