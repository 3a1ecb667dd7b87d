/** A query value or a write as a PostgreSQL statement, which `stats.sql` shows. It is never executed; literals are quoted. */
import type { Input } from '#actors/kit/field-check.ts';
import { DELETED_AT, type Slots } from './codec.ts';
import { columnOf, termsOf } from './filter.ts';
import { groupColumns } from './group/parse.ts';
import type { Related } from './include/load.ts';
import type { Column, EntityModel, Link, Reference } from './model.ts';
import { shownColumns, type ShownColumn } from './path/select.ts';
import { isBackward, reversed } from './query.ts';
import type { Aggregate, Alternatives, Conjunction, FarRows, FarValue, GroupKey } from './query.ts';
import type { Grouping, OrderTerm, Predicate, Query, TextQuery } from './query.ts';
import { isComputed } from './with-computed.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export function literal(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `'${text.replaceAll("'", "''")}'`;
}

export function selectSql(model: EntityModel, query: Query): string {
  const columns = query.select === null ? model.columns : shownColumns(model, query.select);
  const turned = isBackward(query) ? reversed(query, model.key.name) : query;
  const conditions = [...conditionsSql(model, query), ...placeSql(model, turned)];
  const order = query.text === null || query.order.length > 0 ? orderBy(model, turned) : rankSql(query.text);
  return `SELECT ${namesSql(columns)} FROM ${fromSql(model, query)}${whereSql(conditions)}${order}${pageSql(query)}`;
}

/** The rows, with the values of other rows that the query orders or groups by as columns of theirs. */
function fromSql(model: EntityModel, { far, deleted }: Query): string {
  const name = quoted(model.name);
  if (far.length === 0) return name;
  const columns = far.map((column) => `, ${valueSql(column.far, deleted, model.name)} AS ${quoted(column.name)}`);
  return `(SELECT ${name}.*${columns.join('')} FROM ${name}) AS ${name}`;
}

function shownSql({ name, inside }: ShownColumn): string {
  return inside === undefined
    ? quoted(name)
    : `${quoted(name.split('/', 1)[0]!)} #> ${pathSql(inside)} AS ${quoted(name)}`;
}

const vectorSql = ({ fields }: TextQuery): string =>
  `to_tsvector(${fields.map((field) => `coalesce(${quoted(field)}, '')`).join(` || ' ' || `)})`;
const wordsSql = ({ text }: TextQuery): string => `websearch_to_tsquery(${literal(text)})`;

const rankSql = (text: TextQuery): string => ` ORDER BY ts_rank(${vectorSql(text)}, ${wordsSql(text)}) DESC`;

/** The statement of groups. HAVING repeats the expressions, since PostgreSQL does not know the names of the select list there. */
export function groupSql(model: EntityModel, query: Query, { by, aggregates, having, order }: Grouping): string {
  const columns = groupColumns(model, by, aggregates);
  const expression = (name: string): string => {
    const aggregate = aggregates.find((one) => one.name === name);
    return aggregate === undefined
      ? keySql(
          model,
          by.find((key) => key.name === name)!,
        )
      : aggregateSql(aggregate);
  };
  const shown = [...by, ...aggregates].map(({ name }) =>
    expression(name) === quoted(name) ? quoted(name) : `${expression(name)} AS ${quoted(name)}`,
  );
  const tests = having.map((one) => predicateSql(one, columns.get(one.field)!, expression(one.field)));
  const terms: readonly OrderTerm[] = [
    ...order,
    ...by.map(({ name }) => ({ kind: 'order' as const, field: name, descending: false })),
  ];
  const sorted = terms.map(({ field, descending }) => orderTerm(columns.get(field)!, descending, expression(field)));
  const clause = (words: string, parts: readonly string[], between = ', ') =>
    parts.length === 0 ? '' : ` ${words} ${parts.join(between)}`;
  const keys = by.map((key) => keySql(model, key));
  const grouped = `${clause('GROUP BY', keys)}${clause('HAVING', tests, ' AND ')}${clause('ORDER BY', sorted)}`;
  const from = `FROM ${fromSql(model, query)}${whereSql(conditionsSql(model, query))}`;
  return `SELECT ${shown.join(', ')} ${from}${grouped}${pageSql(query)}`;
}

