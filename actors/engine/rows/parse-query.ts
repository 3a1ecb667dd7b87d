/** From parameters to a query value. A parameter that does not fit is refused by name with 422 (docs/contract/data.md §5.4). */
import { limits } from '#config/limits.ts';
import { shown } from '#actors/kit/shown.ts';
import type { Slots } from './codec.ts';
import { placeOf } from './cursor/cursor.ts';
import { allOf, NO_CONDITIONS } from './alternatives.ts';
import { checkDatastore, failure, isFailure, type Failure } from './failure.ts';
import { parseGrouping } from './group/parse.ts';
import { withOptions } from './include/options.ts';
import { parseDepth, parseInclude, withLinkIds } from './include/parse.ts';
import { linksRead } from './links/link.ts';
import { NO_LINKS, type EntityModel } from './model.ts';
import type { Parameters } from './parameters.ts';
import { namesOf, parseCount, parseOrder, parseSelect, parseTerms } from './parse-lists.ts';
import { conditionsOfText, groupOf, parseGroupText } from './parse-filter.ts';
import type { Asker } from './path/asker.ts';
import { FarColumns } from './path/columns.ts';
import { pathKeyOf } from './path/parse.ts';
import { farPredicate, givenText } from './path/predicate.ts';
import { operandOf, predicateOfText } from './predicate.ts';
import { countIn, query, type Conjunction, type Include, type OrderTerm, type Predicate, type Query } from './query.ts';
import { unknownField } from './unknown-field.ts';
import type { Session } from './session.ts';

const NO_INCLUDES: readonly Include[] = [];
const NO_CURSORS: Partial<Query> = {};

/**
 * The query of a list's parameters, with the conditions `more` AND-ed to theirs; or a 422 that names the parameter, field or
 * operator. Without a session cursors are refused; without an asker no path follows references.
 */
export function parseQuery(
  model: EntityModel,
  parameters: Parameters,
  session: Session | null = null,
  more: Conjunction = NO_CONDITIONS,
  asker: Asker | null = null,
): Query | Failure {
  const elsewhere = checkDatastore(parameters.first('datastore'));
  if (elsewhere !== null) return elsewhere;
  const conditions = parseConditions(model, parameters, more, asker);
  if (isFailure(conditions)) return conditions;
  const page = parsePage(parameters);
  if (isFailure(page)) return page;
  const version = parseVersion(model, parameters);
  if (isFailure(version)) return version;
  const counted = parameters.flag('stats', 'sendstats');
  const flags = { deleted: parameters.flag('deleted'), unmask: parameters.flag('unmask', 'untokenize'), counted };
  if (parameters.first('groupby', '[bucket]', '[aggregate]') !== undefined)
    return grouped(model, parameters, { ...conditions, ...page, ...flags }, asker);
  const zone = parameters.first('[zone]');
  if (zone !== undefined) return failure(422, '[zone] needs a [bucket]', { parameter: '[zone]' });
  if (parameters.having.length > 0) return failure(422, 'having requires groupby', { parameter: 'having' });
  const far = new FarColumns(model, asker);
  const order = parseOrder(model, parameters.first('orderby', 'order_by'), far);
  if (isFailure(order)) return order;
  const shown = parseShown(model, parameters, asker, session);
  if (isFailure(shown)) return shown;
  const places = parseCursors(session, model, order, parameters);
  if (isFailure(places)) return places;
  return query(model.name, {
    ...conditions,
    order,
    ...shown,
    ...page,
    ...flags,
    version,
    ...places,
    far: far.all,
  });
}

function grouped(
  model: EntityModel,
  parameters: Parameters,
  parts: Partial<Query>,
  asker: Asker | null,
): Query | Failure {
  const includes = parameters.first('include') !== undefined || parameters.included.length > 0;
  const misplaced = parameters.cursors ? 'a cursor' : includes ? 'include' : undefined;
  if (misplaced !== undefined) return failure(422, `${misplaced} does not go with groupby`, { parameter: 'groupby' });
  const listed = (...spellings: string[]) => [...new Set(namesOf(parameters.first(...spellings) ?? ''))];
  const terms = parseTerms(parameters.first('orderby', 'order_by'));
  if (isFailure(terms)) return terms;
  const far = new FarColumns(model, asker);
  const group = parseGrouping(model, {
    by: listed('groupby'),
    buckets: listed('[bucket]'),
    zone: parameters.first('[zone]'),
    select: [...listed('select', 'fields'), ...listed('[aggregate]')],
    having: parameters.having,
    order: terms,
    far,
  });
  return isFailure(group) ? group : query(model.name, { ...parts, group, far: far.all });
}

/** The columns and the relations that are shown. A link that is selected is shown as a list of ids, behind the columns. */
function parseShown(
  model: EntityModel,
  parameters: Parameters,
  asker: Asker | null,
  session: Session | null,
): Pick<Query, 'select' | 'include'> | Failure {
  const list = parameters.first('select', 'fields');
  const links = session === null || list === undefined ? NO_LINKS : linksRead(model, session);
  const others = links.size === 0 ? model.computed : new Set([...model.computed.keys(), ...links.keys()]);
  const select = parseSelect(model, list, others);
  if (isFailure(select)) return select;
  const include = parseIncludes(model, parameters, asker, session);
  if (isFailure(include)) return include;
  const linked = links.size === 0 || select === null ? [] : select.flatMap((name) => links.get(name) ?? []);
  if (linked.length === 0) return { select, include };
  const shown = withLinkIds(include, linked);
  return isFailure(shown) ? shown : { select: select!.filter((name) => !links.has(name)), include: shown };
}

