/** `groupby`, `[bucket]`, the aggregates that `select` and `[aggregate]` name, and `having` (docs/contract/data.md §5.6, §5.6.1). */
import { limits } from '#config/limits.ts';
import { shown } from '#actors/kit/shown.ts';
import { zoneOf } from '#actors/kit/zone.ts';
import { failure, isFailure, type Failure } from '../failure.ts';
import type { Column, EntityModel } from '../model.ts';
import { unknownField } from '../unknown-field.ts';
import { compareOf } from '../order.ts';
import { pathKeyOf } from '../path/parse.ts';
import { operandOf, predicateOfText, type Operand } from '../predicate.ts';
import type { Aggregate, FarColumn, GroupKey, Grouping, OrderTerm, Predicate } from '../query.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';
import { unbracketed, type FarColumns } from '../path/columns.ts';
import { BUCKET_UNITS } from './bucket.ts';

const AGGREGATE = /^(count|count_distinct|sum|min|max|avg)\(([^()]*)\)$/;
const BUCKET = /^([a-z]+)\(([^()]*)\)$/;
const UTC = 'UTC';
const COUNT: Aggregate = { kind: 'aggregate', name: 'count', of: 'count', field: null };

/** A grouping as the query string writes it. */
export interface GroupText {
  readonly by: readonly string[];
  readonly buckets: readonly string[];
  readonly zone: string | undefined;
  readonly select: readonly string[];
  readonly having: readonly (readonly [key: string, value: string | null])[];
  readonly order: readonly { readonly field: string; readonly descending: boolean }[];
  /** The columns of other rows that `[path]` may name. */
  readonly far: FarColumns;
}

/** The grouping, or a 422 that names the name that does not fit. `count` is always among its aggregates. */
export function parseGrouping(model: EntityModel, text: GroupText): Grouping | Failure {
  const by = parseKeys(model, text);
  if (isFailure(by)) return by;
  const aggregates = parseAggregates(model, by, text);
  if (isFailure(aggregates)) return aggregates;
  const shown = groupColumns(model, by, aggregates);
  const having = parseHaving(model, shown, text.having);
  if (isFailure(having)) return having;
  const order: OrderTerm[] = [];
  for (const { field: written, descending } of text.order) {
    const field = unbracketed(written);
    if (!shown.has(field)) return unknownColumn(model, field);
    order.push({ kind: 'order', field, descending });
  }
  return { kind: 'grouping', by, aggregates, having, order };
}

function parseKeys(model: EntityModel, { by, buckets, zone, far }: GroupText): GroupKey[] | Failure {
  if (zone !== undefined && buckets.length === 0)
    return failure(422, '[zone] needs a [bucket]', { parameter: '[zone]' });
  if (zone !== undefined && zoneOf(zone) === undefined)
    return failure(422, `${shown(zone)} is no time zone: write its IANA name, such as Europe/Vienna`, {
      parameter: '[zone]',
    });
  const keys: GroupKey[] = [];
  for (const name of by) {
    const field = fieldOf(model, name, far);
    if (isFailure(field)) return field;
    const { type, compare } = field.column ?? model.column(name)!;
    if (compare === null) return failure(422, `a ${type} cannot be grouped by`, { parameter: 'groupby' });
    if (!keys.some((key) => key.name === field.field)) keys.push({ name: field.field, bucket: null, ...field });
  }
  for (const name of buckets) {
    const key = parseBucket(model, name, zone ?? UTC, far);
    if (isFailure(key)) return key;
    keys.push(key);
  }
  return keys;
}

interface Field {
  readonly field: string;
  readonly column?: FarColumn;
}

/** A field of the row, or `[path]` to one of another row. */
function fieldOf(model: EntityModel, name: string, far: FarColumns): Field | Failure {
  const column = far.named(name, true);
  if (column === undefined) return model.column(name) === undefined ? unknownColumn(model, name) : { field: name };
  return isFailure(column) ? column : { field: column.name, column };
}

