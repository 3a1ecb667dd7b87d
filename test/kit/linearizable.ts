/**
 * Whether a history of calls at one object is linearizable: each call that has an outcome took effect at one moment between its sending and its answer, one after the other, and the outcomes are those
 * of the object alone. A call without an outcome took effect at any moment behind its sending, or never. The search is Wing's and Gong's with the memory of Lowe ("Testing for linearizability", 2017,
 * section 3): of each set of calls that have taken effect and the state behind them once. Pure.
 */

/** One call at the object: what was asked, and what came of it. */
export interface Called<Did> {
  readonly did: Did;
  /** Milliseconds of one monotonic clock. */
  readonly sentAt: number;
  /** Infinity: no outcome is known. */
  readonly answeredAt: number;
}

/** The state behind a call with this outcome; null where the object gives another one in this state. A state is JSON. */
export type Step<State, Did> = (state: State, did: Did) => { readonly state: State } | null;

/** `undecided`: the search has taken more than its steps. `furthest`: the most calls with an outcome that one order explains. */
export interface Verdict {
  readonly is: 'linearizable' | 'refused' | 'undecided';
  readonly furthest: number;
}

const STEPS_MAX = 2_000_000;

export function judgeHistory<State, Did>(
  history: readonly Called<Did>[],
  initial: State,
  step: Step<State, Did>,
  stepsMax = STEPS_MAX,
): Verdict {
  const calls = history.toSorted((one, other) => one.sentAt - other.sentAt);
  const certain = calls.filter(({ answeredAt }) => answeredAt < Infinity).length;
  const seen = new Set<string>();
  let [steps, furthest] = [0, 0];

  /** `left`: places in `calls` of what has not taken effect; `done`: how many with an outcome have. */
  const search = (left: readonly number[], done: number, state: State): boolean => {
    furthest = Math.max(furthest, done);
    if (done === certain) return true;
    const firstAnswer = left.reduce((first, at) => Math.min(first, calls[at]!.answeredAt), Infinity);
    for (const at of left) {
      const { did, sentAt, answeredAt } = calls[at]!;
      // Everything from here on was sent behind an answer, so behind the call that it belongs to.
      if (sentAt > firstAnswer) return false;
      if (++steps > stepsMax) return false;
      const next = step(state, did);
      if (next === null) continue;
      const rest = left.filter((other) => other !== at);
      const key = `${rest.join()}|${JSON.stringify(next.state)}`;
      if (seen.has(key)) continue;
      seen.add(key);
      if (search(rest, answeredAt < Infinity ? done + 1 : done, next.state)) return true;
    }
    return false;
  };

  if (search([...calls.keys()], 0, initial)) return { is: 'linearizable', furthest };
  return { is: steps > stepsMax ? 'undecided' : 'refused', furthest };
}
