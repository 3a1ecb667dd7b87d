import { expect, test } from 'vitest';
import { Call, type CompiledRoute } from '#actors/host/call.ts';
import type { Body } from '#actors/protocol/frame.ts';

interface Parts {
  readonly names?: readonly string[];
  readonly params?: string;
  readonly query?: string;
  readonly extra?: string;
  readonly body?: Body;
}

function callOf({ names = [], params = '', query = '', extra = '', body = '' }: Parts): Call {
  const route = { paramNames: names, row: {} } as unknown as CompiledRoute;
  return new Call(1, route, 2, 'GET', params, query, '', 'id', extra, body);
}

test('parameters are percent-decoded, and left as they came when they do not decode', () => {
  const call = callOf({ names: ['a', 'b', 'c'], params: 'x\ny%20z\n%ff' });
  expect(['a', 'b', 'c', 'd'].map((name) => call.param(name))).toEqual(['x', 'y z', '%ff', '']);
  expect(callOf({ names: ['only'], params: '%F0%9F%90%9D' }).param('only')).toBe('🐝');
});

test('headers that travelled, first or later, whole names only', () => {
  const call = callOf({ extra: 'x-api-key:secret\naccept:a:b\n:ip:198.51.100.1\n' });
  expect(call.header('x-api-key')).toBe('secret');
  expect(call.header('accept')).toBe('a:b');
  expect(call.header(':ip')).toBe('198.51.100.1');
  for (const name of ['api-key', 'x-api', 'secret', 'cept', 'b']) expect(call.header(name), name).toBeUndefined();
  expect(callOf({}).header('accept')).toBeUndefined();
});

test('the query is parsed once', () => {
  const call = callOf({ query: 'a=1&a=2&b=%20' });
  expect(call.query.getAll('a')).toEqual(['1', '2']);
  expect(call.query).toBe(call.query);
});

test.each<[string, Body, unknown]>([
  ['JSON', '{"a":1}', { ok: true, value: { a: 1 } }],
  ['bytes', Buffer.from('{"a":"ä"}'), { ok: true, value: { a: 'ä' } }],
  ['latin1 text of UTF-8 bytes', Buffer.from('"ä"').toString('latin1'), { ok: true, value: 'ä' }],
  ['nothing', '', { ok: false, fault: 'empty body' }],
  ['no UTF-8', '"\xff"', { ok: false, fault: 'body is not valid UTF-8' }],
])('a body of %s', (_name, body, expected) => expect(callOf({ body }).json()).toEqual(expected));

test('without a tenant there is no activation', () => {
  expect(() => callOf({}).activation).toThrow('no tenant');
});
