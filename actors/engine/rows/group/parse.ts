/** `groupby`, the aggregates that `select` names beside it, and `having` (docs/contract/data.md §5.6). */
import { limits } from '#config/limits.ts';
import { shown } from '#actors/kit/shown.ts';
import { failure, isFailure } from '../failure.ts';
import type { Failure } from '../failure.ts';
import type { Column, EntityModel } from '../model.ts';
import { compareOf } from '../order.ts';
import { operandOf, predicateOfText } from '../predicate.ts';
import type { Aggregate, Grouping, OrderTerm, Predicate } from '../query.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';

const AGGREGATE = /^(sum|min|max|avg)\(([^()]*)\)$/;
const COUNT: Aggregate = { kind: 'aggregate', name: 'count', of: 'count', field: null };

/** A grouping as the query string writes it. */
export interface GroupText {
  readonly by: readonly string[];
  readonly select: readonly string[];
  readonly having: readonly (readonly [key: string, value: string | null])[];
  readonly order: readonly { readonly field: string; readonly descending: boolean }[];
}

/** The grouping, or a 422 that names the name that does not fit. `count` is always among its aggregates. */
export function parseGrouping(model: EntityModel, text: GroupText): Grouping | Failure {
  for (const name of text.by) {
    const column = model.column(name);
    if (column === undefined) return unknownColumn(model, name);
    if (column.compare === null) return failure(422, `a ${column.type} cannot be grouped by`, { parameter: 'groupby' });
  }
  const aggregates = parseAggregates(model, text);
  if (isFailure(aggregates)) return aggregates;
  const shown = groupColumns(model, text.by, aggregates);
  const having = parseHaving(model, shown, text.having);
  if (isFailure(having)) return having;
  const order: OrderTerm[] = [];
  for (const { field, descending } of text.order) {
    if (!shown.has(field)) return unknownColumn(model, field);
    order.push({ kind: 'order', field, descending });
  }
  return { kind: 'grouping', by: text.by, aggregates, having, order };
}

function parseAggregates(model: EntityModel, { by, select }: GroupText): Aggregate[] | Failure {
  const aggregates: Aggregate[] = [COUNT];
  for (const name of select) {
    if (by.includes(name) || aggregates.some((known) => known.name === name)) continue;
    const match = AGGREGATE.exec(name);
    if (match === null)
      return failure(422, `${shown(name)} is neither grouped by nor count, sum(…), min(…), max(…) or avg(…)`, {
        parameter: 'select',
      });
    const of = match[1] as Aggregate['of'];
    const column = model.column(match[2]!);
    if (column === undefined) return unknownColumn(model, match[2]!);
    const isFit = of === 'min' || of === 'max' ? column.compare !== null : FIELD_TYPES[column.type].zero !== null;
    if (!isFit) return failure(422, `a ${column.type} has no ${of}`, { parameter: 'select' });
    aggregates.push({ kind: 'aggregate', name, of, field: column.name });
  }
  return aggregates;
}

/** The columns of a group by their names; `at` is the place among the group's own values. */
export function groupColumns(
  model: EntityModel,
  by: readonly string[],
  aggregates: readonly Aggregate[],
): ReadonlyMap<string, Column> {
  const columns = [...by.map((name) => model.column(name)!), ...aggregates.map((one) => aggregateColumn(model, one))];
  return new Map(columns.map((column, at) => [column.name, { ...column, at }]));
}

function aggregateColumn(model: EntityModel, { name, of, field }: Aggregate): Column {
  const source = field === null ? undefined : model.column(field);
  const type = source === undefined ? 'integer' : of === 'avg' ? 'number' : source.type;
  const nullable = of !== 'count';
  const mask = source?.mask ?? null;
  return {
    name,
    shownType: type,
    type,
    at: 0,
    required: true,
    nullable,
    defaulted: false,
    compare: compareOf(type),
    marker: true,
    mask,
    allowed: null,
  };
}

function parseHaving(
  model: EntityModel,
  columns: ReadonlyMap<string, Column>,
  pairs: GroupText['having'],
): Predicate[] | Failure {
  const most = limits.data.filterPredicatesMax;
  if (pairs.length > most) return failure(422, `at most ${most} predicates`, { parameter: 'having' });
  const having: Predicate[] = [];
  for (const [key, text] of pairs) {
    if (text === null) return failure(422, `having ${shown(key)} must be written key=value`, { parameter: 'having' });
    const operand = operandOf(key);
    if (isFailure(operand)) return operand;
    const column = columns.get(operand.field);
    if (column === undefined) return unknownColumn(model, operand.field);
    const predicate = predicateOfText(column, operand.op, text);
    if (isFailure(predicate)) return predicate;
    having.push(predicate);
  }
  return having;
}

function unknownColumn(model: EntityModel, name: string): Failure {
  return failure(422, `groups of ${model.name} have no ${shown(name)}`, {
    fields: { [shown(name)]: ['is not a field'] },
  });
}
