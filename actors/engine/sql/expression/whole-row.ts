/** The name of a relation as a value: its row as a JSON object, which only functions and aggregates that make JSON take. */
import type { Node } from 'libpg-query';
import type { Place } from '../context.ts';
import { textsOf } from '../node.ts';
import { jsonOf, measured } from '../value/json.ts';
import { combined, type Expr } from './expr.ts';

/** The expression of a node, or the row that a relation's name stands for. Masked columns of the row are masked. */
export function valueOrRow(place: Place, node: Node): Expr {
  const fields = 'ColumnRef' in node ? (node.ColumnRef.fields ?? []) : [];
  const names = textsOf(fields);
  const isStar = fields.length === 2 && 'A_Star' in fields[1]!;
  const [alias] = names;
  if (alias === undefined || names.length !== 1 || (fields.length !== 1 && !isStar)) return place.expr(node);
  const relation = place.level.relations.find((one) => one.alias === alias);
  if (relation === undefined || (!isStar && place.level.find(null, alias).length > 0)) return place.expr(node);
  const at = 'ColumnRef' in node ? (node.ColumnRef.location ?? 0) : 0;
  const parts = relation.columns.map(({ name }) => {
    const field = [alias, name].map((sval) => ({ String: { sval } }));
    return place.column({ fields: field, location: at }, true);
  });
  const made = parts.map(({ type }) => jsonOf(type));
  return combined('json', at, parts, (tuple, run) => {
    const values = parts.map((part) => part.evaluate(tuple, run));
    // The side of an outer join that has no row.
    if (values.every((value) => value === null)) return null;
    return measured(Object.fromEntries(values.map((value, i) => [relation.columns[i]!.name, made[i]!(value)])));
  });
}
