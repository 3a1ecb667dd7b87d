/** Values that a row leads to, over references and into json, and options of includes. */
import { expect } from 'vitest';
import { FAR, type Case } from './case.ts';

const finds = (proves: string, query: string, ids: readonly unknown[]): Case => ({
  proves: `list parameters: ${proves}`,
  ask: `GET /data/rest/book?${query}&orderby=id`,
  ids,
});
const refused = (proves: string, ask: string, status: number, error: string): Case => ({
  proves: `list parameters: ${proves}`,
  ask: `GET /data/rest/${ask}`,
  status,
  code: 'v2.query_failed',
  see: (body) => expect(body['error']).toBe(error),
});

const OVER = '[relation.field]';
const INTO = '[field/member]';
const WITH = '[relation][limit]';

export const FAR_CASES: readonly Case[] = [
  finds(OVER, '[author.name]=Ada', [1, 2]),
  finds(OVER, '[author.mentor.name]=Ada', [3]),
  finds(OVER, '[author.born][lt]=1850-01-01&[author.name][like]=A%25', [1, 2]),
  finds(OVER, '[author.name][ne]=Ada', [3]),
  finds(OVER, '[author.name][null]=true', [4, FAR]),
  finds(OVER, '[or]=[{"[author.name]":"Bob"},{"[not]":{"[author.name][null]":false}}]', [3, 4, FAR]),
  finds(OVER, '[author.name]=Ada&deleted=true', [1, 2, 5]),
  {
    proves: `list parameters: ${OVER}`,
    ask: 'GET /data/rest/book?[author.name]=Ada&stats=true',
    see: ({ stats }) =>
      expect(stats).toMatchObject({ total_count: 2, sql: expect.stringContaining('FROM "author" "r1"') }),
  },
  {
    proves: `list parameters: ${OVER}`,
    ask: 'GET /data/rest/book?[author.mentor.name][null]=false&groupby=genre&[aggregate]=sum(pages)',
    see: ({ data }) => expect(data).toEqual([{ genre: 'essay', count: 1, 'sum(pages)': 200 }]),
  },
  {
    proves: `list parameters: ${OVER}`,
    ask: 'POST /data/rest/book/search?orderby=id',
    body: { filter: { '[author.name]': { in: ['Ada', 'Bob'] }, pages: { gte: 200 } } },
    ids: [1, 3],
  },
  refused(OVER, 'book?[author.none]=1', 422, 'book has no field author.none'),
  refused(OVER, 'book?[author.email]=ada@example.org', 422, 'book has no field author.email'),
  refused(OVER, 'note?[book.author.mentor.mentor.name]=1', 422, 'a path follows at most 3 references'),

  finds(INTO, '[tags/a/0]=1', [4]),
  finds(INTO, '[tags/a][null]=false', [4]),
  finds(INTO, '[tags/a/0][gt]=x', []),
  {
    proves: `list parameters: ${INTO}`,
    ask: 'GET /data/rest/book?select=id,tags/a/0&pages[null]=true',
    see: ({ data }) => expect(data).toEqual([{ id: 4, 'tags/a/0': 1 }]),
  },
  refused(INTO, 'book?[pages/a]=1', 422, 'book has no field pages/a'),

  {
    proves: `list parameters: ${WITH}`,
    ask: 'GET /data/rest/author?select=id&orderby=id&include=book_by_author&[book_by_author][orderby]=-pages&[book_by_author][limit]=1&[book_by_author][select]=id&[book_by_author][filter]={"pages":{"lt":300}}',
    see: ({ data }) =>
      expect(data).toEqual([
        { id: 'ada', book_by_author: [{ id: 2 }] },
        { id: 'bob', book_by_author: [{ id: 3 }] },
        { id: 'eve', book_by_author: [] },
      ]),
  },
  refused(WITH, 'author?[book_by_author][limit]=1', 422, '[book_by_author][limit] needs book_by_author among include'),
];
