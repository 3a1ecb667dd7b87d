/** One row by its key. */
import { expect } from 'vitest';
import type { Case } from './case.ts';

export const ROW_CASES: readonly Case[] = [
  { proves: 'single row: 200', ask: 'GET /data/rest/book/id/1', ids: [1] },
  { proves: 'single row: 400 bad_path', ask: 'GET /data/rest/book/id/', status: 400, code: 'v2.bad_path' },
  { proves: 'single row: 400 bad_path', ask: 'GET /data/rest//id/1', status: 400, code: 'v2.bad_path' },
  { proves: 'single row: 404 row_not_found', ask: 'GET /data/rest/book/id/77', status: 404, code: 'v2.row_not_found' },
  {
    proves: 'single row: 404 row_not_found',
    ask: 'GET /data/rest/book/id/x%00',
    status: 404,
    code: 'v2.row_not_found',
  },
  { proves: 'single row: 404 soft-deleted', ask: 'GET /data/rest/book/id/5', status: 404, code: 'v2.row_not_found' },
  { proves: 'single row: 404 soft-deleted', ask: 'GET /data/rest/book/id/5?deleted=true', ids: [5] },
  {
    proves: 'single row: parameters',
    ask: 'GET /data/rest/book/id/3?select=id&include=author&stats=true',
    see: (body) => {
      expect(body.data).toEqual([{ id: 3, author: expect.objectContaining({ id: 'bob' }) }]);
      expect(body['stats']).toMatchObject({ plan: { access: 'key' } });
    },
  },
  {
    proves: 'single row: parameters',
    ask: 'GET /data/rest/book/id/3?genre=novel',
    status: 404,
    code: 'v2.row_not_found',
  },
  {
    proves: 'single row: ETag',
    ask: 'GET /data/rest/book/id/1',
    see: (_body, { headers }) => expect(headers.get('etag')).toBe('"1"'),
  },
  {
    proves: 'single row: 304',
    ask: 'GET /data/rest/book/id/1',
    headers: { 'If-None-Match': '"7", W/"1"' },
    status: 304,
    see: (_body, answer) => expect([answer.text, answer.headers.get('etag')]).toEqual(['', '"1"']),
  },
  { proves: 'single row: 304', ask: 'GET /data/rest/book/id/1', headers: { 'If-None-Match': '"2"' }, ids: [1] },
  { proves: 'single row: 304', ask: 'GET /data/rest/book/id/1?meta=true', headers: { 'If-None-Match': '*' }, ids: [1] },
  { proves: 'single row: 304', ask: 'GET /data/rest/author/id/ada', headers: { 'If-None-Match': '"1"' }, ids: ['ada'] },
];
