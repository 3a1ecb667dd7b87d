/** A compiled statement: its parameters, its entities, and how it is run. */
import type { Failure } from '../rows/failure.ts';
import type { Statement, StatementKind } from './statement.ts';
import type { ParameterType } from './type.ts';

export interface SqlResult {
  /** The number of rows that were written, or that a select gave. */
  readonly total: number;
  /** Present for a select and where there is a `returning`. */
  readonly rows?: readonly Record<string, unknown>[];
}

export type SqlOutcome = SqlResult | Failure;

export interface CompiledSql {
  readonly kind: StatementKind;
  /** Names of `:name` parameters in the order of their first use. */
  readonly parameters: readonly string[];
  /** The type to which each parameter is converted, by its name; `text` where the statement does not tell. */
  readonly parameterTypes: Readonly<Record<string, ParameterType>>;
  /** Entities that the statement reads or writes, sorted. */
  readonly entities: readonly string[];
  /** Columns of the rows that it gives; undefined where it gives no rows. */
  readonly returning: readonly string[] | undefined;
  readonly writes: boolean;
  readonly statement: Statement;
}
