/**
 * What every call of an upstream passes: the run's budget, the rules, a person where they want one, the server's rate;
 * and what is taken from it on the way back: secrets out of the answer, one line for the audit log.
 */
import { AppError, messageOf } from '#contracts/errors';
import type { ToolAnnotations, ToolReply } from '#contracts/tool';
import type { FilledForm } from '#policy/approval-form';
import type { ApprovalDesk, Verdict } from '#policy/approvals';
import type { AuditLog } from '#policy/audit-log';
import type { CallRates } from '#policy/rate';
import { allowingLine, decideCall, type PolicyRule } from '#policy/rules';
import type { SecretBook } from '#policy/secret-book';
import type { SavingsLedger } from '#savings/ledger';
import type { LiveRun } from '#sessions/live-run';
import { resultText } from './count-savings.ts';
import type { RunGrants } from './run-grants.ts';
import { textBytes } from './text-bytes.ts';

export interface GateParts {
  /** As they are now. */
  readonly rules: () => Promise<readonly PolicyRule[]>;
  readonly desk: ApprovalDesk;
  readonly audit: AuditLog;
  readonly rates: CallRates;
  readonly secrets: SecretBook;
  readonly savings: SavingsLedger;
  readonly limits: {
    readonly callsPerRun: number;
    readonly callsPerMinute: number;
    readonly askMs: number;
  };
  /** Arguments and results go into the audit log too. */
  readonly auditsContent: boolean;
}

export interface CallPlace {
  readonly grants: RunGrants;
  /** Aborted when whoever asked has ended. */
  readonly gone?: AbortSignal | undefined;
  /** For servers that each session has to itself. */
  readonly session: string | undefined;
  /** As people know it. */
  readonly sessionName: string;
  /** What lives as long as the session. */
  readonly sessionKey: object;
  /** Who sent the program. */
  readonly caller: string;
  /** Undefined for calls that belong to no run. */
  readonly run: LiveRun | undefined;
}

export interface GateCall {
  readonly server: string;
  readonly tool: string;
  readonly args: unknown;
  readonly annotations: ToolAnnotations;
  readonly isTrusted: boolean;
  readonly fingerprint: string;
  readonly callsPerMinute: number | undefined;
}

interface Passed {
  decision: 'allow' | 'deny';
  by: 'default' | 'rule' | 'person' | 'budget';
  answer?: string;
}

export class CallGate {
  readonly #parts: GateParts;
  /** Whether somebody may answer from another terminal. */
  isDeskOpen = false;

  constructor(parts: GateParts) {
    this.#parts = parts;
  }

  /** The reply of `perform`, without secrets. Throws what the program shall see. */
  async pass<Reply extends Partial<ToolReply>>(
    place: CallPlace,
    call: GateCall,
    signal: AbortSignal,
    perform: () => Promise<Reply>,
  ): Promise<Reply> {
    const { secrets, savings } = this.#parts;
    const startedAt = performance.now();
    const passed: Passed = { decision: 'deny', by: 'budget' };
    let reply: Reply | undefined;
    let outcome = 'ok';
    try {
      await this.#admit(place, call, signal, passed);
      if (place.run) savings.prepare();
      const answer = await perform();
      reply = secrets.mask?.value(answer) ?? answer;
      if (reply.result?.isError) outcome = 'UPSTREAM_FAILED';
      this.#tally(place, call, resultText(reply));
      return reply;
    } catch (error) {
      outcome = error instanceof AppError ? error.code : 'INTERNAL';
      if (passed.decision === 'allow') this.#tally(place, call, messageOf(error));
      if (error instanceof RangeError)
        throw new AppError('UPSTREAM_FAILED', `The answer is nested too deep: ${messageOf(error)}`);
      throw error;
    } finally {
      this.#note(place, call, passed, { outcome, durationMs: performance.now() - startedAt, reply });
    }
  }

