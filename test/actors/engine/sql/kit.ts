/** Statements over an engine in memory, as actions run them. */
import { isFailure, type Failure } from '#actors/engine/rows/failure.ts';
import { compileSql } from '#actors/engine/sql/compile.ts';
import type { SqlResult } from '#actors/engine/sql/compiled.ts';
import { executeSql } from '#actors/engine/sql/execute.ts';
import { servedTables } from '#actors/engine/sql/schema.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import type { Engine } from '#test/kit/data-session.ts';

export const SOURCE = { file: 'actions/a.yaml', line: 10, column: 5 };

/** Runs a statement in a turn of its own, which is committed unless it fails. */
export async function run(
  engine: Engine,
  sql: string,
  values: Readonly<Record<string, unknown>> = {},
  principal?: Principal,
): Promise<SqlResult | Failure> {
  const compiled = compileSql(sql, servedTables(engine.models, [...engine.models.keys()]), SOURCE);
  const outcome = await executeSql(compiled, values, engine.session(principal));
  engine.end(!isFailure(outcome));
  return outcome;
}

/** The rows that a statement gives. */
export async function rows(engine: Engine, sql: string, values = {}, principal?: Principal): Promise<unknown> {
  const outcome = await run(engine, sql, values, principal);
  if (isFailure(outcome)) throw new Error(`${outcome.status} ${outcome.message}`);
  return outcome.rows;
}

/** What compiling a statement throws, without the file. */
export function fault(engine: Engine, sql: string): string {
  try {
    compileSql(sql, servedTables(engine.models, [...engine.models.keys()]), SOURCE);
  } catch (error) {
    return (error as Error).message.replace(`${SOURCE.file}:`, '');
  }
  return 'it compiles';
}
