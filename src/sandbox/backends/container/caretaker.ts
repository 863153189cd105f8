/**
 * Names and removes containers. A name says which process of which machine started the container, so that whoever comes
 * later can tell what a dead server left behind from everything else.
 *
 * Containers remove themselves when their first process ends (`--rm`), and that ends with its server. What is done here
 * is for the rest: engines that were killed in between, machines that went down.
 */
import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Logger } from '#observability/logger';
import { isSameProcess } from '../../process.ts';
import { serverName } from '../../server-folder.ts';
import type { Engine } from './engine.ts';

const LABEL = 'sallyport.server';
const NAME = /^sallyport-([0-9a-f]{8})-([0-9a-f]{8})-(\d+)-(\d+)-\d+$/;

/** After the end of a container, its engine has so long to remove it by itself. */
const TIDY_AFTER_MS = 5_000;
/** How long a server that ends waits for its engine. */
const LAST_LOOKS = 20;
const LOOK_AGAIN_MS = 100;

let count = 0;

export class Caretaker {
  readonly #engine: Engine;
  readonly #logger: Logger;
  readonly #prefix = `sallyport-${machineMark()}-${bootMark()}-${serverName()}`;
  readonly #alive = new Set<string>();
  #hasStarted = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(engine: Engine, logger: Logger) {
    this.#engine = engine;
    this.#logger = logger;
  }

  get labels(): Readonly<Record<string, string>> {
    return { sallyport: '1', [LABEL]: this.#prefix };
  }

  /** A name that no other container has. It counts as alive until `ended`. */
  newName(): string {
    this.#hasStarted = true;
    const name = `${this.#prefix}-${++count}`;
    this.#alive.add(name);
    return name;
  }

  /** A container's first process is gone; what the engine still has of it is looked after later. */
  ended(name: string): void {
    this.#alive.delete(name);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#removeOwn();
    }, TIDY_AFTER_MS).unref();
  }

  /** Now, by force, whatever state it is in. */
  async remove(name: string): Promise<void> {
    this.#alive.delete(name);
    await this.#remove([name]);
  }

  /** Removes what servers that are gone left behind, and nothing else. */
  async sweep(): Promise<void> {
    try {
      await this.#remove((await this.#list(LABEL)).filter(isLeftBehind));
    } catch (cause) {
      this.#logger.debug(`Cannot look for containers that were left behind`, { cause });
    }
  }

  /** Nothing of this server is left when it resolves, as far as the engine answers. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    if (!this.#hasStarted) return;
    this.#alive.clear();
    for (let look = 0; look < LAST_LOOKS; look++) {
      const left = await this.#list(`${LABEL}=${this.#prefix}`).catch(() => []); // nobody to ask
      if (left.length === 0) return;
      // The first looks are for the engine's own removal, which forcing would only disturb.
      if (look > 2) await this.#remove(left);
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
  }

  async #removeOwn(): Promise<void> {
    const all = await this.#list(`${LABEL}=${this.#prefix}`).catch(() => []); // asked again after the next end
    await this.#remove(all.filter((name) => !this.#alive.has(name)));
  }

  async #list(label: string): Promise<string[]> {
    const text = await this.#engine.must(['ps', '--all', '--filter', `label=${label}`, '--format', '{{.Names}}']);
    return text.split('\n').filter((name) => NAME.test(name));
  }

  async #remove(names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    // Podman would ask nicely first, for ten seconds.
    const atOnce = this.#engine.name === 'podman' ? ['--time', '0'] : [];
    const { exitCode, stderr } = await this.#engine.ask(['rm', '--force', '--volumes', ...atOnce, ...names]);
    if (exitCode !== 0) this.#logger.debug('Cannot remove containers', { names, complaint: stderr.trim() });
  }
}

/** Only what certainly belonged to a process of this machine that is gone. */
function isLeftBehind(name: string): boolean {
  const [, machine, boot, pid, started] = NAME.exec(name) ?? [];
  if (machine !== machineMark() || pid === undefined || started === undefined) return false;
  return boot !== bootMark() || !isSameProcess({ pid: Number(pid), started });
}

/** The same engine may serve several machines or containers, whose processes cannot be seen from here. */
function machineMark(): string {
  return mark([readText('/etc/machine-id') ?? hostname(), readlinkSync('/proc/self/ns/pid')]);
}

function bootMark(): string {
  return mark([readText('/proc/sys/kernel/random/boot_id') ?? '']);
}

function mark(parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 8);
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch {
    return undefined; // not every system has it
  }
}
