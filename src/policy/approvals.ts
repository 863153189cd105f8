/**
 * Questions about calls that wait for a person. Whoever answers first is heard: the form in the caller's client, or
 * `sallyport approvals` in another terminal. Nothing that a program or a model can say is an answer.
 *
 *            answered, expired, withdrawn
 *    open ─────────────────────────────────▶ settled
 *
 * (1) A run shows one form at a time; calls that ask meanwhile stand together on the next one.
 * (2) What nobody answers in time, and what is answered unclearly, is denied.
 * (3) A call that ended, or was taken back, takes its question with it; an answer that comes later changes nothing.
 */
import { randomBytes } from 'node:crypto';
import { type Approval, type AskedCall, type FilledForm, type Form, formOf, readForm } from './approval-form.ts';
import type { KeptApprovals } from './kept-approvals.ts';

/** Shows a form to the person behind a run. Rejects when that cannot be done. */
export type ShowForm = (form: Form, signal: AbortSignal) => Promise<FilledForm>;

export interface ApprovalWish extends AskedCall {
  readonly fingerprint: string;
  /** What lives as long as "this session" means. */
  readonly sessionKey: object;
  /** Calls of the same run are asked together. */
  readonly runKey: object;
  /** Undefined where only another terminal can answer. */
  readonly show: ShowForm | undefined;
  /** The call has ended. */
  readonly signal: AbortSignal;
}

export type Verdict =
  | { readonly kind: 'allow'; readonly approval: Exclude<Approval, 'deny'> }
  | { readonly kind: 'deny'; readonly why: 'declined' | 'dismissed' | 'expired' | 'unreachable' };

export interface PendingApproval extends AskedCall {
  readonly id: string;
  readonly askedAt: string;
}

interface Pending {
  readonly id: string;
  readonly wish: ApprovalWish;
  readonly askedAt: Date;
  readonly settle: (verdict: Verdict) => void;
  /** Resolves when nobody waits for the answer any more. */
  readonly gone: Promise<void>;
  expiry: NodeJS.Timeout | undefined;
}

/** Calls that start together ask within this time. */
const GATHER_MS = 25;
/** More than this nobody reads. */
const FORM_CALLS_MAX = 10;

export class ApprovalDesk {
  /** Told of each question that begins to wait. */
  onAsked: ((pending: PendingApproval) => void) | undefined;
  readonly #askMs: number;
  readonly #kept: KeptApprovals;
  readonly #pending = new Map<string, Pending>();
  readonly #bySession = new WeakMap<object, Set<string>>();
  /** Runs that show a form or are about to. */
  readonly #showing = new WeakSet<object>();

  constructor(askMs: number, kept: KeptApprovals) {
    this.#askMs = askMs;
    this.#kept = kept;
  }

  /** Rejects with the signal's reason when the call has ended before the answer. */
  async ask(wish: ApprovalWish): Promise<Verdict> {
    const known = await this.#known(wish);
    wish.signal.throwIfAborted();
    if (known) return known;
    const { promise, resolve, reject } = Promise.withResolvers<Verdict>();
    const { promise: gone, resolve: leave } = Promise.withResolvers<void>();
    const pending: Pending = {
      id: randomBytes(4).toString('hex'),
      wish,
      askedAt: new Date(),
      settle: resolve,
      gone,
      expiry: undefined,
    };
    const withdraw = () => reject(wish.signal.reason);
    wish.signal.addEventListener('abort', withdraw, { once: true });
    this.#pending.set(pending.id, pending);
    this.#expireLater(pending);
    if (wish.show) this.#showSoon(wish.runKey, wish.show);
    this.onAsked?.(describe(pending));
    try {
      return await promise;
    } finally {
      wish.signal.removeEventListener('abort', withdraw);
      this.#pending.delete(pending.id);
      clearTimeout(pending.expiry);
      leave();
    }
  }

