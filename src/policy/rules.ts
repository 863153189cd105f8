/**
 * Which tools a program may call: the first rule that fits decides. Pure.
 *
 * Without a rule a call is allowed, unless its server calls the tool destructive: then a person is asked. What a server
 * says about its own tools may tighten this and never loosen it, unless a person marked the server as trusted.
 */
import type { ToolAnnotations } from '#contracts/tool';

export interface PolicyRule {
  /** `server.tool`, with `*` for any text; absent means every tool. */
  readonly tools?: string | undefined;
  readonly when?: 'read-only' | 'destructive' | 'open-world' | undefined;
  readonly session?: string | undefined;
  readonly do: 'allow' | 'deny' | 'ask';
}

export interface CallFacts {
  readonly server: string;
  readonly tool: string;
  readonly session: string;
  readonly annotations: ToolAnnotations;
  readonly isTrusted: boolean;
}

export type CallDecision =
  /** `isRule`: because a rule says so, and not for the lack of one. */
  | { readonly kind: 'allow'; readonly isRule: boolean }
  | { readonly kind: 'deny'; readonly reason: string }
  /** `isRule`: a person wrote that they want to be asked; else it is only the server's word that makes us ask. */
  | { readonly kind: 'ask'; readonly isRule: boolean; readonly reason: string };

export function decideCall(rules: readonly PolicyRule[], facts: CallFacts): CallDecision {
  const at = rules.findIndex((candidate) => fits(candidate, facts));
  const rule = rules[at];
  switch (rule?.do) {
    case 'allow':
      return { kind: 'allow', isRule: true };
    case 'deny':
      return { kind: 'deny', reason: `rule ${at + 1} of "policy" denies it` };
    case 'ask':
      return { kind: 'ask', isRule: true, reason: `rule ${at + 1} of "policy" wants a person to be asked` };
    default:
      if (facts.annotations.destructiveHint !== true) return { kind: 'allow', isRule: false };
      return { kind: 'ask', isRule: false, reason: 'its server calls it destructive, and no rule allows it' };
  }
}

/** The rule that would allow exactly this tool. */
export function allowingLine(server: string, tool: string): string {
  return JSON.stringify({ tools: `${server}.${tool}`, do: 'allow' });
}

function fits(rule: PolicyRule, facts: CallFacts): boolean {
  if (rule.tools !== undefined && !matches(rule.tools, `${facts.server}.${facts.tool}`)) return false;
  if (rule.session !== undefined && !matches(rule.session, facts.session)) return false;
  if (rule.when === undefined) return true;
  return holds(rule.when, facts.annotations) && (rule.do !== 'allow' || facts.isTrusted);
}

function holds(when: NonNullable<PolicyRule['when']>, annotations: ToolAnnotations): boolean {
  switch (when) {
    case 'read-only':
      return annotations.readOnlyHint === true;
    case 'destructive':
      return annotations.destructiveHint === true;
    case 'open-world':
      return annotations.openWorldHint === true;
    default:
      return when satisfies never;
  }
}

function matches(pattern: string, text: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(text);
}
