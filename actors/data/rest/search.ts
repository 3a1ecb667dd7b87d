/** POST /data/rest/{entity}/search: a list whose filter, and whose words, stand in the body (docs/contract/data.md §5.10, §5.12). */
import type { Call } from '#actors/host/call.ts';
import { isJsonObject } from '#actors/kit/long-number.ts';
import { shown } from '#actors/kit/shown.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import { replyJson, type Outcome } from '#actors/protocol/route.ts';
import { isFailure, noEntity, type Failure } from '#actors/engine/rows/failure.ts';
import { parseFilter } from '#actors/engine/rows/parse-filter.ts';
import type { Asker } from '#actors/engine/rows/path/asker.ts';
import { parseQuery } from '#actors/engine/rows/parse-query.ts';
import { parseWords } from '#actors/engine/search/parse-words.ts';
import type { TextIndex } from '#actors/engine/search/text-index.ts';
import { withWords } from '#actors/engine/search/with-words.ts';
import { refuse } from '../refusals.ts';
import type { Routes } from '../routes.ts';
import { failed } from './failed.ts';
import type { Shown } from './found.ts';
import { showRows } from './list.ts';
import { parametersOf, sessionOf } from './session.ts';

type Searched = Outcome<Routes['search']>;
type Filter = Readonly<Record<string, unknown>>;

interface Wish {
  readonly filter: Filter;
  /** Null where no words are searched. */
  readonly words: { readonly text: string; readonly highlight: boolean } | null;
}

const NOTHING: Wish = { filter: {}, words: null };

export function search(call: Call): Searched | Promise<Searched> {
  const entity = call.param('entity');
  if (entity === '') return refuse('v2.bad_path');
  const session = sessionOf(call);
  const model = session.model(entity);
  const wish = wishIn(call, model?.text ?? null);
  if (isRefusal(wish)) return wish;
  if (model === undefined) return failed('v2.search_query_failed', noEntity(entity));
  const parameters = parametersOf(call);
  const parse = (asker: Asker) => {
    const more = parseFilter(model, wish.filter, asker);
    const query = isFailure(more) ? more : parseQuery(model, parameters, session, more, asker);
    if (wish.words === null) return query;
    return withWords(query, parseWords(model.text!, wish.words.text, wish.words.highlight), parameters.cursors);
  };
  const answer = (found: Shown | Failure): Searched =>
    isFailure(found) ? failed('v2.search_query_failed', found) : replyJson(200, found.text, found.headers);
  const found = showRows(call, session, model, parameters, parse);
  return found instanceof Promise ? found.then(answer) : answer(found);
}

/** What the body asks; an empty one asks nothing. 400 for another body, 501 for kinds of search that the entity does not have. */
function wishIn(
  call: Call,
  index: TextIndex | null,
): Wish | Refusal<'v2.search_body_parse_failed' | 'v2.search_text_not_supported' | 'v2.search_dsl_not_supported'> {
  if (call.body.length === 0) return NOTHING;
  const parsed = call.exactJson();
  if (!parsed.ok) return unreadable(parsed.fault);
  if (!isJsonObject(parsed.value)) return unreadable('the body must be a JSON object');
  const { filter, query, highlight, ...rest } = parsed.value;
  if (query !== undefined && index === null) return refuse('v2.search_text_not_supported');
  if (typeof filter === 'string') return refuse('v2.search_dsl_not_supported');
  if (query !== undefined && typeof query !== 'string') return unreadable('query must be a text of words');
  if (highlight !== undefined && query !== undefined && typeof highlight !== 'boolean')
    return unreadable('highlight must be true or false');
  // Without words there is nothing to highlight.
  const others = query === undefined && highlight !== undefined ? { ...rest, highlight } : rest;
  const unknown = Object.keys(others)[0];
  if (unknown !== undefined)
    return unreadable(`the body holds filter and nothing else: ${shown(unknown)} belongs in the query string`);
  const words = query === undefined ? null : { text: query, highlight: highlight === true };
  if (filter === undefined || filter === null) return { filter: {}, words };
  return isJsonObject(filter) ? { filter, words } : unreadable('filter must be an object of fields');
}

function unreadable(message: string): Refusal<'v2.search_body_parse_failed'> {
  return refuse('v2.search_body_parse_failed', { message });
}
