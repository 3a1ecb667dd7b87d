/** A statement of any kind, and how it is run. */
import type { Run, Steps } from './run.ts';
import type { Origins, Output } from './select/relation.ts';
import type { Value } from './type.ts';

export type StatementKind = 'select' | 'insert' | 'update' | 'delete';

export interface Ran {
  readonly total: number;
  /** The rows that it gives; null where it gives none. */
  readonly rows: readonly (readonly Value[])[] | null;
}

export interface Statement {
  readonly kind: StatementKind;
  /** Null where it gives no rows. */
  readonly columns: readonly Output[] | null;
  /** Of a select: the columns by which it can be narrowed (`Narrowed`). */
  readonly origins?: Origins;
  run(run: Run): Steps<Ran>;
}