function aggregateSql({ of, field }: Aggregate): string {
  if (field === null) return 'count(*)';
  return of === 'count_distinct' ? `count(DISTINCT ${quoted(field)})` : `${of}(${quoted(field)})`;
}

function keySql(model: EntityModel, key: GroupKey): string {
  const { field, bucket } = key;
  if (bucket === null) return quoted(field);
  const { unit, zone } = bucket;
  if (unit === 'hour') return `date_trunc('hour', ${quoted(field)}, ${literal(zone)})`;
  const { resolution } = FIELD_TYPES[columnOf(model, key).type];
  const local = resolution === 'day' ? quoted(field) : `${quoted(field)} AT TIME ZONE ${literal(zone)}`;
  return `date_trunc('${unit}', ${local})::date`;
}

/** The statements of a relation and of the relations nested in it: one each, for any number of rows. */
export function includeSql({ include, model, rows, related }: Related, deleted: boolean): string[] {
  const { reference, many, link } = include;
  const column = link !== undefined ? pairColumn(link) : many ? reference.column.name : model.key.name;
  const list = [...rows.keys()].map(literal).join(', ');
  const live = model.softDelete && !deleted ? ' AND "deleted_at" IS NULL' : '';
  const where = rows.size === 0 ? 'FALSE' : `${quoted(column)} IN (${list})`;
  const found = `FROM ${link === undefined ? quoted(model.name) : pairedSql(link)} WHERE ${where}${live}`;
  const own =
    include.asked === null
      ? `SELECT ${namesSql(model.columns)} ${found}`
      : chosenSql(model, include.asked, found, column, deleted);
  return [own, ...related.flatMap((nested) => includeSql(nested, deleted))];
}

/** The rows on the other side of a link, each with the key of the row that it is linked with, under a name that no field can have. */
function pairedSql(link: Link): string {
  const { from: pairs, column: by } = link.by;
  const { to, column } = link.over;
  const key = `${quoted(pairs.name)}.${quoted(by.name)} AS ${quoted(pairColumn(link))}`;
  const on = `${quoted(to.name)}.${quoted(to.key.name)} = ${quoted(pairs.name)}.${quoted(column.name)}`;
  const joined = `${quoted(pairs.name)} JOIN ${quoted(to.name)} ON ${on}`;
  return `(SELECT ${quoted(to.name)}.*, ${key} FROM ${joined}) AS ${quoted(to.name)}`;
}

const pairColumn = ({ by }: Link): string => `${by.from.name}.${by.column.name}`;

/** Computed fields are no part of a statement. */
const namesSql = (columns: readonly ShownColumn[]): string =>
  columns
    .filter((column) => !isComputed(column))
    .map(shownSql)
    .join(', ') || 'NULL';

/** The rows of an include with options: of each row that they belong to, the first ones of the order. */
function chosenSql(model: EntityModel, asked: Query, found: string, by: string, deleted: boolean): string {
  const columns = asked.select === null ? model.columns : shownColumns(model, asked.select);
  const conditions = conjunctionSql(model, asked, deleted).map((one) => ` AND ${one}`);
  const order = orderBy(model, asked);
  const all = `${found}${conditions.join('')}`;
  if (!Number.isFinite(asked.limit)) return `SELECT ${namesSql(columns)} ${all}${order}`;
  const place = `row_number() OVER (PARTITION BY ${quoted(by)}${order}) AS "place"`;
  const ranked = `(SELECT *, ${place} ${all}) AS ${quoted(model.name)}`;
  return `SELECT ${namesSql(columns)} FROM ${ranked} WHERE "place" <= ${asked.limit}${order}`;
}

const whereSql = (conditions: readonly string[]): string =>
  conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;

function pageSql({ limit, offset }: Query): string {
  return `${Number.isFinite(limit) ? ` LIMIT ${limit}` : ''}${offset === 0 ? '' : ` OFFSET ${offset}`}`;
}

function conditionsSql(model: EntityModel, query: Query): string[] {
  const conditions = conjunctionSql(model, query, query.deleted);
  if (query.text !== null) conditions.push(`${vectorSql(query.text)} @@ ${wordsSql(query.text)}`);
  if (query.version !== null) conditions.push(`"version" = ${query.version}`);
  if (model.softDelete && !query.deleted) conditions.push('"deleted_at" IS NULL');
  return conditions;
}

