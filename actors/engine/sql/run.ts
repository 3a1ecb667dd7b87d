/** One run of a statement: what its steps share, and what they may use up. */
import { limits } from '#config/limits.ts';
import type { Budget } from '#actors/kit/pace/budget.ts';
import type { Session } from '../rows/session.ts';
import type { Steps as StepsOf } from '#actors/kit/pace/steps.ts';
import { SqlFault } from './fault.ts';
import type { Value } from './type.ts';
import { charsOf } from './value/text-cost.ts';

/** The values of one row of a select while it is worked on, by slot. */
export type Tuple = Value[];

/** What the place of a value counts: eight bytes, and characters may have two. */
const VALUE_CHARS = 4;

/** The steps of a statement may wait for a promise, whose value the next is given. */
export type Steps<T> = StepsOf<T, void | Promise<unknown>>;

/** What may be there at once. */
export type Soon<T> = T | Steps<T>;

/** The value, with as many steps as it takes. */
export function* taken<T>(soon: Soon<T>): Steps<T> {
  return isSteps(soon) ? yield* soon : soon;
}

function isSteps<T>(soon: Soon<T>): soon is Steps<T> {
  return typeof soon === 'object' && soon !== null && 'next' in soon && typeof soon.next === 'function';
}

export class Run {
  /** Of the caller; over one snapshot when the statement is long and only reads. */
  readonly session: Session;
  /** What rules see as `request.method`. */
  readonly method: string;
  readonly parameters: readonly Value[];
  readonly pace: Budget;
  readonly startMs: number;
  /** For each select that is being worked on, from the outermost: its tuple, for the subqueries in it. */
  readonly outers: Tuple[] = [];
  /** What selects have found, so that it is found once. */
  readonly kept = new Map<object, unknown>();
  #seen = 0;
  #chars = 0;

  constructor(session: Session, method: string, parameters: readonly Value[], pace: Budget) {
    this.session = session;
    this.method = method;
    this.parameters = parameters;
    this.pace = pace;
    this.startMs = session.clock.now();
  }

  get seen(): number {
    return this.#seen;
  }

  /** Counts rows that were looked at; true when other turns should run now. */
  spend(rows: number): boolean {
    this.#count(rows);
    return this.pace.spend(rows);
  }

  /** Counts pairs that a join has compared: each is looked at, and costs much less time than a row. */
  spendPairs(pairs: number): boolean {
    this.#count(pairs);
    return this.pace.spend(pairs / limits.sql.pairsPerRow);
  }

  /** Counts what the values of a row hold, and their places. */
  hold(values: readonly Value[]): void {
    let chars = values.length * VALUE_CHARS;
    for (const value of values) chars += charsOf(value);
    this.keep(chars);
  }

  /** Characters that are held. */
  get held(): number {
    return this.#chars;
  }

  /** Counts characters that are kept; those that are let go of count below 0. */
  keep(chars: number): void {
    this.#chars += chars;
    if (this.#chars > limits.sql.charsKeptMax)
      throw new SqlFault(`the statement holds more than ${limits.sql.charsKeptMax} characters at once`);
  }

  /** What `work` holds is let go of when it is done. */
  *passing<T>(work: () => Steps<T>): Steps<T> {
    const before = this.#chars;
    const result = yield* work();
    this.#chars = before;
    return result;
  }

  #count(rows: number): void {
    this.#seen += rows;
    if (this.#seen > limits.sql.rowsSeenMax)
      throw new SqlFault(`the statement looks at more than ${limits.sql.rowsSeenMax} rows`);
  }
}

/** Refuses to hold more rows than one step may. */
export function checkKept(rows: number): void {
  if (rows > limits.sql.rowsKeptMax)
    throw new SqlFault(`the statement holds more than ${limits.sql.rowsKeptMax} rows at once`);
}

/** Does something for each row, in strides between which other turns may run. */
export function* eachRow<T>(run: Run, rows: readonly T[], visit: (row: T, at: number) => void): Steps<void> {
  const stride = limits.sql.strideRows;
  for (let from = 0; from < rows.length; from += stride) {
    const to = Math.min(from + stride, rows.length);
    for (let at = from; at < to; at++) {
      visit(rows[at]!, at);
      // What a subquery looked at for this row counts as much, and what its expressions burned.
      if (run.pace.isSpent) yield;
    }
    if (run.spend(to - from)) yield;
  }
}
