/** What runs and connections are to the savings ledger: only where there are servers to save anything on. */
import type { RunOutcome } from '#contracts/run';
import type { ToolReply } from '#contracts/tool';
import type { EngineParts } from './parts.ts';
import type { Upstreams } from './upstreams.ts';

export interface AnsweredCall {
  readonly caller: string;
  /** All that the caller sent, as it sent it; asked for only where it counts. */
  readonly sent: () => string;
  /** All texts that it gets back. */
  readonly returned: readonly string[];
}

/** What the run has saved up to now. */
export async function countAnswer(
  { savings, upstreams }: EngineParts,
  { runId, session, toolCalls, kind }: RunOutcome,
  { caller, sent, returned }: AnsweredCall,
): Promise<number> {
  if (!upstreams.hasServers) return 0;
  return await savings.answered(
    { runId, session, caller, toolCalls, isOver: kind === 'finished' },
    { sent: sent(), returned },
  );
}

/** `own` is what the caller had to read to know of us; asked for once. */
export function countConnection(
  { savings, upstreams }: EngineParts,
  connection: object,
  own: () => Promise<readonly string[]>,
): void {
  if (upstreams.hasServers) savings.noteConnection(connection, own, () => schemasOf(upstreams));
}

/** The lists of all servers whose tools are known, as clients get them. Starts no server. */
async function schemasOf(upstreams: Upstreams): Promise<string[]> {
  const gateway = await upstreams.gateway();
  const lists: string[] = [];
  for (const { name, tools, state } of await gateway.status()) {
    if (tools === undefined || state === 'disabled') continue;
    const known = await gateway.tools(name);
    lists.push(JSON.stringify(known.map(({ server: _server, ...tool }) => tool)));
  }
  return lists;
}

/** What a model would have read of a result: its texts, or its value where there are none. */
export function resultText({ result, value }: Partial<ToolReply>): string {
  const texts = (result?.content ?? []).flatMap((block) => {
    const text = (block as { readonly text?: unknown } | null)?.text;
    return typeof text === 'string' ? [text] : [];
  });
  return texts.length > 0 ? texts.join('\n') : (JSON.stringify(result?.structuredContent ?? value ?? '') ?? '');
}