interface Table {
  readonly model: EntityModel;
  /** Null where it is the table of the statement. */
  readonly name: string | null;
}

/** `name`: of the table that the conditions are of, unless it is that of the statement. */
function conjunctionSql(
  model: EntityModel,
  { where, any }: Conjunction,
  deleted: boolean,
  name: string | null = null,
): string[] {
  const plain = where.map((one) =>
    one.at === undefined
      ? predicateSql(
          one,
          model.column(one.field)!,
          name === null ? quoted(one.field) : `"${name}".${quoted(one.field)}`,
        )
      : farSql(one, one.at, deleted, { model, name }),
  );
  return [...plain, ...any.map((alternatives) => alternativesSql(model, alternatives, deleted, name))];
}

/** A predicate of a value that the row leads to: the value of one row, or null, as a subquery gives it. */
function farSql(predicate: Predicate, at: FarValue, deleted: boolean, { model, name }: Table): string {
  const table = name ?? model.name;
  if (at.rows !== undefined) return rowsSql(predicate, at, at.rows, deleted, table);
  const own = name === null ? quoted(at.column.name) : `"${name}".${quoted(at.column.name)}`;
  const left = at.hops.length === 0 ? own : valueSql(at, deleted, table);
  return at.inside.length === 0
    ? predicateSql(predicate, at.column, left)
    : partSql(predicate, partOfSql(left, at.inside));
}

function valueSql({ hops, column }: FarValue, deleted: boolean, name: string): string {
  const { from, on, last } = joinSql(hops, deleted, name, 'r');
  return `(SELECT ${last}.${quoted(column.name)} FROM ${from} WHERE ${on})`;
}

interface Joined {
  readonly from: string;
  readonly on: string;
  /** The name of the last table. */
  readonly last: string;
}

function joinSql(hops: readonly Reference[], deleted: boolean, name: string, letter: string): Joined {
  const rows = hops.map(({ to, column: by }, i) => {
    const own = `"${letter}${i + 1}"`;
    const from = i === 0 ? `${quoted(name)}.${quoted(by.name)}` : `"${letter}${i}".${quoted(by.name)}`;
    return {
      table: `${quoted(to.name)} ${own}`,
      on: `${own}.${quoted(to.key.name)} = ${from}${liveSql(to, deleted, own)}`,
    };
  });
  const [first, ...more] = rows;
  const joins = more.map(({ table, on }) => ` JOIN ${table} ON ${on}`).join('');
  return { from: first!.table + joins, on: first!.on, last: `"${letter}${hops.length}"` };
}

const liveSql = ({ softDelete }: EntityModel, deleted: boolean, name: string): string =>
  softDelete && !deleted ? ` AND ${name}."deleted_at" IS NULL` : '';

/** Whether rows that refer to one meet conditions, in a subquery. Each level of them has a name of its own. */
function rowsSql({ op, value }: Predicate, at: FarValue, rows: FarRows, deleted: boolean, name: string): string {
  const { by, over, of, every } = rows;
  const depth = /^many(\d+)$/.exec(name)?.[1] ?? '0';
  const own = `many${Number(depth) + 1}`;
  const joined = at.hops.length === 0 ? null : joinSql(at.hops, deleted, name, `${own}_`);
  const to = `${joined === null ? quoted(name) : joined.last}.${quoted(at.column.name)}`;
  const { table, pairs } =
    over === undefined ? { table: `${quoted(by.from.name)} "${own}"`, pairs: own } : linkedSql(by, over, deleted, own);
  const refers = `"${pairs}".${quoted(by.column.name)} = ${to}${liveSql(by.from, deleted, `"${pairs}"`)}`;
  const from =
    joined === null ? `${table} WHERE ${refers}` : `${joined.from} JOIN ${table} ON ${refers} WHERE ${joined.on}`;
  const all = conjunctionSql(over?.to ?? by.from, of, deleted, own).join(' AND ') || 'TRUE';
  const isSome = ((op === 'eq') === (value === true)) !== every;
  return `${isSome ? '' : 'NOT '}EXISTS (SELECT 1 FROM ${from} AND (${all})${every ? ' IS NOT TRUE' : ''})`;
}

