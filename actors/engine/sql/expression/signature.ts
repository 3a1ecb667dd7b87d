/** What a function takes and gives. */
import type { SqlType, Value } from '../type.ts';
import { burnText, charsOf } from '../value/text-cost.ts';

export interface Signature {
  readonly takes: readonly SqlType[];
  readonly gives: SqlType;
  readonly compute: (...values: Value[]) => Value;
}

/** A signature whose call first burns fuel for the texts that it is given. A function that makes more than that burns for it itself. */
export const is = (takes: readonly SqlType[], gives: SqlType, compute: Signature['compute']): Signature => ({
  takes,
  gives,
  compute: takes.some((type) => type === 'text' || type === 'text[]') ? paid(compute) : compute,
});

function paid(compute: Signature['compute']): Signature['compute'] {
  return (...values) => {
    let chars = 0;
    for (const value of values)
      chars += typeof value === 'string' ? value.length : Array.isArray(value) ? charsOf(value) : 0;
    burnText(chars);
    return compute(...values);
  };
}
