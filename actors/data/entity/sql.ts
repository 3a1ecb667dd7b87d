/** The PostgreSQL statement that a query value or a write means; `stats.sql` shows it. Literals are quoted, never executed here. */
import { DELETED_AT } from './codec.ts';
import type { Column, EntityModel } from './model.ts';
import { descends } from './query.ts';
import type { OrderTerm, Query } from './query.ts';

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const TEXTS: ReadonlySet<string> = new Set(['string', 'text', 'enum']);

export function literal(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `'${text.replaceAll("'", "''")}'`;
}

export function selectSql(model: EntityModel, query: Query): string {
  const columns = query.select ?? model.columns.map((column) => column.name);
  const conditions = query.where.map(({ field, value }) => `${quoted(field)} = ${literal(value)}`);
  if (model.softDelete && !query.deleted) conditions.push('"deleted_at" IS NULL');
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  const limit = Number.isFinite(query.limit) ? ` LIMIT ${query.limit}` : '';
  const offset = query.offset === 0 ? '' : ` OFFSET ${query.offset}`;
  return `SELECT ${columns.map(quoted).join(', ')} FROM ${quoted(model.name)}${where}${orderBy(model, query)}${limit}${offset}`;
}

function orderBy(model: EntityModel, { order }: Query): string {
  const key = model.key.name;
  const terms: readonly OrderTerm[] = order.some((term) => term.field === key)
    ? order
    : [...order, { kind: 'order', field: key, descending: descends(order) }];
  return ` ORDER BY ${terms.map((term) => orderTerm(model.column(term.field)!, term.descending)).join(', ')}`;
}

/** Nulls come first in ours and last in PostgreSQL's ascending order; texts go by code point. */
function orderTerm(column: Column, descending: boolean): string {
  const collation = TEXTS.has(column.type) ? ' COLLATE "C"' : '';
  const direction = descending ? ' DESC' : '';
  const nulls = column.nullable ? (descending ? ' NULLS LAST' : ' NULLS FIRST') : '';
  return `${quoted(column.name)}${collation}${direction}${nulls}`;
}

type Values = readonly unknown[];

/** INSERT of a row as it was stored. */
export function insertSql(model: EntityModel, after: Values): string {
  const names = model.columns.map((column) => quoted(column.name)).join(', ');
  const values = model.columns.map((column) => literal(after[column.at])).join(', ');
  return `INSERT INTO ${quoted(model.name)} (${names}) VALUES (${values}) RETURNING *`;
}

/** UPDATE of what differs between two states of a row; a soft delete is one too. */
export function updateSql(model: EntityModel, before: Values, after: Values): string {
  const changes = model.columns
    .filter((column) => before[column.at] !== after[column.at])
    .map((column) => `${quoted(column.name)} = ${literal(after[column.at])}`);
  if (changes.length === 0) return `SELECT * FROM ${quoted(model.name)} WHERE ${keyIs(model, after)}`;
  const live = model.softDelete && before[DELETED_AT] === null ? ' AND "deleted_at" IS NULL' : '';
  return `UPDATE ${quoted(model.name)} SET ${changes.join(', ')} WHERE ${keyIs(model, after)}${live} RETURNING *`;
}

export function deleteSql(model: EntityModel, before: Values): string {
  return `DELETE FROM ${quoted(model.name)} WHERE ${keyIs(model, before)} RETURNING *`;
}

function keyIs(model: EntityModel, slots: Values): string {
  return `${quoted(model.key.name)} = ${literal(slots[model.key.at])}`;
}
