/**
 * The person behind a request of run_code, as far as the caller can ask them.
 *
 * Callers of 2025 are asked while their request is open. Those of 2026 get what is asked as the answer to their request,
 * and come back with another one (`open-questions.ts`).
 */
import { randomUUID } from 'node:crypto';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { AskFields, Person } from '#contracts/person';
import type { OpenQuestions } from './open-questions.ts';

/** A person may take this long; then nobody has answered. */
export const ANSWER_MS_MAX = 5 * 60_000;

interface Capabilities {
  readonly elicitation?: { readonly form?: object; readonly url?: object };
  readonly sampling?: object;
}

export function isModern(ctx: ServerContext): boolean {
  return ctx.mcpReq.envelope !== undefined;
}

const CALLER_CHARS_MAX = 80;

/** How the caller's client calls itself, on one line. */
export function callerOf(server: Server, ctx: ServerContext): string {
  const envelope = ctx.mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  const info = (envelope?.[CLIENT_INFO_META_KEY] ?? server.getClientVersion()) as
    | { readonly name?: unknown; readonly version?: unknown }
    | undefined;
  const name = `${info?.name ?? 'unknown client'} ${info?.version ?? ''}`;
  return name
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, CALLER_CHARS_MAX);
}

export function personOf(server: Server, ctx: ServerContext): Person {
  const { elicitInput, requestSampling } = ctx.mcpReq;
  return person(server, (server.getClientCapabilities() ?? {}) as Capabilities, {
    elicit: async (params, signal) => {
      try {
        const known = params.mode === 'url' ? { elicitationId: randomUUID(), ...params } : params;
        return await elicitInput(known as never, { signal, timeout: ANSWER_MS_MAX });
      } catch (error) {
        if (signal.aborted) throw error;
        return { action: 'cancel' }; // the caller's own failure, or nobody was there: the person did not answer
      }
    },
    sample: async (params, signal) => await requestSampling(params as never, { signal, timeout: ANSWER_MS_MAX }),
  });
}

export function modernPersonOf(server: Server, ctx: ServerContext, questions: OpenQuestions): Person {
  const envelope = ctx.mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  return person(server, (envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {}) as Capabilities, {
    elicit: ({ elicitationId: _old, ...params }, signal) => questions.ask('elicitation/create', params, signal),
    sample: (params, signal) => questions.ask('sampling/createMessage', params, signal),
  });
}

type Asking = (params: AskFields, signal: AbortSignal) => Promise<AskFields>;

function person(
  door: unknown,
  { elicitation, sampling }: Capabilities,
  ask: { elicit: Asking; sample: Asking },
): Person {
  return {
    door,
    ...(elicitation && { elicit: (params, signal) => ask.elicit(shownBy(elicitation, params), signal) }),
    ...(sampling && { sample: ask.sample }),
  };
}

/** A caller that cannot open pages can still show an address, with a form that has nothing to fill in. */
function shownBy({ form, url }: NonNullable<Capabilities['elicitation']>, params: AskFields): AskFields {
  if (params.mode !== 'url') return { ...params, mode: 'form' };
  if (url !== undefined || form === undefined) return params;
  return {
    mode: 'form',
    message: `${params.message}\n\nOpen ${params.url} and come back here.`,
    requestedSchema: { type: 'object', properties: {} },
  };
}
