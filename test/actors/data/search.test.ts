/** Searches by words over the data service (docs/contract/data.md §5.12). */
import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { ANONYMOUS } from '#actors/protocol/principal.ts';
import { DataTenant, entityOf, productOf, USER, type EntityOptions } from '#test/kit/data-call.ts';

const FIELDS = {
  id: { type: 'string' },
  title: { type: 'string' },
  body: { type: 'text' },
  owner: { type: 'string' },
} as const;
const SEARCH = { fields: ['title', 'body'], language: 'english', stopWords: ['the'] } as const;

const ROWS = [
  { id: 'a', title: 'The quick fox', body: 'jumps over the lazy dog', owner: 'u1' },
  { id: 'b', title: 'A fox', body: null, owner: 'u2' },
  { id: 'c', title: 'Dogs', body: 'the dog is lazy <b>quick</b>', owner: 'u1' },
];

async function tenantOf(
  options: EntityOptions = {},
  fields: Parameters<typeof entityOf>[1] = FIELDS,
): Promise<DataTenant> {
  const tenant = await DataTenant.open(productOf([entityOf('note', fields, { search: SEARCH, ...options })]));
  const { status } = await tenant.send('POST', '/data/rest/note', ROWS, { principal: { ...USER, roles: ['clerk'] } });
  expect(status).toBe(201);
  return tenant;
}

const asked = async (tenant: DataTenant, body: object, query = '', principal = USER) => {
  const { status, body: answer } = await tenant.send('POST', `/data/rest/note/search${query}`, body, { principal });
  expect(status, JSON.stringify(answer)).toBe(200);
  return answer;
};
const idsOf = ({ data }: { data: { id: string }[] }): string[] => data.map(({ id }) => id);

