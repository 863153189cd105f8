/** Live output as MCP progress notifications: what is new, a few times a second at most. */
import { StringDecoder } from 'node:string_decoder';
import type { ServerContext } from '@modelcontextprotocol/server';

const EVERY_MS = 250;
/** The end of what is new: a flood is not worth sending, the answer has its place. */
const MESSAGE_CHARS_MAX = 4_000;

export interface ProgressFollower extends Disposable {
  /** Undefined when the caller did not ask for progress. */
  readonly onOutput: ((stream: 'stdout' | 'stderr', bytes: Buffer) => void) | undefined;
}

export function followWithProgress(ctx: ServerContext): ProgressFollower {
  const token = ctx.mcpReq._meta?.progressToken;
  if (token === undefined) return { onOutput: undefined, [Symbol.dispose]() {} };

  const decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };
  let fresh = '';
  let count = 0;
  let timer: NodeJS.Timeout | undefined;
  const send = () => {
    timer = undefined;
    const message = fresh;
    fresh = '';
    const params = { progressToken: token, progress: ++count, message };
    // A caller that is gone does not get the answer either; the run is stopped by its own signal.
    ctx.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
  return {
    onOutput(stream, bytes) {
      fresh = (fresh + decoders[stream].write(bytes.subarray(-4 * MESSAGE_CHARS_MAX))).slice(-MESSAGE_CHARS_MAX);
      timer ??= setTimeout(send, EVERY_MS);
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
    },
  };
}
