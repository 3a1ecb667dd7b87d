/** A statement that was understood: what it needs, what it touches, and how it is run. */
import type { Failure } from '../rows/failure.ts';
import type { Statement, StatementKind } from './statement.ts';
import type { ParameterType } from './type.ts';

export interface SqlResult {
  /** Rows that were written; of a select, rows that it gave. */
  readonly total: number;
  /** Present for a select and where there is a `returning`. */
  readonly rows?: readonly Record<string, unknown>[];
}

export type SqlOutcome = SqlResult | Failure;

export interface CompiledSql {
  readonly kind: StatementKind;
  /** Names of `:name` parameters in the order of their first use. */
  readonly parameters: readonly string[];
  /** What each parameter is converted to before it is used, by its name; `text` where nothing tells more. */
  readonly parameterTypes: Readonly<Record<string, ParameterType>>;
  /** Entities that the statement reads or writes, sorted. */
  readonly entities: readonly string[];
  /** Columns of the rows that it gives; undefined where it gives none. */
  readonly returning: readonly string[] | undefined;
  readonly writes: boolean;
  readonly statement: Statement;
}
