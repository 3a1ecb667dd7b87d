/** Lists: the envelope, errors, parameters, flags and operators, statuses. */
import { expect } from 'vitest';
import { FAR, sees, type Body, type Case } from './case.ts';

const list = (proves: string, query: string, ids: readonly unknown[]): Case => ({
  proves: `list parameters: ${proves}`,
  ask: `GET /data/rest/book?${query}`,
  ids,
});
const refused = (query: string, named: string): Case => ({
  proves: 'list status: 422',
  ask: `GET /data/rest/book?${query}`,
  status: 422,
  code: 'v2.query_failed',
  see: (body) => expect(body['error']).toContain(named),
});
const operator = (query: string, ids: readonly unknown[]): Case => ({
  proves: 'flags and operators: operators',
  ask: `GET /data/rest/book?${query}`,
  ids,
});
/** `[or]=<JSON>` and its like. */
const grouped = (group: string, value: unknown): string => `[${group}]=${encodeURIComponent(JSON.stringify(value))}`;
const nested = (deep: number): object => (deep === 0 ? { id: 1 } : { '[not]': nested(deep - 1) });

export const LIST_CASES: readonly Case[] = [
  { proves: 'envelope: data', ask: 'GET /data/rest/book/id/1', see: sees({ data: [{ id: 1 }], count: 1 }) },
  { proves: 'envelope: count', ask: 'GET /data/rest/book?limit=2', see: sees({ count: 2, total: 5 }) },
  { proves: 'envelope: total', ask: 'GET /data/rest/book?deleted=true', see: sees({ count: 6, total: 6 }) },
  {
    proves: 'envelope: total',
    ask: 'GET /data/rest/book?genre=novel',
    see: (body) => expect(body).not.toHaveProperty('total'),
  },
  {
    proves: 'envelope: stats',
    ask: 'GET /data/rest/book?genre=novel&limit=1&stats=true',
    see: (body) => {
      expect(body).toMatchObject({ count: 1, total: 2 });
      expect(body['stats']).toEqual({
        sql: expect.stringContaining(`WHERE "genre" = 'novel' AND "deleted_at" IS NULL ORDER BY "id" LIMIT 1`),
        duration_ms: expect.any(Number),
        total_count: 2,
        include_sql: [],
        rows_affected: 0,
        plan: { access: 'index', index: ['genre'], bound: 1, sorted: false },
      });
    },
  },
  {
    proves: 'envelope: stats',
    ask: 'GET /data/rest/book?include=author&stats=true&limit=3',
    see: (body) => {
      const { include_sql: statements } = body['stats'] as { include_sql: string[] };
      expect(statements).toEqual([
        expect.stringMatching(/^SELECT .* FROM "author" WHERE "id" IN \('ada', 'bob'\) AND/),
      ]);
    },
  },
  {
    proves: 'envelope: meta',
    ask: 'GET /data/rest/author?meta=true&limit=1',
    see: (body) => {
      const fields = expect.arrayContaining([{ name: 'name', type: 'string', required: true, nullable: false }]);
      expect(body['meta']).toEqual({ entity: 'author', primary_key: 'id', fields });
    },
  },
  { proves: 'envelope: states', ask: 'GET /data/rest/book?states=true&limit=2', see: sees({ states: [{}, {}] }) },
  {
    proves: 'envelope: allowed_actions',
    ask: 'GET /data/rest/book?allowedactions=true&limit=1',
    see: sees({ allowed_actions: ['create', 'read', 'update', 'delete'] }),
  },
  {
    proves: 'envelope: page',
    ask: 'GET /data/rest/book?after=&limit=2',
    ids: [1, 2],
    see: sees({ page: { has_next_page: true, end_cursor: expect.stringMatching(/^[\w-]+$/) } }),
  },
  {
    proves: 'envelope: page',
    ask: 'GET /data/rest/book?limit=2',
    see: (body) => expect(body).not.toHaveProperty('page'),
  },
  {
    proves: 'error: error',
    ask: 'GET /data/rest/book?nope=1',
    status: 422,
    see: sees({ error: 'book has no field nope' }),
  },
  { proves: 'error: code', ask: 'GET /data/rest/nope', status: 404, code: 'v2.entity_not_found' },
  {
    proves: 'error: details',
    ask: 'GET /data/rest/book?nope=1',
    status: 422,
    see: sees({ details: { fields: { nope: ['is not a field'] } } }),
  },
  {
    proves: 'error: unrouted',
    ask: 'GET /data/nowhere',
    status: 404,
    see: (_body, answer) => expect(answer.text).toBe(''),
  },

  {
    ...list('select', 'select=title,id&fields=pages&limit=1', [1]),
    see: (body) => expect(body.data).toEqual([{ title: 'Alpha', id: 1 }]),
  },
  {
    ...list('fields', 'fields=id,pages&limit=1', [1]),
    see: (body) => expect(body.data).toEqual([{ id: 1, pages: 300 }]),
  },
  list('orderby', 'orderby=-pages', [FAR, 1, 3, 2, 4]),
  list('orderby', 'orderby=genre desc,pages asc', [4, FAR, 2, 1, 3]),
  list('orderby', 'orderby=title', [1, FAR, 3, 4, 2]),
  list('order_by', 'order_by=-id&orderby=', [FAR, 4, 3, 2, 1]),
  list('limit', 'limit=2&pagesize=4', [1, 2]),
  list('limit', 'limit=0', []),
  list('pagesize', 'pagesize=3', [1, 2, 3]),
  list('offset', 'offset=3', [4, FAR]),
  list('page', 'page=2&limit=2', [3, 4]),
  list('page', 'page=2&limit=2&offset=0', [1, 2]),
  refused('page=2', 'limit'),
  {
    ...list('include', 'include=author&limit=1', [1]),
    see: (body) => expect(body.data[0]).toMatchObject({ author_id: 'ada', author: { id: 'ada', name: 'Ada' } }),
  },
  {
    proves: 'list parameters: include',
    ask: 'GET /data/rest/author?include=book_by_author,author_by_mentor,mentor&orderby=id',
    ids: ['ada', 'bob', 'eve'],
    see: ({ data }) => {
      expect(data.map((row) => (row['book_by_author'] as Body['data']).map((book) => book['id']))).toEqual([
        [1, 2],
        [3],
        [],
      ]);
      expect(data.map((row) => (row['author_by_mentor'] as Body['data']).map(({ id }) => id))).toEqual([
        ['bob'],
        ['eve'],
        [],
      ]);
      expect(data.map((row) => (row['mentor'] as Record<string, unknown> | null)?.['id'])).toEqual([
        undefined,
        'ada',
        'bob',
      ]);
    },
  },
  {
    ...list('groupby', 'groupby=genre', [undefined, undefined, undefined]),
    see: (body) =>
      expect(body.data).toEqual([
        { genre: 'essay', count: 1 },
        { genre: 'novel', count: 2 },
        { genre: 'poetry', count: 2 },
      ]),
  },
  {
    ...list('groupby', 'groupby=genre&select=sum(pages),avg(pages),min(title),max(price)&orderby=-sum(pages)&limit=2', [
      undefined,
      undefined,
    ]),
    see: (body) =>
      expect(body.data).toEqual([
        {
          genre: 'novel',
          count: 2,
          'sum(pages)': 400,
          'avg(pages)': 200,
          'min(title)': 'Alpha',
          'max(price)': '10.50',
        },
        { genre: 'poetry', count: 2, 'sum(pages)': 400, 'avg(pages)': 400, 'min(title)': 'Far', 'max(price)': null },
      ]),
  },
  list('filter', 'filter=genre=novel&filter=pages=100', [2]),
  list('filter', 'filter=title=a,b', [4]),
  list('any other key', 'genre=novel&lent=true', [1]),
  list('any other key', 'price=2', [2, 3]),
  list('any other key', `id=${FAR}`, [FAR]),
  list('reserved keys', 'LIMIT=1&OrderBy=-pages&SELECT=id', [FAR]),
  list('reserved keys', 'filter=version=1', [1, 2, 3, 4, FAR]),
  list('deleted', 'deleted=true&genre=poetry', [4, 5, FAR]),
  list('deleted', 'deleted=false', [1, 2, 3, 4, FAR]),
  list('datastore', 'datastore=default&limit=1', [1]),
  refused('datastore=other', 'other'),
  list('deletechildren', 'deletechildren=true&limit=1', [1]),
  { ...list('sendstats', 'sendstats=true&limit=1', [1]), see: sees({ stats: { total_count: 5 } }) },
  { ...list('sendmeta', 'sendmeta=true&limit=1', [1]), see: sees({ meta: { entity: 'book' } }) },
  { ...list('sendstates', 'sendstates=true&limit=1', [1]), see: sees({ states: [{}] }) },
  {
    ...list('sendallowedactions', 'sendallowedactions=true&limit=1', [1]),
    see: (body) => expect(body).toHaveProperty('allowed_actions'),
  },

  operator('pages[gt]=200', [1, FAR]),
  operator('pages[gte]=200&pages[lt]=400', [1, 3]),
  operator('pages[LTE]=100', [2]),
  operator('genre[ne]=novel', [3, 4, FAR]),
  operator('genre[in]=novel,essay&orderby=-pages', [1, 3, 2]),
  operator(`title[in]=${encodeURIComponent('["a,b","Alpha"]')}`, [1, 4]),
  operator('genre[nin]=novel,essay', [4, FAR]),
  operator('title[like]=%25a', [1, 2, 3]),
  operator('title[ilike]=B%25', [2]),
  operator('title[like]=_lpha', [1]),
  operator('pages[null]=true', [4]),
  operator('author_id[null]=false', [1, 2, 3]),
  operator('pages[between]=100,300', [1, 2, 3]),
  operator('filter=price[gt]=2', [1]),
  operator('id[in]=3,1,7', [1, 3]),
  operator('id[gt]=3', [4, FAR]),
  operator('printed_at[lt]=2021-01-01T00:00:00%2B02:00', [2]),
  operator('genre[eq]=novel&author_id=ada&pages[gt]=100', [1]),
  operator(grouped('or', [{ genre: 'essay' }, { pages: { gte: 400 } }]), [3, FAR]),
  operator(`${grouped('or', [{ genre: 'novel', lent: false }, { pages: null }])}&orderby=-id`, [4, 2]),
  operator(`lent=true&${grouped('or', [{ genre: 'novel' }, { genre: 'essay' }])}`, [1, 3]),
  operator(`${grouped('or', [{ id: 1 }, { id: 3 }])}&${grouped('or', [{ id: 3 }, { id: 4 }])}`, [3]),
  operator(grouped('not', { genre: 'novel' }), [3, 4, FAR]),
  operator(grouped('not', { '[or]': [{ genre: 'novel' }, { pages: { lt: 300 } }] }), [FAR]),
  operator(grouped('and', [{ 'pages[gt]': 100 }, { pages: { lt: 300 } }]), [3]),
  refused('[or]=x', '[or] must be JSON'),
  refused('[or]=[]', '[or] must be a list'),
  refused(grouped('or', { genre: 'novel' }), '[or] must be a list'),
  refused(grouped('not', []), '[not] must be an object'),
  refused(grouped('or', [{ nope: 1 }]), 'nope'),
  refused(
    grouped(
      'or',
      Array.from({ length: 101 }, (_, id) => ({ id })),
    ),
    'at most 100 predicates',
  ),
  refused(grouped('not', nested(9)), 'nested 8 deep'),
  refused('[nor]=[]', 'nor'),
  refused('pages[above]=1', 'above'),
  refused('tags[gt]=1', 'tags'),
  refused('pages[like]=1', 'pages[like]'),
  refused('pages=9007199254740993.5', 'pages'),
  refused('pages=1e400', 'pages'),
  refused(`${'x'.repeat(3000)}=1`, 'xxx…'),
  refused(encodeURIComponent(`id" OR 1=1 --`) + '=1', 'no field'),
  refused(encodeURIComponent(`id[eq]; DROP TABLE book`) + '=1', 'no field'),
  refused('__proto__=1', '__proto__'),
  refused('select=id;title', 'id;title'),
  refused("orderby=id'--", "id'--"),

  {
    proves: 'flags and operators: depth',
    ask: 'GET /data/rest/book?include=author.mentor&limit=1&id=3&depth=2',
    ids: [3],
    see: (body) => expect(body.data[0]).toMatchObject({ author: { id: 'bob', mentor: { id: 'ada' } } }),
  },
  { ...refused('include=author.mentor', 'depth'), proves: 'flags and operators: depth' },
  { ...refused('include=author&depth=5', 'depth'), proves: 'flags and operators: depth' },
  {
    proves: 'flags and operators: having',
    ask: 'GET /data/rest/book?groupby=genre&having=count[gt]=1&having=genre[ne]=novel',
    see: (body) => expect(body.data).toEqual([{ genre: 'poetry', count: 2 }]),
  },
  {
    proves: 'flags and operators: sendhash',
    ask: 'GET /data/rest/book?select=id,title&id=1&sendhash=true',
    // printf '{"id":1,"title":"Alpha"}' | sha256sum
    see: (body) =>
      expect(body.data).toEqual([{ id: 1, title: 'Alpha', hash: expect.stringMatching(/^[0-9a-f]{64}$/) }]),
  },
  {
    proves: 'flags and operators: unmask',
    ask: 'GET /data/rest/author/id/ada',
    see: (body) => expect(body.data[0]).toMatchObject({ email: 'a***@example.org' }),
  },
  {
    proves: 'flags and operators: unmask',
    ask: 'GET /data/rest/author?unmask=true',
    status: 403,
    code: 'v2.query_failed',
  },
  {
    proves: 'flags and operators: unmask',
    ask: 'GET /data/rest/author?email=ada@example.org',
    status: 403,
    code: 'v2.query_failed',
  },
  {
    proves: 'flags and operators: unmask',
    ask: 'GET /data/rest/author?orderby=email',
    status: 403,
    code: 'v2.query_failed',
  },
  {
    proves: 'flags and operators: untokenize',
    ask: 'GET /data/rest/author?untokenize=true',
    status: 403,
    code: 'v2.query_failed',
  },
  {
    proves: 'flags and operators: other flags',
    ask: 'GET /data/rest/book?noversion=true&delta=true&scd=true&cdc=true&customstateflow=x&event=y&alias=z&field=f&limit=1',
    ids: [1],
  },
  {
    proves: 'flags and operators: Link',
    ask: 'GET /data/rest/book?page=1&limit=2&title[ne]=x',
    ids: [1, 2],
    see: (_body, { headers }) => expect(headers.get('link')).toBe('<?limit=2&title%5Bne%5D=x&page=2>; rel="next"'),
  },
  {
    proves: 'flags and operators: Link',
    ask: 'GET /data/rest/book?page=3&limit=2',
    see: (_body, { headers }) => expect(headers.get('link')).toBeNull(),
  },

  { proves: 'list status: 200', ask: 'GET /data/rest/book?title=nothing', see: sees({ data: [], count: 0 }) },
  { proves: 'list status: 400 bad_path', ask: 'GET /data/rest/', status: 400, code: 'v2.bad_path' },
  {
    proves: 'list status: 404 entity_not_found',
    ask: 'GET /data/rest/constructor',
    status: 404,
    code: 'v2.entity_not_found',
  },
  { proves: 'list status: 403', ask: 'GET /data/rest/vault?nope=1', status: 403, code: 'v2.query_failed' },
  {
    proves: 'list status: 403',
    ask: 'GET /data/rest/book?include=vault_by_book',
    status: 403,
    code: 'v2.query_failed',
  },
];
