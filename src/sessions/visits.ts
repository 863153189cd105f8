/**
 * Processes behind the wall that come to the hatch by themselves: the command `mcp`, and children that a program forked.
 *
 * Each has a connection of its own, so any number may ask at once and none sees another's answers. Everything they send is
 * the program's word; what the host holds of it is bounded for all of them together.
 */
import { encodeFrame, type Frame, FrameReader, fieldText } from '#bridge/codec';
import { AppError, messageOf } from '#contracts/errors';
import { BOUNDS } from '#contracts/limits';
import type { Visitor } from '#sandbox/backend';
import { type ReplyFields, replyTo } from './hatch-calls.ts';

/** `gone` is aborted when nobody waits for the answer any more. */
export type VisitorCall = (frame: Frame, gone: AbortSignal) => Promise<unknown>;

export class Visits {
  readonly #call: VisitorCall;
  readonly #visitors = new Set<Visitor>();
  /** Sent by all visitors and not yet answered. */
  #askedBytes = 0;

  constructor(call: VisitorCall) {
    this.#call = call;
  }

  take(visitor: Visitor): void {
    const reader = new FrameReader();
    const gone = new AbortController();
    let asked = 0;
    const settle = () => {
      this.#askedBytes -= asked;
      asked = 0;
    };
    this.#visitors.add(visitor);
    visitor.onGone(() => {
      this.#visitors.delete(visitor);
      settle();
      gone.abort(new AppError('SESSION_CLOSED', 'The process that made this call has ended'));
    });
    visitor.onData((bytes) => {
      if (gone.signal.aborted) return;
      asked += bytes.length;
      this.#askedBytes += bytes.length;
      try {
        if (this.#askedBytes > BOUNDS.visitorBytesMax)
          throw new AppError('BUSY', 'The calls on their way are too long');
        for (const frame of reader.push(bytes)) {
          if (frame.verb === 'call') void this.#answer(visitor, frame, gone.signal).then(settle);
        }
      } catch (error) {
        this.#refuse(visitor, messageOf(error));
        settle();
        gone.abort(new AppError('SESSION_CLOSED', 'The process that made this call was refused'));
      }
    });
  }

  async #answer(visitor: Visitor, frame: Frame, gone: AbortSignal): Promise<void> {
    const fields = await replyTo(
      frame,
      () => this.#call(frame, gone),
      () => this.#unreadBytes(),
    );
    if (gone.aborted) return;
    visitor.send(encodeFrame('reply', fields));
    if (fieldText(frame, 'params') === undefined) visitor.end(); // a command asks once
  }

  #refuse(visitor: Visitor, reason: string): void {
    const fields: ReplyFields = [
      ['ok', '0'],
      ['exit', '1'],
      ['err', `mcp: ${reason}\n`],
      ['value', JSON.stringify({ code: 'INVALID_INPUT', message: reason })],
    ];
    visitor.send(encodeFrame('reply', fields));
    visitor.end();
  }

  #unreadBytes(): number {
    return [...this.#visitors].reduce((sum, { unreadBytes }) => sum + unreadBytes, 0);
  }
}
