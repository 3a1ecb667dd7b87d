/**
 * Options of includes: `[comment_by_ticket][limit]=3` and its like (docs/contract/data.md §5.6.2). They choose among the rows that an include shows
 * with one row; what the caller may not read of their entity it may not choose by.
 */
import { limits } from '#config/limits.ts';
import { parseExactJson } from '#actors/kit/json.ts';
import { isJsonObject } from '#actors/kit/long-number.ts';
import { shown } from '#actors/kit/shown.ts';
import { NO_CONDITIONS } from '../alternatives.ts';
import { denied, failure, isFailure, type Failure } from '../failure.ts';
import type { EntityModel } from '../model.ts';
import type { IncludeOption, IncludeText } from '../parameters.ts';
import { parseFilter } from '../parse-filter.ts';
import { parseCount, parseOrder, parseSelect } from '../parse-lists.ts';
import { fieldsSeen, mayCompare, seenOf, type Asker } from '../path/asker.ts';
import { crossingFault } from '../path/bind.ts';
import { ownFieldsIn, query, type Conjunction, type Include, type Query } from '../query.ts';
import { shownOf } from './relation.ts';

type Options = ReadonlyMap<IncludeOption, string>;

/** The includes with their options. 422 for an option of a relation that is not included, and for one that does not fit; 403 as the include itself. */
export function withOptions(
  includes: readonly Include[],
  texts: readonly IncludeText[],
  asker: Asker,
): readonly Include[] | Failure {
  const byRelation = new Map<string, Map<IncludeOption, string>>();
  for (const { relation, option, text } of texts) {
    const options = byRelation.get(relation) ?? new Map<IncludeOption, string>();
    if (options.has(option)) return misfit(relation, option, 'may be there once');
    byRelation.set(relation, options.set(option, text));
  }
  const optioned = chosen(includes, '', byRelation, asker);
  const [left] = byRelation.keys();
  if (isFailure(optioned) || left === undefined) return optioned;
  const option = byRelation.get(left)!.keys().next().value!;
  return misfit(left, option, `needs ${shown(left)} among include`);
}

/** Takes the options that were found out of the map. */
function chosen(
  includes: readonly Include[],
  before: string,
  byRelation: Map<string, Options>,
  asker: Asker,
): readonly Include[] | Failure {
  const out: Include[] = [];
  for (const one of includes) {
    const path = before + one.relation;
    const options = byRelation.get(path);
    byRelation.delete(path);
    const asked = options === undefined ? null : parseOptions(one, path, options, asker);
    if (isFailure(asked)) return asked;
    const include = chosen(one.include, `${path}.`, byRelation, asker);
    if (isFailure(include)) return include;
    out.push({ ...one, include, asked });
  }
  return out;
}

function parseOptions(include: Include, path: string, options: Options, asker: Asker): Query | Failure {
  const { many } = include;
  const model = fieldsSeen(asker, shownOf(include));
  if (seenOf(asker, model) === 'none') return denied('read', model.name);
  const single = many ? undefined : [...options.keys()].find((option) => option === 'orderby' || option === 'limit');
  if (single !== undefined) return misfit(path, single, 'is of many rows, and the relation names one');
  const conditions = parseConditions(model, path, options.get('filter'), asker);
  if (isFailure(conditions)) return conditions;
  const order = parseOrder(model, options.get('orderby'));
  if (isFailure(order)) return order;
  const select = parseSelect(model, options.get('select'));
  if (isFailure(select)) return select;
  const limit = parseCount(`[${path}][limit]`, options.get('limit'));
  if (isFailure(limit)) return limit;
  const most = limits.data.includeRowsMax;
  if (limit !== null && limit > most) return misfit(path, 'limit', `may be at most ${most}`);
  const used = [...ownFieldsIn(conditions), ...order.map(({ field }) => field)];
  const masked = used.find((name) => !mayCompare(asker, model, model.column(name)!));
  if (masked !== undefined) return failure(403, `${masked} is masked: a query by it is not allowed`, { field: masked });
  return query(model.name, { ...conditions, order, select, ...(limit !== null && { limit }) });
}

function parseConditions(
  model: EntityModel,
  path: string,
  text: string | undefined,
  asker: Asker,
): Conjunction | Failure {
  if (text === undefined) return NO_CONDITIONS;
  const parsed = parseExactJson(text);
  if (!parsed.ok) return misfit(path, 'filter', `must be JSON: ${parsed.fault}`);
  if (!isJsonObject(parsed.value)) return misfit(path, 'filter', 'must be an object of conditions');
  const conditions = parseFilter(model, parsed.value, asker);
  return isFailure(conditions) ? conditions : (crossingFault(conditions) ?? conditions);
}

function misfit(relation: string, option: IncludeOption, message: string): Failure {
  const parameter = `[${shown(relation)}][${option}]`;
  return failure(422, `${parameter} ${message}`, { parameter });
}
