/** One run of a statement: the state that its steps share, and the bounds on what they use. */
import { limits } from '#config/limits.ts';
import type { Budget } from '#actors/kit/pace/budget.ts';
import type { Predicate } from '../rows/query.ts';
import type { Session } from '../rows/session.ts';
import type { Steps as StepsOf } from '#actors/kit/pace/steps.ts';
import { SqlFault } from './fault.ts';
import type { Looks } from './looks.ts';
import type { Value } from './type.ts';
import { charsOf } from './value/text-cost.ts';

/** The values of one row of a running select, by slot. */
export type Tuple = Value[];

/** Every value counts as this many characters besides its own: eight bytes at two bytes each. */
const VALUE_CHARS = 4;

/** Steps of a statement. A step may give a promise; the next step begins when it has settled. */
export type Steps<T> = StepsOf<T, void | Promise<unknown>>;

/** A value, or the steps that give it. */
export type Soon<T> = T | Steps<T>;

/** The value, after all steps that it takes. */
export function* taken<T>(soon: Soon<T>): Steps<T> {
  return isSteps(soon) ? yield* soon : soon;
}

function isSteps<T>(soon: Soon<T>): soon is Steps<T> {
  return typeof soon === 'object' && soon !== null && 'next' in soon && typeof soon.next === 'function';
}

/** Conditions on columns of a relation (select/relation.ts), as the planner takes them. */
export type Narrowed = ReadonlyMap<object, readonly Predicate[]>;

export class Run {
  /** The caller's session; over one snapshot when the statement is long and only reads. */
  readonly session: Session;
  /** What rules see as `request.method`. */
  readonly method: string;
  readonly parameters: readonly Value[];
  /** Further conditions on the rows of tables; null for none. */
  readonly narrowed: Narrowed | null;
  /** Where an explanation is asked for: what the run looked at. */
  readonly looks: Looks | null;
  readonly pace: Budget;
  readonly startMs: number;
  /** The present tuple of each running select, from the outermost, for the subqueries in it. */
  readonly outers: Tuple[] = [];
  /** Results of selects that do not depend on outer rows, so that each is computed once. */
  readonly kept = new Map<object, unknown>();
  #seen = 0;
  #chars = 0;
  #remembered = 0;

  constructor(
    session: Session,
    method: string,
    parameters: readonly Value[],
    pace: Budget,
    narrowed: Narrowed | null = null,
    looks: Looks | null = null,
  ) {
    this.session = session;
    this.method = method;
    this.parameters = parameters;
    this.pace = pace;
    this.narrowed = narrowed;
    this.looks = looks;
    looks?.clear();
    this.startMs = session.clock.now();
  }

  get seen(): number {
    return this.#seen;
  }

  /** Counts rows that were looked at; true when the step should end so that other turns can run. */
  spend(rows: number): boolean {
    this.#count(rows);
    return this.pace.spend(rows);
  }

  /** Counts pairs that a join has compared: each counts as looked at, but takes much less time than a row. */
  spendPairs(pairs: number): boolean {
    this.#count(pairs);
    return this.pace.spend(pairs / limits.sql.pairsPerRow);
  }

  /** Counts the characters of a row's values, and the space for each value. */
  hold(values: readonly Value[]): void {
    let chars = values.length * VALUE_CHARS;
    for (const value of values) chars += charsOf(value);
    this.keep(chars);
  }

  /** The number of characters that are held now. */
  get held(): number {
    return this.#chars;
  }

  /** Counts characters that are kept; a negative number when they are released. */
  keep(chars: number): void {
    this.#chars += chars;
    if (this.#chars > limits.sql.charsKeptMax)
      throw new SqlFault(`the statement holds more than ${limits.sql.charsKeptMax} characters at once`);
  }

  /** Counts characters of results that are kept to save work; false when there is no more room for them. */
  remember(chars: number): boolean {
    if (this.#remembered + chars > limits.sql.charsRememberedMax) return false;
    this.#remembered += chars;
    return true;
  }

  /** Runs `work` and releases the characters that it held. */
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

/** Calls `visit` for each row, in strides between which other turns can run. */
export function* eachRow<T>(run: Run, rows: readonly T[], visit: (row: T, at: number) => void): Steps<void> {
  const stride = limits.sql.strideRows;
  for (let from = 0; from < rows.length; from += stride) {
    const to = Math.min(from + stride, rows.length);
    for (let at = from; at < to; at++) {
      visit(rows[at]!, at);
      // Subqueries and expressions of this row may have spent the budget as well.
      if (run.pace.isSpent) yield;
    }
    if (run.spend(to - from)) yield;
  }
}
