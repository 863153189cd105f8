/** For tests: a real backend with stand-in interpreters, and short ways to ask what a program sees behind the wall. */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { silentLogger } from '#observability/logger';
import type {
  InterpreterChannel,
  InterpreterId,
  MountRequest,
  Sandbox,
  SandboxBackend,
  SandboxLimits,
} from '../../backend.ts';
import { createRuntimeFinder } from '../../runtimes.ts';
import { createBubblewrapBackend } from './index.ts';

const MIB = 1024 * 1024;
const INSIDE_SOURCE = fileURLToPath(new URL('../../../inside', import.meta.url));
const FIXTURES = fileURLToPath(new URL('./fixtures', import.meta.url));

export const TEST_LIMITS: SandboxLimits = {
  memoryBytes: 256 * MIB,
  tmpBytes: 16 * MIB,
  shmBytes: 8 * MIB,
  workspaceBytes: 32 * MIB,
  processes: 48,
  openFiles: 128,
  cpus: 2,
};

export interface TestPlan {
  readonly limits?: Partial<SandboxLimits>;
  readonly mounts?: readonly MountRequest[];
  readonly env?: Readonly<Record<string, string>>;
  readonly workspace?: string;
}

export class BackendUnderTest {
  readonly directory: string;
  readonly backend: SandboxBackend;
  readonly #sandboxes: Sandbox[] = [];
  #count = 0;

  /** `directory` is the home of everything; a new one in the system's folder for temporary files when not given. */
  constructor(options: { directory?: string; python?: string; path?: string } = {}) {
    this.directory = options.directory ?? mkdtempSync(join(tmpdir(), 'sallyport-wall-'));
    const inside = join(this.directory, 'inside');
    cpSync(join(INSIDE_SOURCE, 'supervisor.sh'), join(inside, 'supervisor.sh'));
    cpSync(join(INSIDE_SOURCE, 'etc'), join(inside, 'etc'), { recursive: true });
    cpSync(FIXTURES, inside, { recursive: true });
    const [stateDir, home] = [this.path('state'), this.path('home')];
    const path = options.path ?? '/usr/local/bin:/usr/bin:/bin';
    const runtimes = createRuntimeFinder({
      node: process.execPath,
      path,
      home,
      tools: [],
      overrides: options.python === undefined ? {} : { python: options.python },
      cacheDir: join(stateDir, 'cache'),
      logger: silentLogger,
    });
    this.backend = createBubblewrapBackend({
      node: process.execPath,
      stateDir,
      runtimes,
      logger: silentLogger,
      path,
      home,
      inside,
    });
  }

  /** A folder of this test. */
  path(name: string, mode = 0o700): string {
    const path = join(this.directory, name);
    mkdirSync(path, { recursive: true, mode });
    return path;
  }

  async create(plan: TestPlan = {}): Promise<Sandbox> {
    const home = join('state/sessions', String(++this.#count));
    const output = this.path(join(home, 'output'), 0o755);
    const workspace = plan.workspace ?? this.path(join(home, 'workspace'));
    const sandbox = await this.backend.create({
      workspace,
      output,
      mounts: plan.mounts ?? [],
      env: plan.env ?? {},
      limits: { ...TEST_LIMITS, ...plan.limits },
    });
    this.#sandboxes.push(sandbox);
    return sandbox;
  }

  async start(interpreter: InterpreterId, plan: TestPlan = {}): Promise<Program> {
    const sandbox = await this.create(plan);
    return new Program(sandbox, await sandbox.start(interpreter));
  }

  async close(): Promise<void> {
    await Promise.all(this.#sandboxes.map((sandbox) => sandbox.kill()));
    await this.backend.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** One stand-in interpreter, with what it and its children printed. */
export class Program {
  readonly sandbox: Sandbox;
  readonly channel: InterpreterChannel;
  readonly #waiting: Array<(line: string) => void> = [];
  #pending = '';
  printed = { stdout: '', stderr: '' };

  constructor(sandbox: Sandbox, channel: InterpreterChannel) {
    this.sandbox = sandbox;
    this.channel = channel;
    channel.onData((bytes) => {
      const lines = (this.#pending + bytes.toString()).split('\n');
      this.#pending = lines.pop() ?? '';
      for (const line of lines) this.#waiting.shift()?.(line);
    });
    sandbox.onOutput((stream, bytes) => {
      this.printed[stream] += bytes.toString();
    });
  }

  /** Sends code; the value that it leaves in `result` (Python), has (JavaScript), or its exit code (Bash). */
  async ask(code: string): Promise<unknown> {
    const reply = JSON.parse(await this.askRaw(`${JSON.stringify(code)}\n`)) as { result?: unknown; error?: string };
    if (reply.error !== undefined) throw new Error(reply.error);
    return reply.result;
  }

  askRaw(line: string): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    this.#waiting.push(resolve);
    this.channel.send(Buffer.from(line));
    return promise;
  }
}