/** The rows on the other side of the pairs of a link, under a name, with the pairs under another. */
function linkedSql(
  { from }: Reference,
  { to, column }: Reference,
  deleted: boolean,
  own: string,
): Record<'table' | 'pairs', string> {
  const pairs = `${own}_pair`;
  const on = `"${own}".${quoted(to.key.name)} = "${pairs}".${quoted(column.name)}${liveSql(to, deleted, `"${own}"`)}`;
  return { table: `(${quoted(from.name)} "${pairs}" JOIN ${quoted(to.name)} "${own}" ON ${on})`, pairs };
}

function partOfSql(left: string, inside: readonly string[]): string {
  return `NULLIF(${left} #> ${pathSql(inside)}, 'null'::jsonb)`;
}

function pathSql(inside: readonly string[]): string {
  const path = inside.map((name) => `"${name.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`).join(',');
  return literal(`{${path}}`);
}

/** A predicate of a part of a json value: parts of another kind than the operand are not equal to it, and have no order with it. */
function partSql({ op, value }: Predicate, part: string): string {
  const list = Array.isArray(value) ? (value as readonly unknown[]) : [value];
  if (op === 'null') return `${part} IS ${value === true ? '' : 'NOT '}NULL`;
  const operands = list.map((one) => `${literal(JSON.stringify(one))}::jsonb`);
  if (op === 'eq' || op === 'ne') return `${part} ${COMPARISONS[op]!} ${operands[0]!}`;
  if (op === 'in' || op === 'nin') {
    if (list.length === 0) return op === 'in' ? 'FALSE' : `${part} IS NOT NULL`;
    return `${part} ${op === 'in' ? 'IN' : 'NOT IN'} (${operands.join(', ')})`;
  }
  const isText = typeof list[0] === 'string';
  const left = isText ? `(${part} #>> '{}') COLLATE "C"` : part;
  const right = isText ? list.map(literal) : operands;
  const sign = COMPARISONS[op] ?? LIKES[op];
  const test = sign === undefined ? `${left} BETWEEN ${right[0]!} AND ${right[1]!}` : `${left} ${sign} ${right[0]!}`;
  return `CASE jsonb_typeof(${part}) WHEN '${typeof list[0]}' THEN ${test} END`;
}

function alternativesSql(model: EntityModel, { of }: Alternatives, deleted: boolean, name: string | null): string {
  const branches = of.map((one) => conjunctionSql(model, one, deleted, name).join(' AND ') || 'TRUE');
  return branches.length === 0 ? 'FALSE' : `(${branches.map((one) => `(${one})`).join(' OR ')})`;
}

const COMPARISONS: Readonly<Partial<Record<Predicate['op'], string>>> = {
  eq: '=',
  ne: '<>',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
};

const LIKES: Readonly<Partial<Record<Predicate['op'], string>>> = {
  like: 'LIKE',
  ilike: 'ILIKE',
  nlike: 'NOT LIKE',
  nilike: 'NOT ILIKE',
};

function predicateSql({ op, value }: Predicate, column: Column, left: string): string {
  const collated = FIELD_TYPES[column.type].text !== null && op !== 'eq' && op !== 'ne' ? `${left} COLLATE "C"` : left;
  const sign = COMPARISONS[op];
  if (sign !== undefined) return `${collated} ${sign} ${literal(value)}`;
  if (op === 'null') return `${left} IS ${value === true ? '' : 'NOT '}NULL`;
  const likeness = LIKES[op];
  if (likeness !== undefined) return `${left} ${likeness} ${literal(value)}`;
  const list = (value as readonly unknown[]).map(literal);
  if (op === 'between') return `${collated} BETWEEN ${list[0]!} AND ${list[1]!}`;
  if (list.length === 0) return op === 'in' ? 'FALSE' : `${left} IS NOT NULL`;
  return `${left} ${op === 'in' ? 'IN' : 'NOT IN'} (${list.join(', ')})`;
}

/** Conditions for the rows between the cursors of a query. */
function placeSql(model: EntityModel, query: Query): string[] {
  const { after, before } = query;
  const out: string[] = [];
  if (after !== null) out.push(beyond(model, query.order, after, true));
  if (before !== null) out.push(beyond(model, query.order, before, false));
  return out;
}

