/** POST /data/rest/{entity}/search: a list whose filter stands in the body (docs/contract/data.md §5.10). */
import type { Call } from '#actors/host/call.ts';
import { isJsonObject } from '#actors/kit/long-number.ts';
import { shown } from '#actors/kit/shown.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { replyJson } from '#actors/protocol/route.ts';
import type { Outcome } from '#actors/protocol/route.ts';
import { isFailure, noEntity } from '#actors/engine/rows/failure.ts';
import type { Failure } from '#actors/engine/rows/failure.ts';
import { parseFilter } from '#actors/engine/rows/parse-filter.ts';
import type { Asker } from '#actors/engine/rows/path/asker.ts';
import { parseQuery } from '#actors/engine/rows/parse-query.ts';
import { refuse } from '../refusals.ts';
import type { Routes } from '../routes.ts';
import { failed } from './failed.ts';
import type { Shown } from './found.ts';
import { showRows } from './list.ts';
import { parametersOf, sessionOf } from './session.ts';

type Searched = Outcome<Routes['search']>;
type Filter = Readonly<Record<string, unknown>>;

export function search(call: Call): Searched | Promise<Searched> {
  const entity = call.param('entity');
  if (entity === '') return refuse('v2.bad_path');
  const filter = filterIn(call);
  if (isRefusal(filter)) return filter;
  const session = sessionOf(call);
  const model = session.model(entity);
  if (model === undefined) return failed('v2.search_query_failed', noEntity(entity));
  const parameters = parametersOf(call);
  const parse = (asker: Asker) => {
    const more = parseFilter(model, filter, asker);
    return isFailure(more) ? more : parseQuery(model, parameters, session, more, asker);
  };
  const answer = (found: Shown | Failure): Searched =>
    isFailure(found) ? failed('v2.search_query_failed', found) : replyJson(200, found.text, found.headers);
  const found = showRows(call, session, model, parameters, parse);
  return found instanceof Promise ? found.then(answer) : answer(found);
}

/** The filter of the body; an empty body has none. 400 for another body, 501 for kinds of search that do not exist. */
function filterIn(
  call: Call,
): Filter | Refusal<'v2.search_body_parse_failed' | 'v2.search_text_not_supported' | 'v2.search_dsl_not_supported'> {
  if (call.body.length === 0) return {};
  const parsed = call.exactJson();
  if (!parsed.ok) return unreadable(parsed.fault);
  if (!isJsonObject(parsed.value)) return unreadable('the body must be a JSON object');
  const { filter, query, ...others } = parsed.value;
  if (query !== undefined) return refuse('v2.search_text_not_supported');
  if (typeof filter === 'string') return refuse('v2.search_dsl_not_supported');
  const unknown = Object.keys(others)[0];
  if (unknown !== undefined)
    return unreadable(`the body holds filter and nothing else: ${shown(unknown)} belongs in the query string`);
  if (filter === undefined || filter === null) return {};
  return isJsonObject(filter) ? filter : unreadable('filter must be an object of fields');
}

function unreadable(message: string): Refusal<'v2.search_body_parse_failed'> {
  return refuse('v2.search_body_parse_failed', { message });
}
