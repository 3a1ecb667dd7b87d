/** The calls of an endpoint: each begins as soon as those that it needs have ended, so that an endpoint takes as long as its slowest chain of calls. */
import type { BffCall, Reference } from '#config/definitions/bff/shapes.ts';
import { ask, stale, type Asking } from './call/ask.ts';
import { unanswered, type CallEnd, type Unanswered } from './call/end.ts';
import { Unusable, render, type Rendered } from './call/render.ts';
import type { Scope } from './call/scope.ts';
import type { Degraded } from './response/compose.ts';

export type Ran =
  | { readonly kind: 'ran'; readonly degraded: readonly Degraded[]; readonly chars: number }
  /** A call that the answer cannot do without. */
  | { readonly kind: 'failed'; readonly call: string; readonly end: Unanswered }
  /** The caller left out or misspelt what a call needs. */
  | { readonly kind: 'unusable'; readonly call: string; readonly message: string };

class Ended extends Error {
  readonly ran: Exclude<Ran, { kind: 'ran' }>;

  constructor(ran: Exclude<Ran, { kind: 'ran' }>) {
    super(ran.kind);
    this.ran = ran;
  }
}

/** Runs the calls (each after those that it needs in the list); their answers are in `scope.calls` then. */
export async function runCalls(calls: readonly BffCall[], scope: Scope, asking: Asking): Promise<Ran> {
  // Answers stand in the order of the declaration, not in that in which calls end.
  for (const { name } of calls) scope.calls[name] = undefined;
  const run = new Run(scope, asking);
  try {
    await run.all(calls);
  } catch (error) {
    if (error instanceof Ended) return error.ran;
    throw error;
  }
  const order = calls.filter(({ name }) => run.failed.has(name));
  const degraded = order.map(({ name }) => ({ call: name, reason: run.failed.get(name)!.reason }));
  return { kind: 'ran', degraded, chars: run.chars };
}

/** Outside calls that need no other call leave first, so that upstreams work while the services of this thread do. Every other call stays after those that it needs. */
function inOrder(calls: readonly BffCall[]): readonly BffCall[] {
  const leaves = ({ to, needs }: BffCall): boolean => to.kind === 'outside' && needs.length === 0;
  const first = calls.filter(leaves);
  return first.length === 0 ? calls : [...first, ...calls.filter((call) => !leaves(call))];
}

class Run {
  /** Calls that failed and were replaced by null, a default or a stale answer. */
  readonly failed = new Map<string, Unanswered>();
  chars = 0;
  readonly #scope: Scope;
  readonly #asking: Asking;

  constructor(scope: Scope, asking: Asking) {
    this.#scope = scope;
    this.#asking = asking;
  }

  /** Rejects with the first fatal failure; calls under way then end by their own deadlines. */
  async all(calls: readonly BffCall[]): Promise<void> {
    const ends = new Map<string, Promise<void>>();
    for (const call of inOrder(calls)) {
      const before = call.needs.map((need) => ends.get(need)!);
      ends.set(call.name, before.length === 0 ? this.#one(call) : Promise.all(before).then(() => this.#one(call)));
    }
    await Promise.all(ends.values());
  }

  async #one(call: BffCall): Promise<void> {
    const rendered = this.#render(call);
    const end = 'ok' in rendered ? rendered : await ask(this.#asking, call, rendered);
    if (end.ok) this.chars += end.chars;
    else this.#replace(call, end, 'ok' in rendered ? null : rendered);
    this.#scope.calls[call.name] = end.ok ? end.value : this.#scope.calls[call.name];
  }

  /** The request, or the failure of the earlier call whose answer lacks a value for it. */
  #render(call: BffCall): Rendered | CallEnd {
    try {
      return render(call, this.#scope);
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      const { reference, message } = error;
      if (reference?.source !== 'calls') throw new Ended({ kind: 'unusable', call: call.name, message });
      return this.#inherited(reference);
    }
  }

  /** The failure of an earlier call that was replaced: it passes to the calls that need it. */
  #inherited({ steps: [name] }: Reference): Unanswered {
    return unanswered(this.failed.get(name!)?.reason ?? 'schema');
  }

  #replace(call: BffCall, end: Unanswered, rendered: Rendered | null): void {
    const { name, onError } = call;
    if (onError === 'fatal') throw new Ended({ kind: 'failed', call: name, end });
    const kept = onError === 'stale' && rendered !== null ? stale(this.#asking, call, rendered) : undefined;
    this.failed.set(name, end);
    this.#scope.calls[name] = kept === undefined ? call.default : kept.value;
  }
}
