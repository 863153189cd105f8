/**
 * What servers ask for themselves goes to the person, or to the model, of the run whose call they are working on.
 *
 * The person sees which server it is that asks, and the run's clock stands still meanwhile. When a server works on calls
 * of several people at a time, nobody can tell whose question it is, and nobody is asked.
 */
import { AppError } from '#contracts/errors';
import type { AskFields, Person } from '#contracts/person';
import type { Ask, UpstreamAsks } from '#gateway/asks';
import type { LiveRun } from '#sessions/live-run';
import type { CallPlace } from './call-gate.ts';

/** What callers so far could be asked. A server is told when it starts. */
export class CallerAbilities {
  #canElicit = false;
  #canSample = false;

  note({ elicit, sample }: Person): void {
    this.#canElicit ||= elicit !== undefined;
    this.#canSample ||= sample !== undefined;
  }

  asks(): UpstreamAsks {
    return {
      ...(this.#canElicit && { elicit: elicitFromCaller }),
      ...(this.#canSample && { sample: sampleFromCaller }),
    };
  }
}

async function elicitFromCaller(ask: Ask): Promise<AskFields> {
  const run = runOf(ask, 'elicit');
  const message = `Server "${ask.server}" asks: ${typeof ask.params.message === 'string' ? ask.params.message : ''}`;
  using _held = run.clock.hold();
  return await personOf(run, 'elicit')({ ...ask.params, message }, ask.signal);
}

async function sampleFromCaller(ask: Ask): Promise<AskFields> {
  const run = runOf(ask, 'sample');
  using _held = run.clock.hold();
  return await personOf(run, 'sample')(ask.params, ask.signal);
}

const WORDS = {
  elicit: ['asks a person something', 'supports elicitation'],
  sample: ['asks for words of a model', 'supports sampling'],
} as const;

/** The latest of the runs whose calls are going on, when they all have the same person behind them. */
function runOf({ server, callers }: Ask, kind: keyof typeof WORDS): LiveRun {
  const runs = callers.flatMap((caller) => (caller as CallPlace).run ?? []);
  const able = runs.filter((run) => run.person?.[kind] !== undefined);
  const [asks, supports] = WORDS[kind];
  const doors = new Set(runs.map((run) => run.person?.door));
  if (doors.size > 1) {
    throw new AppError('CALLER_CANNOT', `Server "${server}" ${asks}, and works for several people at once`, {
      hint: 'Call it again when it works for one, or set "share": "session" in its entry',
    });
  }
  const run = able.at(-1);
  if (run) return run;
  throw new AppError('CALLER_CANNOT', `Server "${server}" ${asks}, and this client cannot ask them`, {
    hint: `Use a client that ${supports}, or another tool`,
  });
}

function personOf<Kind extends keyof typeof WORDS>(run: LiveRun, kind: Kind): NonNullable<Person[Kind]> {
  return run.person?.[kind] as NonNullable<Person[Kind]>;
}