function parseIncludes(
  model: EntityModel,
  parameters: Parameters,
  asker: Asker | null,
  session: Session | null,
): readonly Include[] | Failure {
  const depth = parseDepth(parameters.first('depth'));
  if (isFailure(depth)) return depth;
  const list = parameters.first('include');
  const see = session === null ? undefined : (other: EntityModel) => other.seenBy(session.principal);
  const includes = list === undefined ? NO_INCLUDES : parseInclude(model, namesOf(list), depth, see);
  const { included } = parameters;
  if (included.length === 0 || asker === null || isFailure(includes)) return includes;
  return withOptions(includes, included, asker);
}

/** Cursors are places in the query's own order, and do not go with an offset. */
function parseCursors(
  session: Session | null,
  model: EntityModel,
  order: readonly OrderTerm[],
  parameters: Parameters,
): Partial<Query> | Failure {
  if (!parameters.cursors) return NO_CURSORS;
  if (session === null) return failure(422, 'cursors are not available here', { parameter: 'after' });
  if (parameters.first('offset', 'page') !== undefined)
    return failure(422, 'after and before do not go with offset or page', { parameter: 'offset' });
  const placed = (parameter: 'after' | 'before'): Slots | null | Failure => {
    const cursor = parameters.first(parameter);
    return cursor === undefined ? null : placeOf(session, model, order, parameter, cursor);
  };
  const after = placed('after');
  if (isFailure(after)) return after;
  const before = placed('before');
  return isFailure(before) ? before : { after, before, peek: true };
}

function parseConditions(
  model: EntityModel,
  { predicates }: Parameters,
  more: Conjunction,
  asker: Asker | null,
): Conjunction | Failure {
  const most = limits.data.filterPredicatesMax;
  if (predicates.length > most) return failure(422, `at most ${most} predicates`, { predicates: predicates.length });
  const where: Predicate[] = [];
  const groups: Conjunction[] = [];
  for (const [field, text] of predicates) {
    const group = groupOf(field);
    const parsed =
      group === undefined ? parsePredicate(model, field, text, asker) : parseGroupText(model, group, text, asker);
    if (isFailure(parsed)) return parsed;
    if ('kind' in parsed) where.push(parsed);
    else groups.push(parsed);
  }
  const isPlain = groups.length === 0 && more === NO_CONDITIONS;
  const all = isPlain ? { where, any: NO_CONDITIONS.any } : allOf([{ where, any: [] }, ...groups, more]);
  const count = countIn(all);
  return count > most ? failure(422, `at most ${most} predicates`, { predicates: count }) : all;
}

function parsePredicate(
  model: EntityModel,
  key: string,
  text: string | null,
  asker: Asker | null,
): Predicate | Failure {
  if (text === null) return failure(422, `filter ${shown(key)} must be written key=value`, { parameter: 'filter' });
  const path = pathKeyOf(key);
  const conditions = conditionsOfText(key, text, asker);
  if (path !== undefined) return farPredicate(model, path, { ...givenText(text), conditions }, asker);
  const operand = operandOf(key);
  if (isFailure(operand)) return operand;
  const column = model.column(operand.field);
  return column === undefined ? unknownField(model, operand.field) : predicateOfText(column, operand.op, text);
}

/** `limit` wins over `pagesize`, `offset` over `page`; a page needs a limit. */
function parsePage(parameters: Parameters): { limit: number; offset: number; peek: boolean } | Failure {
  const given = parseCount('limit', parameters.first('limit', 'pagesize'));
  if (isFailure(given)) return given;
  const most = limits.data.listLimitMax;
  if (given !== null && given > most) return failure(422, `limit may be at most ${most}`, { parameter: 'limit', most });
  const limit = given ?? limits.data.listLimitDefault;
  const offset = parseCount('offset', parameters.first('offset'));
  if (isFailure(offset) || offset !== null) return isFailure(offset) ? offset : { limit, offset, peek: true };
  const page = parseCount('page', parameters.first('page'));
  if (isFailure(page) || page === null) return isFailure(page) ? page : { limit, offset: 0, peek: false };
  if (given === null) return failure(422, 'page requires a limit', { parameter: 'page' });
  if (page === 0) return failure(422, 'page begins at 1', { parameter: 'page' });
  return { limit, offset: (page - 1) * limit, peek: true };
}

/** The row version that is asked for. 422 for a text that is no version, and for an entity that keeps no old versions. */
function parseVersion(model: EntityModel, parameters: Parameters): number | null | Failure {
  const version = parseCount('version', parameters.first('version'));
  if (isFailure(version) || version === null) return version;
  if (!model.versioned) return failure(422, `${model.name} keeps no versions`, { parameter: 'version' });
  return version > 0 ? version : failure(422, 'version begins at 1', { parameter: 'version' });
}
