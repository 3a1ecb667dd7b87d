/** Numbers that a double does not hold: a decimal keeps their digits, a json field refuses what would become null, on each way to a row. */
import { beforeEach, describe, expect, test } from 'vitest';
import { bindJson, bindQuery } from '#actors/data/action/bind.ts';
import { importRows } from '#actors/data/bulk/import-rows.ts';
import type { LineReader } from '#actors/data/bulk/line.ts';
import { JsonReader } from '#actors/data/bulk/read-json.ts';
import { JsonlReader } from '#actors/data/bulk/read-jsonl.ts';
import { Work } from '#actors/host/work.ts';
import type { Input } from '#actors/kit/field-check.ts';
import { parseExactJson } from '#actors/kit/json.ts';
import { DataTenant, entityOf, productOf, USER } from '#test/kit/data-call.ts';

const product = productOf([
  entityOf('bill', {
    name: { type: 'string' },
    amount: { type: 'decimal' },
    rate: { type: 'number' },
    count: { type: 'integer' },
    notes: { type: 'json' },
  }),
]);
/** Each is another number as a double. */
const LONG = ['12345678901234567890.12', '0.30000000000000001', '1000000000000000.01', '-9007199254740993'];

let tenant: DataTenant;
let id: string;
const rows = async (): Promise<Record<string, unknown>[]> =>
  (await tenant.send('GET', '/data/rest/bill?orderby=name')).body.data;
const graphql = (body: string) =>
  tenant.send('POST', '/data/graphql', body, { principal: USER, extra: 'content-type:application/json\n' });

beforeEach(async () => {
  tenant = await DataTenant.open(product);
  id = (await tenant.send('POST', '/data/rest/bill', { name: 'first' })).body.data[0].id;
});

test.each(LONG)('a decimal given as the number %s keeps its digits: created, updated, searched', async (digits) => {
  const created = await tenant.send('POST', '/data/rest/bill', `{"name":"second","amount":${digits}}`);
  expect([created.status, created.body.data?.[0].amount]).toEqual([201, digits]);
  const updated = await tenant.send('PATCH', `/data/rest/bill/id/${id}`, `{"amount": ${digits} }`);
  expect([updated.status, updated.body.data?.[0].amount]).toEqual([200, digits]);
  expect((await rows()).map(({ amount }) => amount)).toEqual([digits, digits]);
});

test('a number too long for its type is refused or rounded as before: integers, doubles, keys of the body', async () => {
  const post = (body: string) => tenant.send('POST', '/data/rest/bill', body);
  expect((await post('{"count":12345678901234567890}')).status).toBe(422);
  expect((await post('{"rate":0.10000000000000001}')).body.data[0].rate).toBe(0.1);
  expect((await post(`{"rate":1${'0'.repeat(400)}}`)).status).toBe(422);
  expect((await post('{"name":12345678901234567890}')).status).toBe(422);
  expect((await post('12345678901234567890')).status).toBe(400);
  expect((await post('{12345678901234567890:1}')).status).toBe(400);
});

test.each(['1e400', '[1e400]', '{"a":[-1e999]}', `[1${'0'.repeat(400)}]`])(
  'a json field refuses %s, which would become null, and says what to do',
  async (value) => {
    for (const answer of [
      await tenant.send('POST', '/data/rest/bill', `{"name":"second","notes":${value}}`),
      await tenant.send('PATCH', `/data/rest/bill/id/${id}`, `{"notes":${value}}`),
    ]) {
      expect(answer.status).toBe(422);
      expect(JSON.stringify(answer.body)).toContain('as strings');
    }
    expect(await rows()).toMatchObject([{ name: 'first', notes: null }]);
  },
);

test('long numbers within a json field are doubles, as ever', async () => {
  const created = await tenant.send(
    'POST',
    '/data/rest/bill',
    '{"notes":[0.30000000000000001,{"a":12345678901234567890}]}',
  );
  expect(created.body.data[0].notes).toEqual([0.3, { a: 12345678901234567000 }]);
});

test('GraphQL: variables and literals', async () => {
  const create = 'mutation ($data: BillCreate!) { create_bill(data: $data) { amount rate notes } }';
  const given = (data: string) => graphql(`{"query":${JSON.stringify(create)},"variables":{"data":${data}}}`);
  const made = await given(
    '{"amount":12345678901234567890.12,"rate":0.10000000000000001,"notes":[0.30000000000000001]}',
  );
  expect(made.body.errors).toBeUndefined();
  expect(made.body.data.create_bill).toEqual({ amount: '12345678901234567890.12', rate: 0.1, notes: [0.3] });
  expect((await given('{"notes":[1e400]}')).body.errors).toHaveLength(1);
  const literal = await graphql(
    JSON.stringify({ query: 'mutation { create_bill(data: {amount: 12345678901234567890.12}) { amount } }' }),
  );
  expect(literal.body.data.create_bill).toEqual({ amount: '12345678901234567890.12' });
  expect(
    (await graphql(JSON.stringify({ query: 'mutation { create_bill(data: {notes: [1e400]}) { notes } }' }))).body
      .errors,
  ).toHaveLength(1);
  expect((await rows()).length).toBe(3);
});

