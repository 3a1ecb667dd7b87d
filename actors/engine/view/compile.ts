/** Compiles the statement of a view, and holds what it gives against the columns that the view declares (docs/contract/data-definitions.md §1.12). */
import type { EntityDefinition } from '#config/definitions/product.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';
import { suggestion } from '#config/values/suggest.ts';
import { DefinitionError } from '#actors/kit/rule.ts';
import { compileSql } from '../sql/compile.ts';
import type { CompiledSql } from '../sql/compiled.ts';
import type { SqlSchema } from '../sql/schema.ts';
import type { Output } from '../sql/select/relation.ts';
import { isList, isNumber, isText } from '../sql/type.ts';

type Type = EntityDefinition['fields'][string]['type'];

/** Throws DefinitionError, with its place, for a statement that cannot run, that writes or takes parameters, or whose columns are not the declared ones. */
export function compileView(definition: EntityDefinition, schema: SqlSchema): CompiledSql {
  const { name, where, view } = definition;
  const { text, ...source } = view!;
  const sql = compileSql(text, schema, source);
  const at = `${source.file}:${source.line}:${source.column}`;
  const fault = (place: string, message: string): never => {
    throw new DefinitionError(place, message);
  };
  if (sql.writes) fault(at, `the statement of the view ${name} writes; a view is a select`);
  const [parameter] = sql.parameters;
  if (parameter !== undefined)
    fault(at, `:${parameter} is a parameter, and a view takes none; callers filter its columns`);
  const given = sql.statement.columns!;
  const names = given.map((column) => column.name);
  for (const [column, { type }] of Object.entries(definition.fields)) {
    const output = given.find((one) => one.name === column);
    if (output === undefined)
      return fault(where, `the statement of ${name} gives no column ${column}; ${suggestion(column, names)}`);
    if (!fits(output, type))
      fault(
        where,
        `${column} is declared as ${type}, and the statement gives ${output.type}; change the type or cast it`,
      );
  }
  const undeclared = names.find((column) => !Object.hasOwn(definition.fields, column));
  if (undeclared !== undefined)
    fault(
      where,
      `the statement of ${name} gives ${undeclared}, which columns does not declare; add it or leave it out`,
    );
  return sql;
}

/** Whether values of a column of the statement can be values of the type; each is judged again when it is read (rows.ts). */
function fits({ type: given, integral }: Output, declared: Type): boolean {
  const { sql: wanted } = FIELD_TYPES[declared];
  if (given === wanted) return true;
  if (wanted === 'text') return isText(given) || given === 'uuid';
  if (wanted === 'integer') return given === 'numeric' && integral;
  if (wanted === 'json') return isList(given);
  return isNumber(wanted) && isNumber(given);
}
