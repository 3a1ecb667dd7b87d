/**
 * The rows of a select for the present outer row. Outer rows that are equal in all that the select reads of them give the same rows: these
 * are kept, as far as there is room, and a select that never meets equal ones is no longer watched.
 */
import { limits } from '#config/limits.ts';
import type { Run, Steps } from '../run.ts';
import { isComparable, type SqlType, type Value } from '../type.ts';
import { burnText, charsOf } from '../value/text-cost.ts';
import type { OuterRead, Plan } from './relation.ts';

interface Memo {
  readonly rows: Map<unknown, Value[][]>;
  /** Null for a select that reads what makes no key. */
  readonly reads: readonly OuterRead[] | null;
  hits: number;
}

/** Results without a hit after which a select is no longer watched. */
const TRIED_MAX = 1000;

/** By plan: the key of its memo in `Run.kept`, which a recursion clears before each round. */
const keys = new WeakMap<Plan, object>();

function memoOf(run: Run, plan: Plan): Memo {
  let place = keys.get(plan);
  if (place === undefined) keys.set(plan, (place = {}));
  let memo = run.kept.get(place) as Memo | undefined;
  if (memo === undefined) {
    const reads = [...plan.outerReads.values()];
    memo = { rows: new Map(), reads: reads.every(({ type }) => isKey(type)) ? reads : null, hits: 0 };
    run.kept.set(place, memo);
  }
  return memo;
}

/** Numbers are told apart by their digits, too: 1 and 1.0 are equal, and are shown differently. */
function isKey(type: SqlType): boolean {
  return isComparable(type) && type !== 'interval';
}

function keyOf(values: readonly Value[]): unknown {
  if (values.length === 1) return values[0];
  for (const value of values) if (typeof value === 'string') burnText(value.length);
  return JSON.stringify(values);
}

export function* rowsAround(run: Run, plan: Plan): Steps<Value[][]> {
  if (plan.outerDepths.size === 0) return yield* run.passing(() => plan.rows(run));
  const memo = memoOf(run, plan);
  const isTried = memo.hits === 0 && memo.rows.size >= TRIED_MAX;
  if (memo.reads === null || isTried) return yield* run.passing(() => plan.rows(run));
  const key = keyOf(memo.reads.map(({ depth, slot }) => run.outers[depth]![slot]));
  const known = memo.rows.get(key);
  if (known !== undefined) {
    memo.hits++;
    return known;
  }
  // What it holds for one outer row is released before the next one.
  const rows = yield* run.passing(() => plan.rows(run));
  const chars = charsOf(key) + charsOf(rows) + rows.length;
  if (memo.rows.size < limits.sql.rowsKeptMax && run.remember(chars)) memo.rows.set(key, rows);
  return rows;
}
