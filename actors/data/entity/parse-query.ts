/** From parameters to a query value. What does not fit is 422 and named (decisions.md "Data"). */
import { limits } from '#config/limits.ts';
import { FIELD_TYPES } from '#actors/kit/field-type.ts';
import { failure, isFailure } from './failure.ts';
import type { Failure } from './failure.ts';
import type { EntityModel } from './model.ts';
import { DEFAULT_DATASTORE } from './parameters.ts';
import type { Parameters } from './parameters.ts';
import { equals, query } from './query.ts';
import type { OrderTerm, Predicate, Query } from './query.ts';

const COUNT = /^\d{1,15}$/;

/** The query that a list's parameters mean, or a 422 that names the parameter, field or operator. */
export function parseQuery(model: EntityModel, parameters: Parameters): Query | Failure {
  const unavailable = parameters.unavailable();
  if (unavailable !== undefined) return failure(422, `${unavailable} is not available`, { parameter: unavailable });
  const datastore = parameters.first('datastore') ?? DEFAULT_DATASTORE;
  if (datastore !== DEFAULT_DATASTORE) return failure(422, `no datastore ${datastore}`, { datastore });
  const where = parsePredicates(model, parameters);
  if (isFailure(where)) return where;
  const order = parseOrder(model, parameters.first('orderby', 'order_by'));
  if (isFailure(order)) return order;
  const select = parseSelect(model, parameters.first('select', 'fields'));
  if (isFailure(select)) return select;
  const page = parsePage(parameters);
  if (isFailure(page)) return page;
  const counted = parameters.flag('stats', 'sendstats');
  return query(model.name, { where, order, select, ...page, deleted: parameters.flag('deleted'), counted });
}

/** The names of a comma-separated list, blanks around them dropped. */
function names(list: string): string[] {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function unknownField(model: EntityModel, name: string): Failure {
  return failure(422, `${model.name} has no field ${name}`, { fields: { [name]: ['is not a field'] } });
}

function parsePredicates(model: EntityModel, { predicates }: Parameters): Predicate[] | Failure {
  const most = limits.data.filterPredicatesMax;
  if (predicates.length > most) return failure(422, `at most ${most} predicates`, { predicates: predicates.length });
  const where: Predicate[] = [];
  for (const [field, text] of predicates) {
    const predicate = parsePredicate(model, field, text);
    if (isFailure(predicate)) return predicate;
    where.push(predicate);
  }
  return where;
}

function parsePredicate(model: EntityModel, field: string, text: string | null): Predicate | Failure {
  if (text === null) return failure(422, `filter ${field} must be written key=value`, { parameter: 'filter' });
  const column = model.column(field);
  if (column === undefined) return unknownField(model, field);
  const { ofText, expected } = FIELD_TYPES[column.type];
  const value = ofText === null ? undefined : ofText(text);
  if (value !== undefined) return equals(field, value);
  const reason = ofText === null ? `has no equality: it is ${expected}` : `must be ${expected}`;
  return failure(422, `${field} ${reason}`, { fields: { [field]: [reason] } });
}

/** `-field`, `field desc` and `field asc`; a field named twice counts once, and nothing counts after the key. */
function parseOrder(model: EntityModel, list: string | undefined): OrderTerm[] | Failure {
  const order: OrderTerm[] = [];
  for (const item of names(list ?? '')) {
    const descends = item.startsWith('-');
    const [field = '', direction, more] = (descends ? item.slice(1) : item).split(/ +/);
    const word = direction?.toLowerCase();
    if (more !== undefined || (word !== undefined && (descends || (word !== 'asc' && word !== 'desc'))))
      return failure(422, `orderby ${item} must be field, -field, field asc or field desc`, { parameter: 'orderby' });
    const column = model.column(field);
    if (column === undefined) return unknownField(model, field);
    if (column.compare === null)
      return failure(422, `a ${column.type} has no order`, { fields: { [field]: ['has no order'] } });
    if (order.some((term) => term.field === field)) continue;
    order.push({ kind: 'order', field, descending: descends || word === 'desc' });
    if (field === model.key.name) break;
  }
  return order;
}

function parseSelect(model: EntityModel, list: string | undefined): string[] | null | Failure {
  if (list === undefined) return null;
  const select = [...new Set(names(list))];
  const unknown = select.find((name) => model.column(name) === undefined);
  if (unknown !== undefined) return unknownField(model, unknown);
  return select.length === 0 ? null : select;
}

/** `limit` wins over `pagesize`, `offset` over `page`; a page needs a limit. */
function parsePage(parameters: Parameters): { limit: number; offset: number } | Failure {
  const given = parseCount('limit', parameters.first('limit', 'pagesize'));
  if (isFailure(given)) return given;
  const most = limits.data.listLimitMax;
  if (given !== null && given > most) return failure(422, `limit may be at most ${most}`, { parameter: 'limit', most });
  const limit = given ?? limits.data.listLimitDefault;
  const offset = parseCount('offset', parameters.first('offset'));
  if (isFailure(offset) || offset !== null) return isFailure(offset) ? offset : { limit, offset };
  const page = parseCount('page', parameters.first('page'));
  if (isFailure(page) || page === null) return isFailure(page) ? page : { limit, offset: 0 };
  if (given === null) return failure(422, 'page requires a limit', { parameter: 'page' });
  if (page === 0) return failure(422, 'page begins at 1', { parameter: 'page' });
  return { limit, offset: (page - 1) * limit };
}

function parseCount(parameter: string, text: string | undefined): number | null | Failure {
  if (text === undefined) return null;
  if (!COUNT.test(text)) return failure(422, `${parameter} must be a whole number`, { parameter });
  return Number(text);
}
