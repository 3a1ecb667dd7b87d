/** What a row of the table of aggregate functions says. */
import type { SqlType } from '../type.ts';
import type { Accumulator, Around } from './grouping.ts';

/** How an aggregate is computed. Both types are those of its arguments; the second is `unknown` where it takes one. */
export interface Kind {
  readonly gives: (type: SqlType) => SqlType | null;
  readonly begin: (type: SqlType, around: Around, second: SqlType) => Accumulator;
  /** What its second argument is converted to; `any` for a value of any type. */
  readonly second?: 'text' | 'any';
  /** Whether nulls are given to it; most aggregates leave them out. */
  readonly takesNull?: boolean;
  /** Whether its result depends on the order of its values: `distinct` sorts them then. */
  readonly isOrdered?: boolean;
}