  async #admit(place: CallPlace, call: GateCall, signal: AbortSignal, passed: Passed): Promise<void> {
    this.#spend(place);
    const { server, tool } = call;
    const decision = decideCall(await this.#parts.rules(), { ...call, session: place.sessionName });
    switch (decision.kind) {
      case 'allow':
        Object.assign(passed, { decision: 'allow', by: decision.isRule ? 'rule' : 'default' });
        break;
      case 'deny':
        passed.by = 'rule';
        throw denied(server, tool, decision.reason);
      case 'ask': {
        passed.by = 'rule';
        const verdict = await this.#ask(place, call, decision, signal);
        Object.assign(passed, { by: 'person', answer: verdict.kind === 'allow' ? verdict.approval : verdict.why });
        if (verdict.kind === 'deny') throw denied(server, tool, this.#explain(verdict));
        passed.decision = 'allow';
        break;
      }
      default:
        decision satisfies never;
    }
    this.#paceRate(call, passed);
  }

  #spend({ grants }: CallPlace): void {
    const { callsPerRun } = this.#parts.limits;
    if (grants.callsMade >= callsPerRun) {
      throw new AppError('BUDGET_SPENT', `This run has made ${callsPerRun} calls, and may make no more`, {
        hint: 'Split the work over several runs; a person can raise --max-calls',
      });
    }
    grants.callsMade += 1;
  }

  #paceRate({ server, callsPerMinute = this.#parts.limits.callsPerMinute }: GateCall, passed: Passed): void {
    if (callsPerMinute === Number.POSITIVE_INFINITY) return;
    const waitMs = this.#parts.rates.take(server, callsPerMinute);
    if (waitMs === 0) return;
    Object.assign(passed, { decision: 'deny', by: 'budget' });
    throw new AppError('BUDGET_SPENT', `Server "${server}" takes ${callsPerMinute} calls a minute, and has had them`, {
      hint: `The next may come in ${Math.ceil(waitMs / 1000)} s; a person can raise --server-rate`,
    });
  }

  async #ask(
    place: CallPlace,
    call: GateCall,
    decision: { isRule: boolean; reason: string },
    signal: AbortSignal,
  ): Promise<Verdict> {
    const { desk, secrets } = this.#parts;
    const { run, sessionName, sessionKey, caller } = place;
    const elicit = run?.person?.elicit;
    // Another terminal is only waited for where a person wrote a rule that they want to be asked.
    if (!elicit && !(decision.isRule && this.isDeskOpen)) {
      if (await desk.isKnown({ ...call, sessionKey })) return { kind: 'allow', approval: 'session' };
      throw denied(call.server, call.tool, decision.isRule ? `${decision.reason}, and nobody can be` : decision.reason);
    }
    using _hold = run?.clock.hold();
    return await desk.ask({
      server: call.server,
      tool: call.tool,
      args: secrets.mask?.value(call.args) ?? call.args,
      fingerprint: call.fingerprint,
      session: sessionName,
      caller,
      sessionKey,
      runKey: run ?? sessionKey,
      show: elicit && (async (form, taken) => (await elicit({ ...form }, taken)) as unknown as FilledForm),
      signal,
    });
  }

  #explain({ why }: Verdict & { kind: 'deny' }): string {
    switch (why) {
      case 'declined':
        return 'a person said no';
      case 'dismissed':
        return 'the question to a person was put away without an answer';
      case 'expired':
        return `a person was asked and did not answer within ${Math.round(this.#parts.limits.askMs / 1000)} s`;
      case 'unreachable':
        return 'a person would have to be asked, and the client could not show the question';
      default:
        return why satisfies never;
    }
  }

  /** Without Sallyport the model would have written the call and read the result. */
  #tally({ run }: CallPlace, { server, tool, args }: GateCall, result: string): void {
    if (run)
      this.#parts.savings.noteCall(
        run.spec.runId,
        JSON.stringify({ name: `${server}__${tool}`, arguments: args }),
        result,
      );
  }

  #note(
    { caller, sessionName, run }: CallPlace,
    { server, tool, args }: GateCall,
    passed: Passed,
    { outcome, durationMs, reply }: { outcome: string; durationMs: number; reply: Partial<ToolReply> | undefined },
  ): void {
    this.#parts.audit.write('call', {
      caller,
      session: sessionName,
      run: run?.spec.runId,
      server,
      tool,
      ...passed,
      outcome,
      durationMs: Math.round(durationMs * 10) / 10,
      argsBytes: textBytes(args),
      resultBytes: textBytes(reply?.result ?? reply?.value),
      ...(this.#parts.auditsContent && { args, result: reply?.result ?? reply?.value }),
    });
  }
}

function denied(server: string, tool: string, reason: string): AppError {
  return new AppError('POLICY_DENIED', `${server}.${tool} may not be called: ${reason}`, {
    hint: `A person can add ${allowingLine(server, tool)} to "policy" in the config file`,
  });
}
