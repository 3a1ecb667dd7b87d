/** `[aggregate]`, `[bucket]` and `[zone]`. */
import { expect } from 'vitest';
import { FAR, type Case } from './case.ts';

const gives = (proves: string, query: string, data: readonly unknown[]): Case => ({
  proves: `list parameters: ${proves}`,
  ask: `GET /data/rest/book?${query}`,
  see: (body) => expect(body).toMatchObject({ data, count: data.length }),
});
const refused = (proves: string, query: string, named: string): Case => ({
  proves: `list parameters: ${proves}`,
  ask: `GET /data/rest/book?${query}`,
  status: 422,
  code: 'v2.query_failed',
  see: (body) => expect(body['error']).toContain(named),
});
const ALL = 'count,count(pages),count_distinct(price),sum(pages),avg(pages),min(title),max(price)';

export const AGGREGATE_CASES: readonly Case[] = [
  gives('[aggregate]', `[aggregate]=${ALL}`, [
    {
      count: 5,
      'count(pages)': 4,
      'count_distinct(price)': 2,
      'sum(pages)': 1000,
      'avg(pages)': 250,
      'min(title)': 'Alpha',
      'max(price)': '10.50',
    },
  ]),
  gives('[aggregate]', '[aggregate]=count(tags)&genre=poetry', [{ count: 2, 'count(tags)': 1 }]),
  gives('[aggregate]', '[aggregate]=count(id),sum(pages),max(title)&title=none', [
    { count: 0, 'count(id)': 0, 'sum(pages)': null, 'max(title)': null },
  ]),
  gives('[aggregate]', '[aggregate]=count&deleted=true', [{ count: 6 }]),
  gives('[aggregate]', '[aggregate]=count&having=count[gt]=9', []),
  gives('[aggregate]', '[aggregate]=count&offset=1', []),
  gives('[aggregate]', 'groupby=genre&[aggregate]=count_distinct(lent)&orderby=-count_distinct(lent)&limit=1', [
    { genre: 'novel', count: 2, 'count_distinct(lent)': 2 },
  ]),
  gives('[aggregate]', 'groupby=genre&select=count(pages)&having=count(pages)[lt]=2', [
    { genre: 'essay', count: 1, 'count(pages)': 1 },
    { genre: 'poetry', count: 2, 'count(pages)': 1 },
  ]),
  {
    ...gives('[aggregate]', '', [{ count: 3, 'sum(pages)': 700 }]),
    ask: 'POST /data/rest/book/search?[aggregate]=sum(pages)',
    body: { filter: { '[or]': [{ id: { in: [1, FAR] } }, { title: 'a,b' }] } },
  },
  {
    proves: 'list parameters: [aggregate]',
    ask: 'GET /data/rest/book?[aggregate]=count_distinct(genre)&stats=true',
    see: (body) =>
      expect((body['stats'] as { sql: string }).sql).toContain(
        'SELECT count(*) AS "count", count(DISTINCT "genre") AS "count_distinct(genre)" FROM "book" WHERE',
      ),
  },
  refused('[aggregate]', '[aggregate]=title', 'title is neither grouped by'),
  refused('[aggregate]', '[aggregate]=median(pages)', 'median(pages)'),
  refused('[aggregate]', '[aggregate]=sum(title)', 'a string has no sum'),
  refused('[aggregate]', '[aggregate]=count_distinct(tags)', 'a json has no count_distinct'),
  refused('[aggregate]', '[aggregate]=count(nope)', 'nope'),
  refused('[aggregate]', '[aggregate]=count&after=', 'cursor'),
  refused('[aggregate]', '[aggregate]=count&include=author', 'include'),
  gives('[bucket]', '[bucket]=year(printed_at)&printed_at[null]=false', [
    { 'year(printed_at)': '2020-01-01', count: 1 },
  ]),
  gives('[bucket]', '[bucket]=week(printed_at),hour(printed_at)&[aggregate]=max(id)&id=2', [
    { 'week(printed_at)': '2019-12-30', 'hour(printed_at)': '2020-01-01T00:00:00.000Z', count: 1, 'max(id)': 2 },
  ]),
  gives('[bucket]', '[bucket]=day(printed_at)&having=day(printed_at)[null]=true', [
    { 'day(printed_at)': null, count: 4 },
  ]),
  refused('[bucket]', '[bucket]=decade(printed_at)', 'must be hour, day, week, month, year of a field'),
  refused('[bucket]', '[bucket]=day(pages)', 'a integer has no day'),
  refused('[bucket]', '[bucket]=day(nope)', 'nope'),
  gives('[zone]', '[bucket]=month(printed_at)&[zone]=America/New_York&id=2', [
    { 'month(printed_at)': '2019-12-01', count: 1 },
  ]),
  gives('[zone]', '[bucket]=day(printed_at)&[zone]=Asia/Kathmandu&id=2', [
    { 'day(printed_at)': '2020-01-01', count: 1 },
  ]),
  refused('[zone]', '[bucket]=day(printed_at)&[zone]=Mars/Olympus', 'Mars/Olympus is no time zone'),
  refused('[zone]', '[zone]=UTC', '[zone] needs a [bucket]'),
  refused('[zone]', '[zone]=UTC&[aggregate]=count', '[zone] needs a [bucket]'),
  {
    proves: 'list parameters: [aggregate]',
    ask: 'GET /data/rest/author?[aggregate]=count(email)',
    status: 403,
    code: 'v2.query_failed',
  },
];
