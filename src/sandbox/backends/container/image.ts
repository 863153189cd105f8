/** The image that containers are made of: looked up, pulled once when it is not there, and what it says of itself. */
import { AppError } from '#contracts/errors';
import type { Logger } from '#observability/logger';
import type { Engine } from './engine.ts';

/** A slim Python image for several architectures, by its content. `docs/containers.md` has what it is made of. */
export const DEFAULT_IMAGE =
  'docker.io/library/python:3.13-slim-bookworm@sha256:01f42367a0a94ad4bc17111776fd66e3500c1d87c15bbd6055b7371d39c124fb';

export interface ImageFacts {
  /** Of its content: what was found out about an image holds as long as this does. */
  readonly id: string;
  /** `NAME=value`, from the image alone. */
  readonly env: readonly string[];
  /** Folders that the image wants to be volumes. */
  readonly volumes: readonly string[];
}

/** Callers give up after a minute; they are told how far the pull is before that. */
const PULL_WAIT_MS = 40_000;

export class ImageStore {
  readonly #engine: Engine;
  readonly #logger: Logger;
  readonly #pulls = new Map<string, { readonly done: Promise<void>; lastLine: string }>();

  constructor(engine: Engine, logger: Logger) {
    this.#engine = engine;
    this.#logger = logger;
  }

  /** Undefined when the engine does not have it. */
  async find(image: string): Promise<ImageFacts | undefined> {
    const { exitCode, stdout, stderr } = await this.#engine.ask(['image', 'inspect', image]);
    if (exitCode !== 0) {
      if (/no such image|not known|failed to find|not found/i.test(stderr)) return undefined;
      throw this.#engine.failure(stderr);
    }
    const [info] = JSON.parse(stdout) as [ImageInfo];
    return { id: info.Id, env: info.Config?.Env ?? [], volumes: Object.keys(info.Config?.Volumes ?? {}) };
  }

  /** Pulls what is not there. Callers who ask meanwhile share the one pull. */
  async provide(image: string): Promise<ImageFacts> {
    const found = await this.find(image);
    if (found) return found;
    await this.#pull(image);
    const pulled = await this.find(image);
    if (pulled) return pulled;
    throw new AppError('SANDBOX_FAILED', `${this.#engine.name} has pulled the image "${image}" and cannot find it`);
  }

  async #pull(image: string): Promise<void> {
    const pull = this.#pulls.get(image) ?? this.#startPull(image);
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      reject(
        new AppError('BUSY', `The image "${image}" is still being pulled (${pull.lastLine || 'no word yet'})`, {
          hint: 'It is pulled once; try again in a minute',
        }),
      );
    }, PULL_WAIT_MS);
    try {
      await Promise.race([pull.done, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #startPull(image: string): { readonly done: Promise<void>; lastLine: string } {
    this.#logger.warn(`Pulling the image "${image}" with ${this.#engine.name}, once`);
    const done = this.#engine.follow(['pull', image], (line) => {
      pull.lastLine = line.slice(0, 200);
      this.#logger.info(`${this.#engine.name} pull: ${pull.lastLine}`);
    });
    const pull = { done, lastLine: '' };
    this.#pulls.set(image, pull);
    done
      .catch(() => {}) // told to everybody who waits; the next one tries anew
      .finally(() => this.#pulls.delete(image));
    return pull;
  }
}

interface ImageInfo {
  readonly Id: string;
  readonly Config?: { readonly Env?: readonly string[]; readonly Volumes?: Readonly<Record<string, unknown>> | null };
}