/** The condition for rows beyond a place: for each term, equal in all terms before it and past the place in it. */
function beyond(model: EntityModel, order: readonly OrderTerm[], place: Slots, forward: boolean): string {
  const terms = termsOf(model, order).map((term) => ({ ...term, column: columnOf(model, term) }));
  const cases = terms.map(({ column, descending }, i) => {
    const equal = terms
      .slice(0, i)
      .map((term) => `${quoted(term.field)} IS NOT DISTINCT FROM ${literal(place[term.column.at])}`);
    return `(${[...equal, past(column, place[column.at], forward !== descending)].join(' AND ')})`;
  });
  return `(${cases.join(' OR ')})`;
}

/** Beyond a value: nulls come first in ascending order, and last in descending order. */
function past(column: Column, value: unknown, rises: boolean): string {
  const name = quoted(column.name);
  if (value === null) return rises ? `${name} IS NOT NULL` : 'FALSE';
  const collated = FIELD_TYPES[column.type].text !== null ? `${name} COLLATE "C"` : name;
  const nulls = rises || !column.nullable ? '' : ` OR ${name} IS NULL`;
  return `(${collated} ${rises ? '>' : '<'} ${literal(value)}${nulls})`;
}

function orderBy(model: EntityModel, { order }: Query): string {
  const terms = termsOf(model, order);
  return ` ORDER BY ${terms.map((term) => orderTerm(columnOf(model, term), term.descending, quoted(term.field))).join(', ')}`;
}

/** In ascending order nulls come first here and last in PostgreSQL; texts are ordered by code point. */
function orderTerm(column: Column, descending: boolean, expression: string): string {
  const collation = FIELD_TYPES[column.type].text !== null ? ' COLLATE "C"' : '';
  const direction = descending ? ' DESC' : '';
  const nulls = column.nullable ? (descending ? ' NULLS LAST' : ' NULLS FIRST') : '';
  return `${expression}${collation}${direction}${nulls}`;
}

type Values = readonly unknown[];

/** INSERT of a row as it was stored. */
export function insertSql(model: EntityModel, after: Values): string {
  const names = model.columns.map((column) => quoted(column.name)).join(', ');
  const values = model.columns.map((column) => literal(after[column.at])).join(', ');
  return `INSERT INTO ${quoted(model.name)} (${names}) VALUES (${values}) RETURNING *`;
}

/** UPDATE of the columns that differ between two states of a row; also for a soft delete. */
export function updateSql(model: EntityModel, before: Values, after: Values): string {
  const changes = model.columns
    .filter((column) => before[column.at] !== after[column.at])
    .map((column) => `${quoted(column.name)} = ${literal(after[column.at])}`);
  if (changes.length === 0) return `SELECT * FROM ${quoted(model.name)} WHERE ${keyIs(model, after)}`;
  const live = model.softDelete && before[DELETED_AT] === null ? ' AND "deleted_at" IS NULL' : '';
  return `UPDATE ${quoted(model.name)} SET ${changes.join(', ')} WHERE ${keyIs(model, after)}${live} RETURNING *`;
}

/** UPDATE or DELETE of all rows that a query finds: new values, or null for a delete. */
export function changeFoundSql(model: EntityModel, query: Query, input: Input | null, purge: boolean): string {
  const where = whereSql(conditionsSql(model, query));
  if (input === null && (purge || !model.softDelete)) return `DELETE FROM ${quoted(model.name)}${where}`;
  const set =
    input === null
      ? ['"deleted_at" = CURRENT_TIMESTAMP']
      : Object.entries(input).map(([name, value]) => `${quoted(name)} = ${literal(value)}`);
  return set.length === 0
    ? `SELECT count(*) FROM ${quoted(model.name)}${where}`
    : `UPDATE ${quoted(model.name)} SET ${set.join(', ')}${where}`;
}

export function deleteSql(model: EntityModel, before: Values): string {
  return `DELETE FROM ${quoted(model.name)} WHERE ${keyIs(model, before)} RETURNING *`;
}

function keyIs(model: EntityModel, slots: Values): string {
  return `${quoted(model.key.name)} = ${literal(slots[model.key.at])}`;
}
