/** A program with the bare toolchain: the steps of its language, without a wall around them. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { readEnvironment } from '#config/env';
import { commandPlan } from '#languages/command-plan';
import type { CommandLanguage, CommandRuntime } from '#languages/language';

const INSIDE_TOOLS = join(import.meta.dirname, '..', 'inside', 'command', 'tools');

/** A folder in which programs of one language are compiled and run, with the toolchain's own caches. */
export class BareToolchain implements AsyncDisposable {
  readonly #language: CommandLanguage;
  readonly #runtime: CommandRuntime;
  readonly #folder: string;

  static async open(language: CommandLanguage): Promise<BareToolchain | undefined> {
    const runtime = language.runtimes.find(
      ({ tools, files = [] }) => tools.every(findOnPath) && files.every(existsSync),
    );
    return runtime && new BareToolchain(language, runtime, await mkdtemp(join(tmpdir(), 'sallyport-bare-')));
  }

  private constructor(language: CommandLanguage, runtime: CommandRuntime, folder: string) {
    this.#language = language;
    this.#runtime = runtime;
    this.#folder = folder;
  }

  /** Compiles and runs, and gives back what it printed. */
  async run(code: string, memoryBytes: number): Promise<string> {
    const plan = commandPlan(this.#language, { code, files: [] }, memoryBytes);
    const out = join(this.#folder, 'out');
    await rm(out, { recursive: true, force: true });
    await mkdir(out);
    await writeFile(join(this.#folder, plan.entry.file), code);
    if (this.#runtime.copies) await writeFile(join(out, plan.entry.file), code);
    const names: Record<string, string> = {
      ...plan.names,
      entry: plan.entry.file,
      stem: plan.entry.file.replace(/\.[^.]*$/, ''),
      out,
      tool: this.#runtime.tools[0] as string,
      tools: INSIDE_TOOLS,
      workspace: this.#folder,
    };
    const fill = (words: readonly string[]) =>
      words.flatMap((word) => {
        if (word === '{args}' || word === '{others}') return [];
        return word === '{sources}'
          ? plan.entry.file
          : word.replace(/\{(\w+)\}/g, (whole, name: string) => names[name] ?? whole);
      });
    for (const step of this.#runtime.compile ?? [])
      await this.#start(fill(step), this.#runtime.copies ? out : this.#folder);
    return this.#start(fill(this.#runtime.run), this.#folder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  #start([file, ...args]: readonly string[], cwd: string): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    // Caches that a session has in its scratch space are in a folder of this toolchain.
    const own = Object.entries({ ...this.#language.env, ...this.#runtime.env }).map(
      ([name, value]) => [name, value.replaceAll('/tmp/.sallyport', this.#folder)] as const,
    );
    const env = { ...readEnvironment(), ...Object.fromEntries(own) };
    const child = spawn(file as string, args, { cwd, env, stdio: ['ignore', 'pipe', 'ignore'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
    });
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve(output) : reject(new Error(`${file} ended with ${code}`))));
    return promise;
  }
}

function findOnPath(tool: string): boolean {
  const folders = (readEnvironment().PATH ?? '').split(delimiter);
  return folders.some((folder) => existsSync(join(folder, tool)));
}
