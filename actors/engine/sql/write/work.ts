/** Common to all writing statements: every row is written by the same functions as in a REST request. */
import { limits } from '#config/limits.ts';
import { accepted, type Failure } from '../../rows/failure.ts';
import type { Written } from '../../rows/write.ts';
import type { RequestView } from '../../rows/session.ts';
import { SqlFault } from '../fault.ts';
import { taken, type Run, type Soon, type Steps, type Tuple } from '../run.ts';
import type { Ran } from '../statement.ts';
import type { Value } from '../type.ts';
import type { Returning } from './returning.ts';

/** A write costs a turn as much as looking at this many rows. */
const WRITE_COST = limits.sql.turnRowsMax / limits.data.turnStepsMax;

export function requestAs(run: Run, operation: string, entity: string, id: Value, data: unknown): RequestView {
  return { method: run.method, operation, entity, id, data };
}

export interface Write {
  readonly tuple: Tuple;
  /** Stages the change; null where there is nothing to change. */
  readonly stage: () => Soon<Written | Failure | null>;
}

/** Makes all changes, or none: the first failure ends the statement, and its turn is dropped. */
export function* writeAll(run: Run, returning: Returning, writes: readonly Write[]): Steps<Ran> {
  if (writes.length > limits.sql.rowsWrittenMax)
    throw new SqlFault(`the statement writes more than ${limits.sql.rowsWrittenMax} rows`);
  const rows: (readonly Value[])[] = [];
  let total = 0;
  returning.prepare(run);
  for (const { tuple, stage } of writes) {
    const written = accepted(yield* taken(stage()));
    if (written !== null) {
      total++;
      if (returning.columns !== null) rows.push(returning.show(run, tuple, written));
    }
    if (run.spend(WRITE_COST)) yield;
  }
  return { total, rows: returning.columns === null ? null : rows };
}
