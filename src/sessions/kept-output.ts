/**
 * What a session's runs printed past the shown budget, as files: `<home>/output/RUN/stdout`, which the program sees
 * at `/output/RUN/stdout`. The last runs are kept, up to a number and a size; the oldest go first.
 *
 * Writes are synchronous: they go to the page cache at memory speed, in the chunks that the pipe delivers.
 */
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { BOUNDS } from '#contracts/limits';
import type { Logger } from '#observability/logger';

export type KeptStream = 'stdout' | 'stderr';

export class KeptOutput {
  readonly #directory: () => string;
  readonly #logger: Logger;
  /** Oldest first. */
  readonly #runs = new Map<string, { bytes: number; files: Map<KeptStream, number | undefined> }>();

  /** The directory is asked for at every use: a session without a name may get one, and its home then moves. */
  constructor(directory: () => string, logger: Logger) {
    this.#directory = directory;
    this.#logger = logger;
  }

  /** Appends to a run's file, which is made at the first byte. */
  writer(runId: string, stream: KeptStream): (chunk: Buffer) => void {
    return (chunk) => {
      const run = this.#runs.get(runId) ?? { bytes: 0, files: new Map<KeptStream, number | undefined>() };
      this.#runs.set(runId, run);
      run.bytes += chunk.length;
      try {
        if (!run.files.has(stream)) run.files.set(stream, this.#create(runId, stream));
        const file = run.files.get(stream);
        if (file !== undefined) writeAll(file, chunk);
      } catch (error) {
        // The run goes on: what it printed is then only shown in part, and the log says why.
        run.files.set(stream, undefined);
        this.#logger.warn('Cannot keep output', { runId, cause: error });
      }
    };
  }

  /** The run has ended: its files are whole, and the oldest runs make room. */
  async seal(runId: string): Promise<void> {
    const run = this.#runs.get(runId);
    if (!run) return;
    for (const file of run.files.values()) if (file !== undefined) closeSync(file);
    run.files.clear();
    let bytes = [...this.#runs.values()].reduce((sum, kept) => sum + kept.bytes, 0);
    for (const [oldest, kept] of this.#runs) {
      if (oldest === runId || (this.#runs.size <= BOUNDS.keptRunsPerSession && bytes <= BOUNDS.keptBytesPerSession))
        break;
      this.#runs.delete(oldest);
      bytes -= kept.bytes;
      await rm(join(this.#directory(), oldest), { recursive: true, force: true });
    }
  }

  /** Takes up what an earlier process left in this home. */
  async load(): Promise<void> {
    const found = await Promise.all(
      (await readdir(this.#directory()).catch(() => [])).map(async (runId) => {
        const files = await readdir(join(this.#directory(), runId)).catch(() => []);
        const infos = await Promise.all(files.map((file) => stat(join(this.#directory(), runId, file))));
        return {
          runId,
          bytes: infos.reduce((sum, info) => sum + info.size, 0),
          at: Math.max(0, ...infos.map((info) => info.mtimeMs)),
        };
      }),
    );
    for (const { runId, bytes } of found.sort((a, b) => a.at - b.at))
      this.#runs.set(runId, { bytes, files: new Map() });
  }

  #create(runId: string, stream: KeptStream): number {
    const folder = join(this.#directory(), runId);
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    return openSync(join(folder, stream), 'w', 0o644);
  }
}

/** The whole of a kept stream. */
export async function readKeptStream(runDirectory: string, stream: KeptStream): Promise<Buffer> {
  return readFile(join(runDirectory, stream));
}

function writeAll(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}
