/** Every row of docs/contract/data.md §5 that reading answers, over HTTP to a real node. A row without a proof fails the last test. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestNode, type Answer, type Headers, type TestNode } from '#test/kit/test-node.ts';
import { AUTHORS, BOOKS, type Body, type Case } from '#test/scenario/data-query-contract/case.ts';
import { CASES, CONTRACT, UNREACHABLE } from '#test/scenario/data-query-contract/cases.ts';

let it: TestNode;
let bearer: Headers;
beforeAll(async () => {
  it = await startTestNode({ localdir: fileURLToPath(new URL('../kit/products/library', import.meta.url)) });
  bearer = await it.service();
  for (const [entity, rows] of [
    ['author', AUTHORS],
    ['book', BOOKS],
  ] as const)
    for (const row of rows)
      expect(await it.call('POST', `/data/rest/${entity}`, bearer, row)).toMatchObject({ status: 201 });
  expect(await it.call('DELETE', '/data/rest/book/id/5', bearer)).toMatchObject({ status: 200 });
});
afterAll(() => it.stop());

async function ask({ ask: line, body, headers = {} }: Case): Promise<Answer> {
  const [method = '', path = ''] = line.split(/ (.*)/s);
  const all = { ...bearer, ...headers };
  return it.call(method, path, Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '')), body);
}

describe('reading (docs/contract/data.md §5)', () => {
  test.each(CASES.map((one) => ({ ...one, title: `${one.proves}: ${one.ask.slice(0, 90)}` })))(
    '$title',
    async (one) => {
      const answer = await ask(one);
      const body = answer.json as unknown as Body;
      expect([answer.status, answer.status === (one.status ?? 200) ? '' : answer.text]).toEqual([
        one.status ?? 200,
        '',
      ]);
      if (one.code !== undefined) expect(body['code']).toBe(one.code);
      if (one.ids !== undefined) expect(body.data.map((row) => row['id'])).toEqual(one.ids);
      one.see?.(body, answer);
    },
  );

  test('every row has a proof, or a reason why there can be none', () => {
    const rows = Object.entries(CONTRACT).flatMap(([heading, all]) =>
      all.split('|').map((row) => `${heading}: ${row.trim()}`),
    );
    const proven = new Set([...CASES.map(({ proves }) => proves), ...Object.keys(UNREACHABLE), ...WALKED]);
    expect(rows.filter((row) => !proven.has(row))).toEqual([]);
    expect([...proven].filter((row) => !rows.includes(row))).toEqual([]);
  });
});

const WALKED = ['list parameters: after', 'list parameters: before'];

describe('cursors', () => {
  interface Paged extends Body {
    readonly page: {
      readonly has_next_page: boolean;
      readonly end_cursor: string | null;
      readonly start_cursor?: string;
    };
  }
  const paged = async (query: string): Promise<Paged & { link: string | null }> => {
    const answer = await it.call('GET', `/data/rest/book?${query}`, bearer);
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    return { ...(answer.json as Paged), link: answer.headers.get('link') };
  };
  const idsOf = (body: Body): unknown[] => body.data.map((row) => row['id']);

  test('list parameters: after. A walk along Link neither repeats nor leaves out a row, whatever is written meanwhile', async () => {
    let at = await paged('after=&limit=2&orderby=-pages&genre[in]=novel,essay');
    const seen = idsOf(at);
    await it.call('POST', '/data/rest/book', bearer, { id: 90, title: 'new', genre: 'novel', pages: 250 });
    await it.call('DELETE', '/data/rest/book/id/90?purge=true', bearer);
    const ahead = { id: 91, title: 'ahead', genre: 'novel', pages: 1000 };
    await it.call('POST', '/data/rest/book', bearer, ahead);
    while (at.link !== null) {
      const [, query = ''] = /^<\?(.*)>; rel="next"$/.exec(at.link)!;
      at = await paged(query);
      seen.push(...idsOf(at));
    }
    expect(seen).toEqual([1, 3, 2]);
    expect(at.page.has_next_page).toBe(false);
    await it.call('DELETE', '/data/rest/book/id/91', bearer);
  });

  test('list parameters: before. The page next to the cursor, in the same order', async () => {
    const last = await paged('after=&orderby=title&limit=10');
    const ids = idsOf(last);
    const back = await paged(`before=${last.page.end_cursor}&orderby=title&limit=2`);
    expect(idsOf(back)).toEqual(ids.slice(-3, -1));
    expect(back.page).toMatchObject({ has_next_page: true, has_previous_page: true });
    expect(back.link).toContain('rel="prev"');
    const first = await paged(`before=${back.page.start_cursor}&orderby=title&limit=9`);
    expect(idsOf(first)).toEqual(ids.slice(0, -3));
    expect(first.page).toMatchObject({ has_previous_page: false });
  });

  test('a cursor is bound to its entity and order, and cannot be forged', async () => {
    const { page } = await paged('after=&orderby=title&limit=1');
    const end = page.end_cursor!;
    const forged = end.slice(0, -2) + (end.endsWith('A') ? 'B' : 'A') + end.slice(-1);
    for (const query of [
      `orderby=pages&after=${end}`,
      `orderby=-title&after=${end}`,
      `after=${end}`,
      `orderby=title&after=${forged}`,
    ])
      expect(await it.call('GET', `/data/rest/book?${query}`, bearer)).toMatchObject({
        status: 422,
        json: { code: 'v2.query_failed', details: { parameter: 'after' } },
      });
    expect((await it.call('GET', `/data/rest/author?orderby=name&after=${end}`, bearer)).status).toBe(422);
  });
});

describe('plans over LMDB', () => {
  const GENRES = ['novel', 'poetry', 'essay'];
  const made = Array.from({ length: 900 }, (_, i) => ({
    id: 1000 + i,
    title: `title ${i}`,
    genre: GENRES[i % 3]!,
    lent: i % 2 === 0,
    pages: 5000 + ((i * 7919) % 900),
  }));
  beforeAll(async () => {
    for (let from = 0; from < made.length; from += 50)
      await Promise.all(made.slice(from, from + 50).map((row) => it.call('POST', '/data/rest/book', bearer, row)));
  });
  const byPages = (a: (typeof made)[number], b: (typeof made)[number]) => a.pages - b.pages;

  test.each<[string, string, typeof made]>([
    ['intersection', 'genre=novel&lent=true&id[gte]=1000', made.filter(({ genre, lent }) => genre === 'novel' && lent)],
    [
      'index',
      'genre[in]=novel,essay&orderby=-pages&pages[gte]=5000',
      made.filter(({ genre }) => genre !== 'poetry').toSorted((a, b) => byPages(b, a)),
    ],
    [
      'index',
      'pages[between]=5100,5300&orderby=pages',
      made.filter(({ pages }) => pages >= 5100 && pages <= 5300).toSorted(byPages),
    ],
    ['table', 'id[gte]=1500&title[like]=%255', made.filter(({ id, title }) => id >= 1500 && title.endsWith('5'))],
  ])('%s: %s', async (access, asked, expected) => {
    const answer = await it.call('GET', `/data/rest/book?${asked}&limit=1000&stats=true`, bearer);
    const body = answer.json as Body & { stats: { plan: { access: string } } };
    expect(body.data.map((row) => row['id'])).toEqual(expected.map(({ id }) => id));
    expect(body['total']).toBe(expected.length);
    expect(body.stats.plan.access).toBe(access);
  });
});