describe('search by words', () => {
  test('finds rows that have every word, the best first', async () => {
    const tenant = await tenantOf();
    expect(idsOf(await asked(tenant, { query: 'FOX' }))).toEqual(['b', 'a']);
    expect(idsOf(await asked(tenant, { query: 'lazy dogs' })).toSorted()).toEqual(['a', 'c']);
    expect(idsOf(await asked(tenant, { query: '"lazy dog"' }))).toEqual(['a']);
    expect(idsOf(await asked(tenant, { query: 'qui* jump*' }))).toEqual(['a']);
    expect(idsOf(await asked(tenant, { query: 'fox cat' }))).toEqual([]);
    expect(idsOf(await asked(tenant, { query: 'the' }))).toEqual([]);
    expect(idsOf(await asked(tenant, { query: '?!' }))).toEqual([]);
  });

  test('goes with filters, orders, pages, counts, groups and includes of lists', async () => {
    const tenant = await tenantOf();
    expect(idsOf(await asked(tenant, { query: 'fox', filter: { owner: 'u1' } }))).toEqual(['a']);
    expect(idsOf(await asked(tenant, { query: 'fox' }, '?owner=u2'))).toEqual(['b']);
    expect(idsOf(await asked(tenant, { query: 'fox' }, '?orderby=id'))).toEqual(['a', 'b']);
    expect(idsOf(await asked(tenant, { query: 'fox' }, '?limit=1&offset=1'))).toEqual(['a']);
    const counted = await asked(tenant, { query: 'fox' }, '?limit=1&stats=true');
    expect(counted.total).toBe(2);
    expect(counted.stats.plan).toEqual({ access: 'text', words: 1, sorted: false });
    expect(counted.stats.sql).toContain('to_tsvector');
    expect((await asked(tenant, { query: 'fox' }, '?[aggregate]=count')).data).toEqual([{ count: 2 }]);
    const paged = await asked(tenant, { query: 'fox' }, '?orderby=id&limit=1&after=');
    expect(idsOf(await asked(tenant, { query: 'fox' }, `?orderby=id&limit=1&after=${paged.page.end_cursor}`))).toEqual([
      'b',
    ]);
  });

  test('shows where the words stand, in the fields that are shown', async () => {
    const tenant = await tenantOf();
    const { highlights } = await asked(tenant, { query: 'quick dog', highlight: true }, '?orderby=id');
    expect(highlights).toEqual([
      { title: ['The ', 'quick', ' fox'], body: ['jumps over the lazy ', 'dog'] },
      { title: ['', 'Dogs'], body: ['the ', 'dog', ' is lazy <b>', 'quick', '</b>'] },
    ]);
    const some = await asked(tenant, { query: 'quick dog', highlight: true }, '?orderby=id&select=id,title');
    expect(some.highlights).toEqual([{ title: ['The ', 'quick', ' fox'] }, { title: ['', 'Dogs'] }]);
    expect((await asked(tenant, { query: 'fox' })).highlights).toBeUndefined();
  });

  test('refuses by name what does not fit', async () => {
    const tenant = await tenantOf({ traits: ['soft_delete'] });
    const refused = async (body: object, query = '') => {
      const { status, body: answer } = await tenant.send('POST', `/data/rest/note/search${query}`, body);
      return [status, answer.code];
    };
    const { queryCharsMax, queryWordsMax } = limits.search;
    const words = Array.from({ length: queryWordsMax + 1 }, (_, no) => `w${no}`).join(' ');
    expect(await refused({ query: words })).toEqual([422, 'v2.search_query_failed']);
    expect(await refused({ query: 'x'.repeat(queryCharsMax + 1) })).toEqual([422, 'v2.search_query_failed']);
    expect(await refused({ query: 'fox' }, '?after=')).toEqual([422, 'v2.search_query_failed']);
    expect(await refused({ query: 'fox' }, '?deleted=true')).toEqual([422, 'v2.search_query_failed']);
    expect(await refused({ query: 7 })).toEqual([400, 'v2.search_body_parse_failed']);
    expect(await refused({ query: null })).toEqual([400, 'v2.search_body_parse_failed']);
    expect(await refused({ query: 'fox', highlight: 1 })).toEqual([400, 'v2.search_body_parse_failed']);
    expect(await refused({ highlight: true })).toEqual([400, 'v2.search_body_parse_failed']);
    expect(await refused({ query: 'fox', rank: 1 })).toEqual([400, 'v2.search_body_parse_failed']);
    expect(await refused({ query: 'fox', filter: 'x' })).toEqual([501, 'v2.search_dsl_not_supported']);
  });

  test('refuses a beginning that stands for too many words', async () => {
    const tenant = await tenantOf();
    const body = Array.from({ length: limits.search.prefixWordsMax + 1 }, (_, no) => `zz${no}`).join(' ');
    expect((await tenant.send('POST', '/data/rest/note', { id: 'z', body })).status).toBe(201);
    const { status, body: answer } = await tenant.send('POST', '/data/rest/note/search', { query: 'zz*' });
    expect([status, answer.error]).toEqual([422, expect.stringContaining('zz* stands for more than')]);
    expect(idsOf(await asked(tenant, { query: 'zz12*' }))).toEqual(['z']);
  });

  test('answers 501 where the entity declares no search, and where there is no entity', async () => {
    const tenant = await DataTenant.open(productOf([entityOf('note', FIELDS)]));
    for (const entity of ['note', 'nope']) {
      const { status, body } = await tenant.send('POST', `/data/rest/${entity}/search`, { query: 'x' });
      expect([status, body.code]).toEqual([501, 'v2.search_text_not_supported']);
    }
  });

  test('follows each write: update, soft delete, restore, purge', async () => {
    const tenant = await tenantOf({ traits: ['soft_delete'] });
    const foxes = async () => idsOf(await asked(tenant, { query: 'fox' }));
    await tenant.send('PATCH', '/data/rest/note/id/b', { title: 'A cat' });
    expect(await foxes()).toEqual(['a']);
    await tenant.send('DELETE', '/data/rest/note/id/a');
    expect(await foxes()).toEqual([]);
    await tenant.send('POST', '/data/rest/note/id/a/restore');
    expect(await foxes()).toEqual(['a']);
    await tenant.send('DELETE', '/data/rest/note/id/a?purge=true');
    expect(await foxes()).toEqual([]);
  });
});

