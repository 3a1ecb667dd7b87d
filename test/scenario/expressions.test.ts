/** `?expression=` over HTTP to a real node. Spec: docs/contract/data.md §2.2: the jq program over the envelope. More programs that never end: expression-runaways.test.ts. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestNode, type Answer, type Headers, type TestNode } from '#test/kit/test-node.ts';

let it: TestNode;
let bearer: Headers;
beforeAll(async () => {
  it = await startTestNode({ extra: 'jobs: { threads: 2 }' });
  bearer = await it.service();
  for (const [name, price] of [
    ['one', 1],
    ['two', 20],
    ['three', 30.5],
  ] as const)
    await it.call('POST', '/data/rest/item', bearer, { name, price });
});
afterAll(() => it.stop());

const ask = (program: string, method = 'GET', path = 'item?orderby=price', body?: unknown): Promise<Answer> =>
  it.call(
    method,
    `/data/rest/${path}${path.includes('?') ? '&' : '?'}expression=${encodeURIComponent(program)}`,
    bearer,
    body,
  );
const codeOf = (answer: Answer): unknown => (answer.json as { code?: unknown } | undefined)?.code;

describe('what the program gives is the body', () => {
  test.each([
    [
      'one result stands alone',
      '[.data[] | select(.price > 10) | {name, price}]',
      [
        { name: 'two', price: 20 },
        { name: 'three', price: 30.5 },
      ],
    ],
    ['zero results give null', 'empty', null],
    ['several give an array', '.data[].name', ['one', 'two', 'three']],
    ['the envelope is the input', '.count', 3],
    ['the environment is empty', '[env, $ENV]', [{}, {}]],
    ['a program of the reference tier only', '[.data[].name] | map(@base32)?, (now | type)', 'number'],
    ['destructuring alternatives', '.data[0] as [$a] ?// {name: $a} | $a', 'one'],
    ['dates', '0 | todate', '1970-01-01T00:00:00Z'],
    ['integer-like keys in the order in which they came', '{b: 1, "1": 2} | keys_unsorted', ['b', '1']],
    ['the environment by name and in a text', '[$ENV.PATH, env.HOME, "\\(env)"]', [null, null, '{}']],
    ['no arguments of the host', '$ARGS', { positional: [], named: {} }],
    ['no further input', '[inputs]', []],
    ['limit of what has no end', '[limit(3; repeat(1))]', [1, 1, 1]],
    ['@sh escapes', '"it\'s $(id)" | @sh', "'it'\\''s $(id)'"],
    ['what objects of the host have', '[.__proto__, .constructor, getpath(["__proto__", "x"])]', [null, null, null]],
    ['a prototype as a key', '{"__proto__": 1} | keys', ['__proto__']],
    ['what it would say to a console', '[debug, stderr] | length', 2],
    ['no clock but now', '[limit(3; .data[].price)] | add', 51.5],
  ])('%s: %s', async (_name, program, expected) => {
    const answer = await ask(program);
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual(expected);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  test('the key counts in any case, an empty program as none', async () => {
    expect((await it.call('GET', '/data/rest/item?EXPRESSION=.count', bearer)).json).toBe(3);
    expect((await it.call('GET', '/data/rest/item?expression=', bearer)).json).toMatchObject({ count: 3 });
  });

  test('every enveloped route takes one: read, create, update, delete', async () => {
    const id = (await ask('.data[0].id', 'POST', 'item', { name: 'made', price: 2 })).json as string;
    expect((await ask('.data[0].name', 'GET', `item/id/${id}`)).json).toBe('made');
    expect((await ask('.data[0].price', 'PATCH', `item/id/${id}`, { price: 3 })).json).toBe(3);
    expect((await ask('.data[0].price', 'PUT', 'item', { id, price: 4 })).json).toBe(4);
    expect((await ask('.data[0].id', 'DELETE', `item/id/${id}`)).json).toBe(id);
  });

  test('an error of the route stays what it is', async () => {
    expect(codeOf(await ask('.count', 'GET', 'nothing'))).toBe('v2.entity_not_found');
  });
});

describe('400 v2.bad_expression: it does not compile', () => {
  test.each([
    '.data[',
    'foo',
    '$nothing',
    '1 +',
    'import "a" as a; .',
    'include "a"; .',
    'break $out',
    '$__prog_args',
    '$__prog_name',
    '# only a comment',
    '-n',
    '--help',
  ])('%s', async (program) => {
    const answer = await ask(program);
    expect([answer.status, codeOf(answer)]).toEqual([400, 'v2.bad_expression']);
  });

  test('a write with such a program is not made', async () => {
    expect(codeOf(await ask('.data[', 'POST', 'item', { name: 'never' }))).toBe('v2.bad_expression');
    expect(codeOf(await ask('@nothing "\\(1)" as', 'POST', 'item', { name: 'never' }))).toBe('v2.bad_expression');
    for (const program of ['. as {(true): $foo} | $foo', '{(1 + 1): 2}', '. as [{(null): $x}] | $x']) {
      const answer = await ask(program, 'POST', 'item', { name: 'never' });
      expect([answer.status, codeOf(answer)], program).toEqual([400, 'v2.bad_expression']);
    }
    expect((await it.call('GET', '/data/rest/item?name=never', bearer)).json).toMatchObject({ count: 0 });
  });
});

describe('500 v2.expression_runtime: it fails, or takes longer than 2 seconds', () => {
  test.each([
    ['an error', '.data.name'],
    ['its own error', 'error("no")'],
    ['no further input', 'input'],
    ['an endless loop', '[range(1e12)] | length'],
    ['a combinatorial bomb', '[range(9)] | [combinations(30)] | length'],
    ['a regex that is none', '"a" | test("(")'],
    ['a class that is none', '"a" | test("[z-a]")'],
    ['flags that are none', '"a" | [match("a"; "zz")]'],
    ['a regex bomb', '("a" * 40 + "!") | test("^(a|a)*$"; "x") | error("it ended")'],
    ['@sh of an object', '@sh'],
    ['halt with an error', '"x" | halt_error'],
    ['a huge text', '"x" * 1e9 | length'],
    ['a text that doubles', 'reduce range(40) as $i ("x"; . + .)'],
  ])('%s: %s', async (_name, program) => {
    const answer = await ask(program);
    expect([answer.status, codeOf(answer)]).toEqual([500, 'v2.expression_runtime']);
    expect((await it.call('GET', '/data/rest/item?limit=1', bearer)).status).toBe(200);
  });

  test('a write was made all the same, and the answer says so', async () => {
    const answer = await ask('error("late")', 'POST', 'item', { name: 'kept' });
    expect(answer.json).toMatchObject({ code: 'v2.expression_runtime', details: { written: true } });
    expect((await it.call('GET', '/data/rest/item?name=kept', bearer)).json).toMatchObject({ count: 1 });
  });

  test('sixteen runaways at once: each answered, others served meanwhile', async () => {
    const runaways = Array.from({ length: 16 }, () => ask('last(range(1e12))'));
    for (let i = 0; i < 10; i++) expect((await ask('.count', 'GET', 'item')).status).toBe(200);
    for (const answer of await Promise.all(runaways)) {
      expect([500, 503]).toContain(answer.status);
      if (answer.status === 503) expect(answer.headers.get('retry-after')).toBe('1');
    }
    expect((await ask('0 | todate')).json).toBe('1970-01-01T00:00:00Z');
  });
});

test('a retry of a write whose program failed writes nothing twice, and its program runs again', async () => {
  const headers = { ...bearer, 'Idempotency-Key': 'expressed-1' };
  const post = (program: string): Promise<Answer> =>
    it.call('POST', `/data/rest/item?expression=${encodeURIComponent(program)}`, headers, { name: 'once', price: 7 });
  const failed = await post('error("no")');
  expect([failed.status, codeOf(failed)]).toEqual([500, 'v2.expression_runtime']);
  expect([(await post('error("no")')).status, codeOf(await post('error("no")'))]).toEqual([
    500,
    'v2.expression_runtime',
  ]);
  expect(codeOf(await post('.data[0].name'))).toBe('v2.idempotency_key_reused');
  expect((await ask('.count', 'GET', 'item?name=once')).json).toBe(1);
});