test('imports of JSON and of lines', async () => {
  const read = (reader: LineReader, text: string) => [...reader.read(text), ...reader.end()].map(({ input }) => input!);
  const given = [
    ...read(new JsonlReader(), LONG.map((digits) => `{"amount":${digits}}\n`).join('')),
    ...read(new JsonReader(), `[${LONG.map((digits) => `{"amount":${digits}}`).join(',')}]`),
  ];
  const { imported } = await importRows(new Work(tenant.activation), { entity: 'bill', rows: given, present: 'fail' });
  expect(imported).toBe(2 * LONG.length);
  const amounts = (await rows()).map(({ amount }) => amount);
  for (const digits of LONG) expect(amounts.filter((amount) => amount === digits)).toHaveLength(2);
});

test('parameters of actions', () => {
  const parameter = (type: 'decimal' | 'json') => ({ type, list: false, required: false, default: undefined });
  const params = { amount: parameter('decimal'), notes: parameter('json') };
  const given = parseExactJson('{"amount":12345678901234567890.12,"notes":[0.30000000000000001]}');
  expect({ ...bindJson(params, (given as { value: Input }).value) }).toEqual({
    amount: '12345678901234567890.12',
    notes: [0.3],
  });
  const lost = parseExactJson('{"notes":[1e400]}');
  expect(JSON.stringify(bindJson(params, (lost as { value: Input }).value))).toContain('as strings');
  expect(JSON.stringify(bindQuery(params, new URLSearchParams('notes=[1e400]')))).toContain('as strings');
});

describe('a number where an object should stand is refused, and not taken for an empty one', () => {
  const long = '12345678901234567890.12';
  const variables = (type: string, field: string, value: string) =>
    graphql(`{"query":"query ($v: ${type}) { bill(${field}: $v) { total } }","variables":{"v":${value}}}`);

  test.each([
    ['a row of an envelope', `{"operations":[{"action":"create","data":{"bill":${long}}}]}`],
    ['one of several rows', `{"operations":[{"action":"create","data":{"bill":[{"name":"x"},${long}]}}]}`],
    ['the data of an operation', `{"operations":[{"action":"create","data":${long}}]}`],
    ['an operation', `{"operations":[${long}]}`],
  ])('%s', async (_name, body) => {
    expect((await tenant.send('POST', '/data/rest', body)).status).toBeGreaterThanOrEqual(400);
    expect(await rows()).toHaveLength(1);
  });

  test.each([
    ['a filter', 'BillFilter', 'filter', long],
    ['the operators of a field', 'BillFilter', 'filter', `{"name":${long}}`],
  ])('%s', async (_name, type, field, value) => {
    const { body } = await variables(type, field, value);
    expect(body.data).toBeUndefined();
    expect(body.errors[0].message).toMatch(/object/);
    expect(body.errors[0].extensions.code).toBe('v2.graphql_invalid');
  });

  test('the variables of a request', async () => {
    const { status, body } = await graphql(`{"query":"{ bill { total } }","variables":${long}}`);
    expect([status, body.error?.code ?? body.code]).toEqual([400, 'v2.bad_json']);
  });

  test('the data of a mutation', async () => {
    const query = 'mutation ($d: BillCreate!) { create_bill(data: $d) { id } }';
    const { body } = await graphql(`{"query":${JSON.stringify(query)},"variables":{"d":${long}}}`);
    expect(body.errors[0].extensions.code).toBe('v2.graphql_invalid');
    expect(await rows()).toHaveLength(1);
  });
});

test('a list in a query string keeps the digits of its numbers', async () => {
  const digits = '0.30000000000000001';
  await tenant.send('POST', '/data/rest/bill', `{"name":"exact","amount":${digits}}`);
  await tenant.send('POST', '/data/rest/bill', '{"name":"near","amount":"0.3"}');
  const { body } = await tenant.send('GET', `/data/rest/bill?amount[in]=[${digits}]`);
  expect(body.data.map(({ name }: { name: string }) => name)).toEqual(['exact']);
});

describe('a rule that reads what was sent', () => {
  const open = async (create: string) =>
    DataTenant.open(
      productOf([
        entityOf(
          'bill',
          { amount: { type: 'decimal' }, notes: { type: 'json' } },
          { access: { create, read: 'true' } },
        ),
      ]),
    );

  test.each([
    ['request.data.amount > 100', true],
    ['request.data.amount < 100', false],
    ['request.data.amount == 5', false],
    ['request.data.amount + 1 > 100', true],
    ['request.data.notes[0].x > 100', true],
    ['request.data.notes.all(n, n.x < 100)', false],
  ])('sees a number of many digits as the double that it is: %s', async (rule, allowed) => {
    const own = await open(rule);
    const answer = await own.send(
      'POST',
      '/data/rest/bill',
      '{"amount":1234567890.123456789,"notes":[{"x":12345678901234567890}]}',
    );
    expect(answer.status).toBe(allowed ? 201 : 403);
    if (allowed) expect(answer.body.data[0].amount).toBe('1234567890.123456789');
    expect(own.warnings).toEqual([]);
  });
});
