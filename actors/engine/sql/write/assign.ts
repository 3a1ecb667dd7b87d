/** Assignments: columns that may be set, and values converted to the types of their fields. */
import type { Node, ResTarget } from 'libpg-query';
import { suggestion } from '#config/values/suggest.ts';
import { shown } from '#actors/kit/shown.ts';
import type { Place, StatementContext } from '../context.ts';
import { assigned } from '../expression/coerce.ts';
import type { Expr } from '../expression/expr.ts';
import { open } from '../node.ts';
import type { Run, Tuple } from '../run.ts';
import type { SqlColumn, SqlTable } from '../schema.ts';
import { typeOfField } from '../type.ts';

export interface Assignment {
  readonly name: string;
  readonly expr: Expr;
}

/** The column of a target, if a caller may set it; else the statement is refused at that place. */
export function settable(statement: StatementContext, table: SqlTable, node: ResTarget): SqlColumn {
  const name = node.name ?? '';
  if ((node.indirection ?? []).length > 0) statement.unsupported(node, 'setting a part of a column', 'set all of it');
  const column = table.columns.find((one) => one.name === name);
  const known = table.columns.filter((one) => !one.marker).map((one) => one.name);
  if (column === undefined)
    return statement.fault(node, `${table.name} has no column ${shown(name)}`, suggestion(name, known));
  if (column.marker) return statement.fault(node, `${name} is kept by the service`, 'leave it out');
  if (column.type === 'file') return statement.unsupported(node, 'setting a file', 'upload it (multipart create)');
  return column;
}

/** The assignments of SET. The key of a row never changes. */
export function assignmentsOf(place: Place, table: SqlTable, nodes: readonly Node[]): Assignment[] {
  const { statement } = place;
  const names = new Set<string>();
  return nodes.flatMap((node) => {
    if (!('ResTarget' in node)) return [];
    const column = settable(statement, table, node.ResTarget);
    const { name } = column;
    if (name === table.key) statement.fault(node, `${name} is the key and never changes`, 'create another row');
    if (names.has(name)) statement.fault(node, `${name} is set twice`, 'set it once');
    names.add(name);
    const expr = place.expr(valueIn(statement, node.ResTarget.val!));
    return { name, expr: assigned(statement, expr, typeOfField(column.type)) };
  });
}

/** The value of one assignment, also of one in `(a, b) = (x, y)`. */
function valueIn(statement: StatementContext, node: Node): Node {
  if ('SetToDefault' in node) return statement.unsupported(node, 'SET … = DEFAULT', 'write the value');
  if (!('MultiAssignRef' in node)) return node;
  const { source, colno, ncolumns } = node.MultiAssignRef;
  const args = source !== undefined && 'RowExpr' in source ? (source.RowExpr.args ?? []) : null;
  if (args === null) return statement.unsupported(node, `(…) = ${open(source!)[0]}`, 'set each column by itself');
  if (args.length !== ncolumns) statement.fault(source!, 'there are not as many values as columns', 'mend the list');
  return args[(colno ?? 1) - 1]!;
}

/** The values of a row, as a REST request would send them. They count as held until the statement ends. */
export function inputOf(run: Run, tuple: Tuple, assignments: readonly Assignment[]): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const { name, expr } of assignments) input[name] = expr.evaluate(tuple, run);
  run.hold(Object.values(input));
  return input;
}
