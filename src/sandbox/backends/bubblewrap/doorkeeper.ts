/** Keeps one door open for the next sandbox, like the last one's. */
import type { Logger } from '#observability/logger';
import { Door, type DoorPlan } from './door.ts';
import type { Workshop } from './workshop.ts';

/** An interpreter has just become ready, and its first run comes before the next door. */
const PREPARE_AFTER_MS = 10;

export class Doorkeeper {
  readonly #workshop: Workshop;
  readonly #logger: Logger;
  #waiting: Promise<Door | undefined> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(workshop: Workshop, logger: Logger) {
    this.#workshop = workshop;
    this.#logger = logger;
  }

  /** `plan.uid` undefined means any user. */
  async take(plan: DoorPlan): Promise<Door> {
    if (plan.uid !== undefined) return Door.open(this.#workshop, plan);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    const door = await waiting;
    if (door?.isOpen && fits(door.plan, plan)) return door;
    await door?.close();
    return Door.open(this.#workshop, { ...plan, uid: this.#workshop.root?.users.take() });
  }

  /** Opens the next door in a while, for a sandbox with any user. */
  prepare(plan: DoorPlan): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#waiting ??= this.#open(plan);
    }, PREPARE_AFTER_MS).unref();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const door = await this.#waiting;
    await door?.close();
  }

  async #open(plan: DoorPlan): Promise<Door | undefined> {
    try {
      return await Door.open(this.#workshop, { ...plan, uid: this.#workshop.root?.users.take() });
    } catch (cause) {
      this.#logger.debug('Cannot open a door ahead of time', { cause });
      return undefined;
    }
  }
}

function fits(door: DoorPlan, wanted: DoorPlan): boolean {
  return JSON.stringify([door.limits, door.stageNeeds]) === JSON.stringify([wanted.limits, wanted.stageNeeds]);
}