describe('what a caller may not see', () => {
  const principal = { ...USER, subject: 'u2', roles: [] };

  test('rows that a rule hides are neither found nor counted, and do not move others', async () => {
    const tenant = await tenantOf({ rowRule: "row.owner == principal.subject || 'clerk' in principal.roles" });
    const found = await asked(tenant, { query: 'fox', highlight: true }, '?stats=true', principal);
    expect([idsOf(found), found.total, found.highlights.length]).toEqual([['b'], 1, 1]);
    expect((await asked(tenant, { query: 'fox' }, '?[aggregate]=count', principal)).data).toEqual([{ count: 1 }]);
    expect(idsOf(await asked(tenant, { query: 'dog' }, '', principal))).toEqual([]);
  });

  test('the order of rows says nothing of hidden ones', async () => {
    const rule = { rowRule: "row.owner == principal.subject || 'clerk' in principal.roles" };
    const tenant = await tenantOf(rule);
    const clerk = { principal: { ...USER, roles: ['clerk'] } };
    const visible = [
      { id: 'm', title: 'plum plum pear', owner: 'u2' },
      { id: 'n', title: 'plum pear pear', owner: 'u2' },
    ];
    expect((await tenant.send('POST', '/data/rest/note', visible, clerk)).status).toBe(201);
    const before = idsOf(await asked(tenant, { query: 'plum pear' }, '', principal));
    const hidden = Array.from({ length: 40 }, (_, no) => ({ id: `h${no}`, title: 'plum', owner: 'u3' }));
    expect((await tenant.send('POST', '/data/rest/note', hidden, clerk)).status).toBe(201);
    expect(idsOf(await asked(tenant, { query: 'plum pear' }, '', principal))).toEqual(before);
    // Where nothing is hidden the same rows turn the order: a rare word counts for more.
    const open = await tenantOf();
    expect((await open.send('POST', '/data/rest/note', [...visible, ...hidden])).status).toBe(201);
    expect(idsOf(await asked(open, { query: 'plum pear' }))).toEqual(['n', 'm']);
  });

  test('a masked field is not searched by callers who may not lift its mask', async () => {
    const fields = { ...FIELDS, body: { type: 'text', mask: 'redact' } } as const;
    const open = Object.fromEntries(['create', 'read', 'update', 'delete'].map((one) => [one, 'true']));
    const tenant = await tenantOf({ access: { ...open, unmask: "'clerk' in principal.roles" } }, fields);
    const { status, body } = await tenant.send('POST', '/data/rest/note/search', { query: 'fox' });
    expect([status, body.code, body.error]).toEqual([
      403,
      'v2.search_query_failed',
      expect.stringContaining('body is masked'),
    ]);
    const clerk = { ...USER, roles: ['clerk'] };
    const masked = await asked(tenant, { query: 'lazy', highlight: true }, '?orderby=id', clerk);
    expect(masked.highlights).toEqual([{}, {}]);
    const shown = await asked(tenant, { query: 'lazy', highlight: true }, '?orderby=id&unmask=true', clerk);
    expect(shown.highlights[0].body).toEqual(['jumps over the ', 'lazy', ' dog']);
  });

  test('nothing is searched for callers who may not read', async () => {
    const tenant = await tenantOf({ access: { create: 'true', read: "'editor' in principal.roles" } });
    const { status } = await tenant.send('POST', '/data/rest/note/search', { query: 'fox' }, { principal: ANONYMOUS });
    expect(status).toBe(403);
  });
});

test('a search that is long for a turn goes on in slices, with the same answer', async () => {
  const tenant = await DataTenant.open(productOf([entityOf('note', FIELDS, { search: SEARCH })]));
  const rows = Array.from({ length: 3000 }, (_, no) => ({
    id: `n${no}`,
    title: `word ${no % 2 === 0 ? 'even' : 'odd'}`,
  }));
  for (let from = 0; from < rows.length; from += 100) {
    const sent = await tenant.send('POST', '/data/rest/note', rows.slice(from, from + 100));
    expect(sent.status).toBe(201);
  }
  const found = await asked(tenant, { query: 'word even' }, '?stats=true&limit=5');
  expect([found.total, idsOf(found)]).toEqual([1500, ['n0', 'n2', 'n4', 'n6', 'n8']]);
  // More rows than the first round of ranks has room for.
  const last = await asked(tenant, { query: 'word even' }, `?offset=${limits.search.roundRows + 400}&limit=2`);
  expect(idsOf(last)).toEqual([`n${2 * (limits.search.roundRows + 400)}`, `n${2 * (limits.search.roundRows + 401)}`]);
}, 60_000);