function parseBucket(model: EntityModel, name: string, zone: string, far: FarColumns): GroupKey | Failure {
  const [, word, written = ''] = BUCKET.exec(name) ?? [];
  const unit = BUCKET_UNITS.find((one) => one === word);
  if (unit === undefined)
    return failure(
      422,
      `bucket ${shown(name)} must be ${BUCKET_UNITS.join(', ')} of a field: ${BUCKET_UNITS[3]}(field)`,
      {
        parameter: '[bucket]',
      },
    );
  const field = fieldOf(model, written, far);
  if (isFailure(field)) return field;
  const { type } = field.column ?? model.column(written)!;
  const { resolution } = FIELD_TYPES[type];
  if (resolution === null || (resolution === 'day' && unit === 'hour'))
    return failure(422, `a ${type} has no ${unit}`, { parameter: '[bucket]' });
  return { name: `${unit}(${field.field})`, bucket: { unit, zone }, ...field };
}

function parseAggregates(
  model: EntityModel,
  by: readonly GroupKey[],
  { select, far }: GroupText,
): Aggregate[] | Failure {
  const aggregates: Aggregate[] = [COUNT];
  for (const written of select) {
    const name = unbracketed(written);
    if (by.some((key) => key.name === name) || aggregates.some((known) => known.name === name)) continue;
    const match = AGGREGATE.exec(written);
    if (match === null)
      return failure(
        422,
        `${shown(written)} is neither grouped by nor count, count(…), count_distinct(…), sum(…), min(…), max(…) or avg(…)`,
        {
          parameter: 'select',
        },
      );
    const of = match[1] as Aggregate['of'];
    const field = fieldOf(model, match[2]!, far);
    if (isFailure(field)) return field;
    const column = field.column ?? model.column(field.field)!;
    if (!isFit(column, of)) return failure(422, `a ${column.type} has no ${of}`, { parameter: 'select' });
    aggregates.push({ kind: 'aggregate', name, of, ...field });
  }
  return aggregates;
}

function isFit({ type, compare }: Column, of: Aggregate['of']): boolean {
  if (of === 'count') return true;
  return of === 'sum' || of === 'avg' ? FIELD_TYPES[type].zero !== null : compare !== null;
}

/** The columns of a group by their names; `at` is the place among the group's own values. */
export function groupColumns(
  model: EntityModel,
  by: readonly GroupKey[],
  aggregates: readonly Aggregate[],
): ReadonlyMap<string, Column> {
  const columns = [...by.map((key) => keyColumn(model, key)), ...aggregates.map((one) => aggregateColumn(model, one))];
  return new Map(columns.map((column, at) => [column.name, { ...column, at }]));
}

/** Days are dates, hours are instants. */
function keyColumn(model: EntityModel, { name, field, bucket, column: far }: GroupKey): Column {
  const column = far ?? model.column(field)!;
  if (bucket === null) return column;
  const type = bucket.unit === 'hour' ? 'datetime' : 'date';
  return { ...column, name, type, shownType: type, compare: compareOf(type) };
}

function aggregateColumn(model: EntityModel, { name, of, field, column }: Aggregate): Column {
  const source = field === null ? undefined : (column ?? model.column(field));
  const counts = of === 'count' || of === 'count_distinct';
  const type = source === undefined || counts ? 'integer' : of === 'avg' ? 'number' : source.type;
  const nullable = !counts;
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
    const operand = havingOf(key);
    if (isFailure(operand)) return operand;
    const column = columns.get(operand.field);
    if (column === undefined) return unknownColumn(model, operand.field);
    const predicate = predicateOfText(column, operand.op, text);
    if (isFailure(predicate)) return predicate;
    having.push(predicate);
  }
  return having;
}

/** `name[op]`, and `[path][op]` of a value of another row. */
function havingOf(key: string): Operand | Failure {
  const path = pathKeyOf(key);
  return path === undefined
    ? operandOf(key)
    : operandOf(path.op === undefined ? path.path : `${path.path}[${path.op}]`);
}

function unknownColumn(model: EntityModel, name: string): Failure {
  if (model.computed.has(name)) return unknownField(model, name);
  return failure(422, `groups of ${model.name} have no ${shown(name)}`, {
    fields: { [shown(name)]: ['is not a field'] },
  });
}
