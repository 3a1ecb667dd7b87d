/** The operations envelope (docs/contract/data.md §6.6): every rule of its paragraph, as a caller meets it. */
import { beforeEach, describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { DataTenant, entityOf, productOf, SUPERADMIN, USER } from '#test/kit/data-call.ts';

const product = productOf(
  [
    entityOf('country', { code: { type: 'string', required: true, unique: true } }),
    entityOf(
      'city',
      {
        name: { type: 'string', required: true },
        country_id: { type: 'ref', ref: { entity: 'country', on_delete: 'restrict' } },
        notes: { type: 'json' },
      },
      { traits: ['soft_delete', 'versioned'] },
    ),
    entityOf('locked', { text: { type: 'string' } }, { access: {} }),
  ],
  { static_api_key: { secret: 'sesame', roles: ['reader'] } },
);

let tenant: DataTenant;
beforeEach(async () => {
  tenant = await DataTenant.open(product);
});

type Verb = 'POST' | 'PUT' | 'PATCH' | 'DELETE';
const run = (operations: unknown, verb: Verb = 'POST', query = '') =>
  tenant.send(verb, `/data/rest${query}`, { operations });
const op = (action: string | undefined, entity: string, row: unknown) => ({
  ...(action !== undefined && { action }),
  data: { [entity]: row },
});
const total = async (entity: string) =>
  (await tenant.send('GET', `/data/rest/${entity}`, undefined, { principal: SUPERADMIN })).body.total;

describe('runs', () => {
  test('in input order, each with its rows and how many it changed', async () => {
    const id = '01J0000000000000000000000A';
    const { status, body } = await run([
      op('create', 'country', { id, code: 'FR' }),
      op('create', 'city', [{ name: 'Paris', country_id: id }, { name: 'Lyon' }]),
      op('update', 'country', { id, code: 'FX' }),
      op('update', 'country', { id, code: 'FX' }),
      op('upsert', 'country', { id, code: 'FR' }),
      op('upsert', 'country', { code: 'DE' }),
    ]);
    expect(status).toBe(200);
    const seen = body.operations.map(
      (one: { action: string; entity: string; data: object[]; affected_rows: number }) => [
        one.action,
        one.entity,
        one.data.length,
        one.affected_rows,
      ],
    );
    expect(seen).toEqual([
      ['create', 'country', 1, 1],
      ['create', 'city', 2, 2],
      ['update', 'country', 1, 1],
      ['update', 'country', 1, 0],
      ['upsert', 'country', 1, 1],
      ['upsert', 'country', 1, 1],
    ]);
    expect(body.operations[2].data).toEqual([{ id, code: 'FX' }]);
    expect(Object.keys(body)).toEqual(['operations']);
    expect([await total('country'), await total('city')]).toEqual([2, 2]);
  });

  test('delete softly, restore, delete for good', async () => {
    const made = await run([op('create', 'city', { name: 'Paris' })]);
    const { id } = made.body.operations[0].data[0];
    const soft = await run([op('delete', 'city', { id }), op('restore', 'city', { id }), op('delete', 'city', { id })]);
    expect(soft.body.operations.map((one: { data: { version: number }[] }) => one.data[0]!.version)).toEqual([2, 3, 4]);
    const hard = await run([op('delete', 'city', { id, purge: true })]);
    expect(hard.body.operations[0]).toMatchObject({ affected_rows: 1, data: [{ id, version: 4 }] });
    expect(await run([op('restore', 'city', { id })])).toMatchObject({ status: 422 });
  });

  test.each([
    ['POST', 'create'],
    ['PUT', 'update'],
    ['PATCH', 'update'],
    ['DELETE', 'delete'],
  ] as const)('%s without an action: %s', async (verb, action) => {
    const id = '01J0000000000000000000000A';
    if (action !== 'create') await run([op('create', 'country', { id, code: 'FR' })]);
    const { body } = await run([op(undefined, 'country', { id, code: 'FX' })], verb);
    expect(body.operations[0]).toMatchObject({ action, entity: 'country', affected_rows: 1 });
    const other = await run([op(action === 'create' ? 'delete' : 'upsert', 'country', { id, code: 'DE' })], verb);
    expect(other.status).toBe(200);
  });

  test('?stats=true counts the operations', async () => {
    const { body } = await run([op('create', 'country', { code: 'FR' })], 'POST', '?stats=true');
    expect(body.stats).toEqual({ operations_run: 1, operations_ok: 1, operations_fail: 0 });
  });

  test('{"$operation": n} stands for the key that an earlier operation wrote; a json field keeps it', async () => {
    const { status, body } = await run([
      op('create', 'country', { code: 'FR' }),
      op('create', 'city', { name: 'Paris', country_id: { $operation: 0 }, notes: { $operation: 0 } }),
      op('update', 'city', { id: { $operation: 1 }, name: 'Lutetia' }),
    ]);
    expect(status).toBe(200);
    const [country, , city] = body.operations;
    expect(city.data[0]).toMatchObject({
      name: 'Lutetia',
      country_id: country.data[0].id,
      notes: { $operation: 0 },
      version: 2,
    });
    for (const at of [1, 2, -1, 'x', 0.5, null])
      expect(
        await run([
          op('create', 'country', { code: 'X' }),
          op('create', 'city', { name: 'P', country_id: { $operation: at } }),
        ]),
      ).toMatchObject({
        status: 422,
        body: { details: { operation: 1, fields: { country_id: [expect.any(String)] } } },
      });
  });
});

describe('refuses, and keeps nothing', () => {
  const good = op('create', 'country', { code: 'FR' });

  test.each([
    ['', 400, 'v2.bad_json'],
    ['{', 400, 'v2.bad_json'],
    ['[]', 400, 'v2.bad_json'],
    ['{"operations":{}}', 400, 'v2.bad_json'],
    ['{"operations":[1]}', 400, 'v2.bad_json'],
    ['{"operations":[{"action":1,"data":{"country":{}}}]}', 400, 'v2.bad_json'],
    ['{"operations":[{"data":[]}]}', 400, 'v2.bad_json'],
    ['{"operations":[{}]}', 400, 'v2.bad_json'],
    ['{"operations":[],"operations":[]}', 400, 'v2.bad_json'],
    ['{}', 400, 'v2.empty_envelope'],
    ['{"operations":[]}', 400, 'v2.empty_envelope'],
    ['{"operations":[{"action":"drop","data":{"country":{}}}]}', 422, 'v2.bulk_failed'],
    ['{"operations":[{"data":{}}]}', 422, 'v2.bulk_failed'],
    ['{"operations":[{"data":{"country":{"code":"A"},"city":{}}}]}', 422, 'v2.bulk_failed'],
    ['{"operations":[{"data":{"country":7}}]}', 422, 'v2.bulk_failed'],
    ['{"operations":[{"data":{"country":[7]}}]}', 422, 'v2.bulk_failed'],
    ['{"operations":[{"action":"update","data":{"country":[{}]}}]}', 422, 'v2.bulk_failed'],
  ])('%s', async (body, status, code) => {
    expect(await tenant.send('POST', '/data/rest', body)).toMatchObject({ status, body: { code } });
  });

  test('400 v2.body_read for what is no text', async () => {
    const { Call } = await import('#actors/host/call.ts');
    const { operations } = await import('#actors/data/rest/operations.ts');
    const route = {
      no: 0,
      name: 'operations',
      service: 'data',
      row: tenant.service.routes['operations']!,
      paramNames: [],
    };
    const call = new Call(0, route, 1, 'POST', '', '', '', 'r1', '', '{"operations":"\xff"}');
    expect(operations(call)).toMatchObject({ code: 'v2.body_read', status: 400 });
  });

  test.each([
    ['an unknown entity', op('create', 'nope', {}), 404],
    ['a faulty row', op('create', 'city', { nope: 1 }), 422],
    ['the second of many rows', op('create', 'city', [{ name: 'a' }, {}]), 422],
    ['a denied one', op('create', 'locked', {}), 403],
    ['no such row', op('update', 'city', { id: '01J0000000000000000000000B', name: 'x' }), 404],
    ['no id', op('update', 'city', { name: 'x' }), 422],
    ['no id', op('delete', 'city', {}), 422],
    ['no id', op('restore', 'city', { id: null }), 422],
    ['purge that is no boolean', op('delete', 'city', { id: 'x', purge: 'yes' }), 422],
    ['a value that an earlier operation took', op('create', 'country', { code: 'FR' }), 422],
    ['a target that is not there', op('create', 'city', { name: 'x', country_id: '01J0000000000000000000000B' }), 422],
  ])('%s', async (_, bad, status) => {
    const answer = await run([good, bad]);
    expect(answer).toMatchObject({ status: 422, body: { code: 'v2.bulk_failed', details: { operation: 1, status } } });
    expect(answer.body.error).toMatch(/^operations\[1\]: /);
    expect(await total('country')).toBe(0);
  });

  test('a fault names its row and its fields', async () => {
    const { body } = await run([op('create', 'city', [{ name: 'a' }, { nope: 1 }])]);
    expect(body.details).toEqual({
      operation: 0,
      action: 'create',
      entity: 'city',
      status: 422,
      row: 1,
      fields: { name: ['is required'], nope: ['is not a field'] },
    });
  });

  test('more operations or rows than the bound; another datastore', async () => {
    const { envelopeOperationsMax, envelopeRowsMax } = limits.data;
    expect(await run(new Array(envelopeOperationsMax + 1).fill(good))).toMatchObject({ status: 422 });
    const rows = Array.from({ length: envelopeRowsMax }, () => ({ name: 'x' }));
    expect(await run([op('create', 'city', rows), good])).toMatchObject({
      status: 422,
      body: { details: { most: envelopeRowsMax } },
    });
    expect(await run([good], 'POST', '?datastore=other')).toMatchObject({
      status: 422,
      body: { code: 'v2.bulk_failed' },
    });
    expect([await total('country'), await total('city')]).toEqual([0, 0]);
  });
});

describe('who may', () => {
  test('the static key by PATCH, and by no other verb', async () => {
    const body = { operations: [op('create', 'country', { code: 'FR' })] };
    const key = { extra: 'x-api-key:sesame\n' };
    expect((await tenant.send('PATCH', '/data/rest', body, key)).status).toBe(200);
    for (const verb of ['POST', 'PUT', 'DELETE'] as const)
      expect((await tenant.send(verb, '/data/rest', body, key)).status).toBe(401);
  });

  test('without a credential, through the mirror, under the same rules', async () => {
    const { status } = await tenant.send(
      'POST',
      '/data/anon/rest',
      { operations: [op('create', 'country', { code: 'FR' })] },
      { authorization: '' },
    );
    expect(status).toBe(200);
    expect(
      await tenant.send('POST', '/data/anon/rest', { operations: [op('create', 'locked', {})] }, { authorization: '' }),
    ).toMatchObject({ status: 422, body: { details: { status: 403 } } });
  });
});

test('an envelope of many rows goes on in slices and is one turn all the same', async () => {
  const rows = Array.from({ length: 1500 }, (_, i) => ({ code: `c${i}` }));
  const { status, body } = await run([op('create', 'country', rows), op('create', 'country', { code: 'last' })]);
  expect([status, body.operations[0].affected_rows]).toEqual([200, 1500]);
  expect(tenant.activation.exclusive.held).toBe(false);
  const again = await run([
    op(
      'create',
      'city',
      rows.map(({ code }) => ({ name: code })),
    ),
    op('create', 'country', { code: 'last' }),
  ]);
  expect(again).toMatchObject({ status: 422, body: { details: { operation: 1 } } });
  expect(await total('city')).toBe(0);
  expect(tenant.activation.exclusive.held).toBe(false);
  expect((await tenant.send('POST', '/data/rest/city', { name: 'x' }, { principal: USER })).status).toBe(201);
});
