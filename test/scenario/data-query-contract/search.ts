/** Search by POST. */
import { expect } from 'vitest';
import { FAR, type Case } from './case.ts';

const searching = (proves: string, body: unknown, ids: readonly unknown[], query = ''): Case => ({
  proves: `search: ${proves}`,
  ask: `POST /data/rest/book/search${query}`,
  body,
  ids,
});
const searchRefused = (proves: string, body: unknown, status: number, code: string, named = ''): Case => ({
  proves: `search: ${proves}`,
  ask: 'POST /data/rest/book/search',
  body,
  status,
  code,
  see: (answer) => expect(answer['error']).toContain(named),
});

export const SEARCH_CASES: readonly Case[] = [
  searching('filter', { filter: { genre: 'novel', lent: true } }, [1]),
  searching('filter', { filter: { pages: { gte: 100, lt: 300 } } }, [2, 3]),
  searching('filter', { filter: { id: { in: [1, '9007199254740993'] } } }, [1, FAR]),
  searching('filter', { filter: { id: { in: '1,9007199254740993' } } }, [1, FAR]),
  searching('filter', { filter: { pages: null } }, [4]),
  searching('filter', { filter: { author_id: { null: false }, title: { like: 'A%' } } }, [1]),
  searching('filter', { filter: { 'pages[gt]': 300 } }, [FAR]),
  searching('filter', { filter: { lent: false, '[or]': [{ genre: 'novel' }, { genre: 'essay' }] } }, [2]),
  searching('filter', { filter: { '[not]': { '[and]': [{ genre: 'novel' }, { lent: true }] } } }, [2, 3, 4, FAR]),
  searchRefused('422', { filter: { '[or]': [7] } }, 422, 'v2.search_query_failed', '[or]'),
  searching('url', { filter: { genre: 'novel' } }, [2], '?orderby=pages&limit=1&lent=false'),
  searching('url', { filter: {} }, [1, 2], '?limit=2&page=1'),
  searching('empty body', undefined, [1, 2, 3, 4, FAR]),
  searching('empty body', {}, [1, 2, 3, 4, FAR]),
  searchRefused('body_parse_failed', '{', 400, 'v2.search_body_parse_failed', 'JSON'),
  searchRefused('body_parse_failed', '[]', 400, 'v2.search_body_parse_failed', 'object'),
  searchRefused('body_parse_failed', '{"filter":7}', 400, 'v2.search_body_parse_failed', 'filter'),
  searchRefused('body_parse_failed', '{"filter":1e400}', 400, 'v2.search_body_parse_failed', 'filter'),
  searchRefused('body_parse_failed', '{"filter":{"id":1,"id":2}}', 400, 'v2.search_body_parse_failed', 'duplicate'),
  searchRefused('body_parse_failed', '{"filter":{"__proto__":1}}', 400, 'v2.search_body_parse_failed', '__proto__'),
  searchRefused('body_parse_failed', '{"limit":7}', 400, 'v2.search_body_parse_failed', 'limit'),
  { proves: 'search: bad_path', ask: 'POST /data/rest//search', body: {}, status: 400, code: 'v2.bad_path' },
  searchRefused('text', { query: 'x', filter: 'y' }, 501, 'v2.search_text_not_supported'),
  searchRefused('dsl', { filter: 'a = 1' }, 501, 'v2.search_dsl_not_supported'),
  { proves: 'search: 403', ask: 'POST /data/rest/vault/search', body: {}, status: 403, code: 'v2.search_query_failed' },
  { proves: 'search: 404', ask: 'POST /data/rest/nope/search', body: {}, status: 404, code: 'v2.search_query_failed' },
  searchRefused('422', { filter: { nope: 1 } }, 422, 'v2.search_query_failed', 'nope'),
  searchRefused('422', { filter: { pages: { near: 1 } } }, 422, 'v2.search_query_failed', 'near'),
  searchRefused('422', { filter: { pages: 'many' } }, 422, 'v2.search_query_failed', 'pages'),
  searchRefused('422', { filter: { pages: [1] } }, 422, 'v2.search_query_failed', 'pages'),
  searchRefused('422', '{"filter":{"pages":9007199254740993}}', 422, 'v2.search_query_failed', 'pages'),
  searchRefused('422', '{"filter":{"pages":1e400}}', 422, 'v2.search_query_failed', 'pages'),
  searchRefused('422', { filter: { ['n'.repeat(1_000_000)]: 1 } }, 422, 'v2.search_query_failed', 'nnn…'),
  {
    proves: 'search: static key',
    ask: 'POST /data/rest/book/search',
    headers: { Authorization: '', 'X-Api-Key': 'sesame' },
    status: 401,
    see: (_body, answer) => expect(answer.text).toBe('Unauthorized'),
  },
];
