/** ORDER BY with LIMIT over a table: where the engine gives that order, only so many rows are kept. */
import { limits } from '#config/limits.ts';
import type { EntityModel } from '../../rows/model.ts';
import type { OrderTerm, Predicate } from '../../rows/query.ts';
import type { Run, Steps, Tuple } from '../run.ts';
import { modelOf, scan, type Narrowing, type Source } from './scan.ts';
import type { OrderItem } from './sort.ts';

/** The first `count` rows of a source whose conditions the planner takes; null where it cannot give that order. */
export function* firstRows(
  run: Run,
  source: Source,
  width: number,
  order: readonly OrderItem[],
  count: number,
): Steps<Tuple[] | null> {
  if (count > limits.sql.rowsKeptMax) return null;
  if (order.length === 0) return yield* scan(run, source, width, { limit: count });
  const model = modelOf(run, source.relation.table!.name);
  const terms = order.map((item) => termOf(model, item));
  if (terms.includes(null)) return null;
  const known = terms as Term[];
  const [first, ...rest] = known;
  if (!rest.every((term) => term.isExact)) return null;
  const orders = known.map(({ term }) => term);
  if (first!.isExact) return yield* scan(run, source, width, { order: orders, limit: count });
  return yield* inTwoParts(run, source, width, orders, count);
}

interface Term {
  readonly term: OrderTerm;
  /** Whether nulls come where the engine puts them: first in ascending, last in descending order. */
  readonly isExact: boolean;
}

function termOf(model: EntityModel, { expr, descending, nullsFirst }: OrderItem): Term | null {
  const name = expr?.column?.name;
  const column = name === undefined ? undefined : model.column(name);
  if (column === undefined || column.compare === null || column.mask !== null) return null;
  const isExact = name === model.key.name || nullsFirst === !descending;
  return { term: { kind: 'order', field: column.name, descending }, isExact };
}

/** For an order that puts nulls of the first term at the other end than the engine: rows with a null there are found separately. */
function* inTwoParts(
  run: Run,
  source: Source,
  width: number,
  order: readonly OrderTerm[],
  count: number,
): Steps<Tuple[]> {
  const { field, descending } = order[0]!;
  const part = (isNull: boolean, limit: number): Narrowing => {
    const further: Predicate[] = [{ kind: 'predicate', field, op: 'null', value: isNull }];
    return { further, order: isNull ? order.slice(1) : order, limit };
  };
  const before = yield* scan(run, source, width, part(descending, count));
  if (before.length >= count) return before;
  const after = yield* scan(run, source, width, part(!descending, count - before.length));
  return [...before, ...after];
}
