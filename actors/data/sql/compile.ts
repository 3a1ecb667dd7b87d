/** Compiles a declared statement, once at load: whatever the executor cannot run is refused here, and not when it is called. */
import type { CompiledSql } from './compiled.ts';
import { parseSql } from './parse.ts';
import type { SqlSource } from './place.ts';
import type { SqlSchema } from './schema.ts';

/**
 * Throws SqlDefinitionError (`file:line:column: what; how to mend it`) for what does not parse, for more than one statement, for
 * tables, columns, functions and types that do not exist, and for what is not in the subset of docs/sql.md.
 */
export function compileSql(text: string, _schema: SqlSchema, source: SqlSource): CompiledSql {
  const { places } = parseSql(text, source);
  throw places.fault(0, 'this statement is not in the subset', 'see docs/sql.md');
}
