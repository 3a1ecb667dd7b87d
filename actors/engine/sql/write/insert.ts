/** INSERT: rows of VALUES or of a select, each created as REST creates it. */
import type { InsertStmt, Node } from 'libpg-query';
import { createRow } from '../../rows/create.ts';
import type { Failure } from '../../rows/failure.ts';
import type { EntityModel } from '../../rows/model.ts';
import type { Written } from '../../rows/write.ts';
import type { Ctes, Place, StatementContext } from '../context.ts';
import { assigned } from '../expression/coerce.ts';
import type { Expr } from '../expression/expr.ts';
import { placeOf } from '../expression/expression.ts';
import { eachRow, taken, type Run, type Soon, type Steps, type Tuple } from '../run.ts';
import type { SqlColumn } from '../schema.ts';
import { addRelation, tableOf } from '../select/from.ts';
import { Level } from '../select/level.ts';
import { NO_TUPLE } from '../select/relation.ts';
import { modelOf } from '../select/scan.ts';
import { withCtes } from '../select/with.ts';
import type { Ran, Statement } from '../statement.ts';
import { typeOfField, type Value } from '../type.ts';
import { assignment } from '../value/cast.ts';
import { settable } from './assign.ts';
import { conflictOf } from './conflict.ts';
import { returningOf } from './returning.ts';
import { requestAs, writeAll } from './work.ts';

type Input = Record<string, unknown>;

/** The rows to be created. */
type Rows = (run: Run) => Soon<Input[]>;

export function compileInsert(statement: StatementContext, node: InsertStmt): Statement {
  statement.only(node, [
    'relation',
    'cols',
    'selectStmt',
    'onConflictClause',
    'returningClause',
    'withClause',
    'override',
  ]);
  if (node.override !== undefined && node.override !== 'OVERRIDING_NOT_SET')
    statement.unsupported(node, 'OVERRIDING', 'leave it out');
  const ctes = withCtes(statement, node.withClause, new Map());
  const table = tableOf(statement, node.relation!);
  const named = (node.cols ?? []).flatMap((col) =>
    'ResTarget' in col ? settable(statement, table, col.ResTarget) : [],
  );
  const twice = named.findIndex((column, i) => named.indexOf(column) !== i);
  if (twice >= 0) statement.fault(node.cols![twice]!, `${named[twice]!.name} is named twice`, 'name it once');
  const columns = node.cols === undefined ? table.columns.filter(({ marker }) => !marker) : named;
  const rows = rowsOf(statement, node, columns, ctes);
  const level = new Level(null);
  const relation = addRelation(statement, level, node.relation!, node.relation!.alias?.aliasname ?? table.name, table);
  const returning = returningOf(statement, level, relation, ctes, node.returningClause);
  const conflict = conflictOf(statement, table, relation.alias, ctes, node.onConflictClause);
  const tuple = (): Tuple => new Array<Value>(level.width).fill(null);
  return {
    kind: 'insert',
    columns: returning.columns,
    *run(run: Run): Steps<Ran> {
      const model = modelOf(run, table.name);
      if (conflict !== null) yield* conflict.prepare(run);
      const inputs = yield* taken(rows(run));
      const touched = new Set<Value>();
      const create = (input: Input): Written | Failure =>
        createRow(run.session, model, input, requestAs(run, 'create', model.name, null, input));
      const writes = inputs.map((input) => ({
        tuple: tuple(),
        *stage(): Steps<Written | Failure | null> {
          const settled = conflict === null ? undefined : yield* conflict.settle(run, model, input, touched);
          return settled === undefined ? noted(model, create(input), touched) : settled;
        },
      }));
      return yield* writeAll(run, returning, writes);
    },
  };
}

function noted(model: EntityModel, written: Written | Failure, touched: Set<Value>): Written | Failure {
  if (written.kind === 'written') touched.add(written.after![model.key.at]);
  return written;
}

function rowsOf(statement: StatementContext, node: InsertStmt, columns: readonly SqlColumn[], ctes: Ctes): Rows {
  // INSERT … DEFAULT VALUES
  if (node.selectStmt === undefined) return () => [{}];
  const lists = 'SelectStmt' in node.selectStmt ? node.selectStmt.SelectStmt.valuesLists : undefined;
  const hasOwn = 'SelectStmt' in node.selectStmt && node.selectStmt.SelectStmt.limitCount !== undefined;
  if (lists !== undefined && !hasOwn) return literalRows(statement, lists, columns, ctes, node.cols !== undefined);
  return selectedRows(statement, node.selectStmt, columns, ctes, node.cols !== undefined);
}

/** Values in the types of their columns; DEFAULT leaves a column out. */
function literalRows(
  statement: StatementContext,
  lists: readonly Node[],
  columns: readonly SqlColumn[],
  ctes: Ctes,
  isNamed: boolean,
): Rows {
  const place = placeOf(statement, new Level(null), ctes, 'VALUES');
  const rows = lists.map((list) => {
    const items = 'List' in list ? (list.List.items ?? []) : [];
    checkCount(statement, list, items.length, columns, isNamed);
    return items.map((item, i) => valueFor(place, item, columns[i]!));
  });
  return function* (run) {
    for (const plan of place.level.subqueries) yield* plan.prepare(run);
    const inputs: Input[] = [];
    yield* eachRow(run, rows, (row) => {
      const input: Input = {};
      for (const [i, expr] of row.entries()) if (expr !== null) input[columns[i]!.name] = expr.evaluate(NO_TUPLE, run);
      run.hold(Object.values(input));
      inputs.push(input);
    });
    return inputs;
  };
}

function valueFor(place: Place, node: Node, column: SqlColumn): Expr | null {
  if ('SetToDefault' in node) return null;
  if (column.type === 'file')
    return place.statement.unsupported(node, 'setting a file', 'name the columns that are set');
  return assigned(place.statement, place.expr(node), typeOfField(column.type));
}

function selectedRows(
  statement: StatementContext,
  node: Node,
  columns: readonly SqlColumn[],
  ctes: Ctes,
  isNamed: boolean,
): Rows {
  const plan = statement.select(
    node,
    null,
    ctes,
    columns.map(({ type }) => typeOfField(type)),
  );
  checkCount(statement, node, plan.columns.length, columns, isNamed);
  const converts = plan.columns.map(({ type, name }, i) => {
    const to = typeOfField(columns[i]!.type);
    return (
      assignment(type, to) ??
      statement.fault(node, `${name} is ${type}, and ${columns[i]!.name} takes ${to}`, `cast it (… :: ${to})`)
    );
  });
  return function* (run) {
    const rows = yield* plan.rows(run);
    return rows.map((row) =>
      Object.fromEntries(row.map((value, i) => [columns[i]!.name, value === null ? null : converts[i]!(value)])),
    );
  };
}

function checkCount(
  statement: StatementContext,
  node: Node,
  count: number,
  columns: readonly SqlColumn[],
  isNamed: boolean,
): void {
  if (count === columns.length || (count < columns.length && !isNamed)) return;
  statement.fault(node, `there are ${count} values for ${columns.length} columns`, 'give each column one value');
}
