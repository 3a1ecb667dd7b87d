/** Compiles a declared statement once, at load. All that the executor cannot run is refused here, not at a call. */
import type { Node } from 'libpg-query';
import type { CompiledSql } from './compiled.ts';
import { StatementContext } from './context.ts';
import type { Parameter } from './expression/expr.ts';
import { open } from './node.ts';
import { parseSql } from './parse.ts';
import type { SqlSource } from './place.ts';
import type { SqlSchema } from './schema.ts';
import { SelectPlan } from './select/plan.ts';
import { compileSelect } from './select/select.ts';
import type { Statement } from './statement.ts';
import { listOf, type ParameterType } from './type.ts';
import { compileDelete } from './write/delete.ts';
import { compileInsert } from './write/insert.ts';
import { compileUpdate } from './write/update.ts';

/**
 * Throws SqlDefinitionError (`file:line:column: what; how to mend it`) for a syntax error, for more than one statement, for tables,
 * columns, functions and types that do not exist, and for constructs outside of the subset of docs/sql.md.
 */
export function compileSql(text: string, schema: SqlSchema, source: SqlSource): CompiledSql {
  const { node, parameters, places } = parseSql(text, source);
  const context = new StatementContext(places, schema, parameters, compileSelect);
  const statement = statementOf(context, node);
  checkNames(context, node, statement);
  return {
    kind: statement.kind,
    parameters,
    parameterTypes: Object.fromEntries(context.parameters.map((one) => [one.name, typeOf(one)])),
    entities: [...context.entities].sort(),
    returning: statement.columns?.map(({ name }) => name),
    writes: statement.kind !== 'select',
    statement,
  };
}

function typeOf({ type, isList }: Parameter): ParameterType {
  const known = type === null || type === 'unknown' ? 'text' : type;
  return isList ? listOf(known) : known;
}

function statementOf(context: StatementContext, node: Node): Statement {
  if ('SelectStmt' in node) return selectStatement(context, node);
  if ('InsertStmt' in node) return compileInsert(context, node.InsertStmt);
  if ('UpdateStmt' in node) return compileUpdate(context, node.UpdateStmt);
  if ('DeleteStmt' in node) return compileDelete(context, node.DeleteStmt);
  return context.unsupported(node, `a ${open(node)[0]}`, 'an action selects, inserts, updates or deletes');
}

function selectStatement(context: StatementContext, node: Node): Statement {
  const plan = context.select(node, null, new Map());
  return {
    kind: 'select',
    columns: plan.columns,
    ...(plan instanceof SelectPlan && { origins: plan.origins }),
    *run(run) {
      const rows = yield* plan.rows(run);
      return { total: rows.length, rows };
    },
  };
}

/** Rows are objects: each column needs a name of its own. */
function checkNames(context: StatementContext, node: Node, { columns }: Statement): void {
  const names = new Set<string>();
  for (const { name } of columns ?? []) {
    if (names.has(name)) context.fault(node, `two columns are named ${name}`, 'give one of them another name with AS');
    names.add(name);
  }
}