  list(): PendingApproval[] {
    return [...this.#pending.values()].map(describe);
  }

  /** False when nothing of this id waits any more. */
  async answer(id: string, approval: Approval): Promise<boolean> {
    const pending = this.#pending.get(id);
    if (!pending) return false;
    await this.#settle(pending, approval);
    return true;
  }

  /** Whether a person has allowed this tool before, for this session or for good. */
  async isKnown(wish: Pick<ApprovalWish, 'server' | 'tool' | 'fingerprint' | 'sessionKey'>): Promise<boolean> {
    return (await this.#known(wish)) !== undefined;
  }

  async #known(wish: Parameters<ApprovalDesk['isKnown']>[0]): Promise<Verdict | undefined> {
    if (this.#bySession.get(wish.sessionKey)?.has(keyOf(wish))) return { kind: 'allow', approval: 'session' };
    return (await this.#kept.has(wish)) ? { kind: 'allow', approval: 'always' } : undefined;
  }

  async #settle(pending: Pending, approval: Approval): Promise<void> {
    if (approval === 'deny') return pending.settle({ kind: 'deny', why: 'declined' });
    const { wish } = pending;
    if (approval === 'once') return pending.settle({ kind: 'allow', approval });
    const allowed = this.#bySession.get(wish.sessionKey) ?? new Set();
    this.#bySession.set(wish.sessionKey, allowed.add(keyOf(wish)));
    // What cannot be kept is good for this session, and asked again in the next one.
    if (approval === 'always') await this.#kept.add(wish).catch(() => {});
    for (const other of this.#pending.values()) {
      const isMeant = approval === 'always' || other.wish.sessionKey === wish.sessionKey;
      if (isMeant && keyOf(other.wish) === keyOf(wish)) other.settle({ kind: 'allow', approval });
    }
  }

  #expireLater(pending: Pending): void {
    clearTimeout(pending.expiry);
    pending.expiry = setTimeout(() => pending.settle({ kind: 'deny', why: 'expired' }), this.#askMs);
  }

  #showSoon(runKey: object, show: ShowForm): void {
    if (this.#showing.has(runKey)) return;
    this.#showing.add(runKey);
    setTimeout(() => {
      void this.#showAll(runKey, show).finally(() => this.#showing.delete(runKey));
    }, GATHER_MS);
  }

  async #showAll(runKey: object, show: ShowForm): Promise<void> {
    for (;;) {
      const open = [...this.#pending.values()].filter(({ wish }) => wish.runKey === runKey).slice(0, FORM_CALLS_MAX);
      if (open.length === 0) return;
      for (const pending of open) this.#expireLater(pending);
      await this.#showOne(open, show);
    }
  }

  /** Ends when the form is answered or when all that stands on it is settled. */
  async #showOne(open: readonly Pending[], show: ShowForm): Promise<void> {
    const taken = new AbortController();
    const allSettled = Promise.all(open.map(({ gone }) => gone)).then(() => undefined);
    const wishes = open.map(({ wish }) => wish);
    try {
      const filled = await Promise.race([show(formOf(wishes), taken.signal), allSettled]);
      if (!filled) return;
      if (filled.action === 'cancel') return deny(open, 'dismissed');
      const approvals = readForm(wishes, filled);
      for (const [index, pending] of open.entries()) {
        if (this.#pending.has(pending.id)) await this.#settle(pending, approvals[index] as Approval);
      }
    } catch {
      // The caller's client could not show it. Nobody is asked in secret: the call is denied, and says what to do.
      deny(open, 'unreachable');
    } finally {
      taken.abort();
      await allSettled;
    }
  }
}

function describe({ id, askedAt, wish: { server, tool, args, session, caller } }: Pending): PendingApproval {
  return { id, askedAt: askedAt.toISOString(), server, tool, args, session, caller };
}

function deny(open: readonly Pending[], why: 'dismissed' | 'unreachable'): void {
  for (const pending of open) pending.settle({ kind: 'deny', why });
}

function keyOf({ server, tool, fingerprint }: Pick<ApprovalWish, 'server' | 'tool' | 'fingerprint'>): string {
  return JSON.stringify([server, tool, fingerprint]);
}
