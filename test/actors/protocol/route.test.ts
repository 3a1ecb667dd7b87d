import { expect, test } from 'vitest';
import { mirror, reply, replyText } from '#actors/protocol/route.ts';
import type { RouteRow } from '#actors/protocol/route.ts';

const row = (path: string, more: Partial<RouteRow> = {}): RouteRow => ({
  methods: ['GET'],
  path,
  position: 'door',
  auth: 'required',
  body: 'none',
  ack: 'fsync',
  replies: { 200: null },
  refusals: [],
  summary: '',
  ...more,
});

test('a mirror keeps what it is told to, under the other prefix and with the change; the rows stay as they were', () => {
  const rows = { list: row('/data/rest/{e}'), write: row('/data/rest/{e}', { methods: ['POST'] }), other: row('/x') };
  const mirrored = mirror(rows, ['/data/rest', '/data/anon/rest'], { auth: 'none' }, (_name, { methods }) =>
    methods.includes('GET'),
  );
  expect(mirrored).toEqual({ list: row('/data/anon/rest/{e}', { auth: 'none' }) });
  expect(rows.list.auth).toBe('required');
  expect(Object.keys(mirror(rows, ['/data', '/d'], {}))).toEqual(['list', 'write']);
});

test('replies have one shape each', () => {
  expect(reply(200, { a: 1 })).toEqual({ kind: 'reply', status: 200, body: { a: 1 } });
  expect(reply(200, null, { A: 'b' })).toEqual({ kind: 'reply', status: 200, body: null, headers: { A: 'b' } });
  expect(replyText(200, 'x', 'text/plain')).toMatchObject({ text: 'x', type: 'text/plain' });
});
