/** POST of many rows, and by a unique key (docs/contract/data.md §6.8), as a caller meets it. */
import { beforeEach, describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import type { NewAuditEvent } from '#actors/protocol/audit.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import type { Turn } from '#storage/port.ts';
import { DataTenant, entityOf, productOf, SUPERADMIN, USER } from '#test/kit/data-call.ts';

const FIELDS = {
  email: { type: 'string', unique: true, required: true },
  name: { type: 'string' },
  owner: { type: 'string' },
  site: { type: 'string' },
  no: { type: 'integer' },
  card: { type: 'string', unique: true, mask: 'last4' },
} as const;
const OPEN = { create: 'true', read: 'true', update: 'true', delete: 'true' };
const product = productOf([
  entityOf('person', FIELDS, {
    traits: ['soft_delete', 'versioned'],
    unique: [['site', 'no']],
    access: {
      ...OPEN,
      create: "row.name != 'denied'",
      update: "row.owner != 'locked'",
      unmask: 'principal.superadmin',
    },
    rowRule: "row.owner != 'hidden' || principal.superadmin",
  }),
  entityOf(
    'blind',
    { code: { type: 'string', unique: true }, n: { type: 'integer' } },
    { access: { create: 'true', update: 'true' } },
  ),
]);

let tenant: DataTenant;
let events: NewAuditEvent[];
beforeEach(async () => {
  tenant = await DataTenant.open(product);
  events = [];
  const commit = (turn: Turn, recorded: readonly NewAuditEvent[]): void => {
    events.push(...recorded);
    turn.commit();
  };
  Object.assign(tenant.activation, { outbox: { commit } });
});
const post = (path: string, body: unknown, principal: Principal = USER, extra = '') =>
  tenant.send('POST', `/data/rest/${path}`, body, { principal, extra });
const people = async (): Promise<Record<string, unknown>[]> =>
  (await tenant.send('GET', '/data/rest/person?deleted=true&orderby=email', undefined, { principal: SUPERADMIN })).body
    .data;

describe('an array', () => {
  test('creates its rows in order, in one commit', async () => {
    const answer = await post('person?stats=true&states=true', [{ email: 'b' }, { email: 'a', name: 'A' }]);
    expect(answer).toMatchObject({
      status: 201,
      body: { count: 2, data: [{ email: 'b' }, { email: 'a', name: 'A' }], states: [{}, {}] },
    });
    expect(answer.headers['ETag']).toBeUndefined();
    expect(answer.body.stats).toMatchObject({ rows_affected: 2, sql: expect.stringMatching(/^INSERT .*; INSERT /) });
    expect(events).toHaveLength(1);
    expect((await post('person', [{ email: 'c' }])).status).toBe(201);
    expect((await people()).map(({ email }) => email)).toEqual(['a', 'b', 'c']);
  });

  test.each([
    [[{ email: 'x' }, { email: 'x' }], 422, 1, 'is taken'],
    [[{ email: 'x' }, {}, {}], 422, 1, 'email'],
    [[{ email: 'x', nope: 1 }], 422, 0, 'nope'],
    [[{ email: 'x' }, { email: 'y', name: 'denied' }], 403, 1, 'not allowed'],
    [[{ email: 'x' }, { email: 'y', owner: 'hidden' }], 403, 1, 'not allowed'],
  ])('of which one cannot be created creates none, and names it: %j', async (rows, status, at, said) => {
    const answer = await post('person', rows);
    expect([answer.status, answer.body.code, answer.body.details.row]).toEqual([status, 'v2.create_failed', at]);
    expect(answer.body.error).toContain(`row ${at}: `);
    expect(answer.body.error).toContain(said);
    expect(await people()).toEqual([]);
    expect(events).toEqual([]);
  });

  test.each(['[]', '[1]', '[{"email":"x"},null]', '[[{"email":"x"}]]'])('of no rows is 400: %s', async (body) => {
    expect(await post('person', body)).toMatchObject({ status: 400, body: { code: 'v2.bad_json' } });
    expect(await people()).toEqual([]);
  });

  test('of more rows than a request may write is 422; a long one is written in slices and masked', async () => {
    const most = limits.data.envelopeRowsMax;
    const rows = (length: number) => Array.from({ length }, (_, i) => ({ email: `e${i}`, card: `card${i}00000000` }));
    expect(await post('person', rows(most + 1))).toMatchObject({ status: 422, body: { details: { most } } });
    const made = await post('person', rows(500));
    expect(made).toMatchObject({ status: 201, body: { count: 500 } });
    expect(made.body.data[7].card).toBe('***0000');
    expect(events).toHaveLength(1);
  });

  test('a retry under one Idempotency-Key gets the first answer', async () => {
    const extra = 'idempotency-key:k1\n';
    const first = await post('person', [{ email: 'a' }], USER, extra);
    expect((await post('person', [{ email: 'a' }], USER, extra)).body).toEqual(first.body);
    expect(await people()).toHaveLength(1);
  });
});

describe('[on]', () => {
  beforeEach(async () => {
    await post('person', { email: 'ada', name: 'Ada', site: 's', no: 1 });
    events = [];
  });

  test('changes the row that holds the key, by the rule of updates, and creates others, by that of creates', async () => {
    const changed = await post('person?[on]=email', { email: 'ada', name: 'A.' });
    expect(changed).toMatchObject({
      status: 200,
      body: { data: [{ email: 'ada', name: 'A.', site: 's', version: 2 }] },
    });
    expect(changed.headers['ETag']).toBe('"2"');
    const created = await post('person?[on]=email', { email: 'bob', name: 'B.' });
    expect(created).toMatchObject({
      status: 201,
      body: { data: [{ name: 'B.', version: 1 }] },
      headers: { ETag: '"1"' },
    });
    const both = await post('person?[on]=no,site', [
      { email: 'cid', site: 's', no: 2 },
      { site: 's', no: 1, name: 'Ada L.' },
      { site: 's', no: 2, name: 'Cid' },
    ]);
    expect(both).toMatchObject({
      status: 200,
      body: { data: [{ email: 'cid' }, { name: 'Ada L.' }, { email: 'cid', name: 'Cid' }] },
    });
    expect((await people()).map(({ email, name }) => [email, name])).toEqual([
      ['ada', 'Ada L.'],
      ['bob', 'B.'],
      ['cid', 'Cid'],
    ]);
    expect(await post('person?[on]=email', { email: 'new', name: 'denied' })).toMatchObject({ status: 403 });
    expect((await post('person?[on]=email', { email: 'ada', name: 'denied' })).status).toBe(200);
  });

  test('takes the primary key, and refuses a key of another row', async () => {
    const [{ id }] = (await people()) as [{ id: string }];
    expect(await post('person?[on]=id', { id, name: 'by id' })).toMatchObject({
      status: 200,
      body: { data: [{ email: 'ada' }] },
    });
    expect(await post('person?[on]=email', { id, email: 'ada', name: 'both' })).toMatchObject({ status: 200 });
    const other = { id: '01J0000000000000000000000A', email: 'ada', name: 'x' };
    expect(await post('person?[on]=email', other)).toMatchObject({ status: 422, body: { details: { row: 0 } } });
    expect((await people())[0]!['name']).toBe('both');
  });

  test('a row without a value in the key is created', async () => {
    expect(await post('person?[on]=site,no', { email: 'x', site: 's' })).toMatchObject({ status: 201 });
    expect(await post('person?[on]=site,no', { email: 'y', site: 's', no: null })).toMatchObject({ status: 201 });
    expect(await post('person?[on]=email', { name: 'none' })).toMatchObject({ status: 422 });
  });

  test('a holder that the caller may not see or change is not shown: the create fails as it would without [on]', async () => {
    await post('person', { email: 'eve', owner: 'hidden', name: 'secret' }, SUPERADMIN);
    await post('person', { email: 'lou', owner: 'locked' });
    const upsert = await post('person?[on]=email', { email: 'eve', name: 'guess' });
    const create = await post('person', { email: 'eve', name: 'guess' });
    expect([upsert.status, upsert.body.details.fields]).toEqual([create.status, create.body.details.fields]);
    expect(JSON.stringify(upsert.body)).not.toContain('secret');
    expect(await post('person?[on]=email', { email: 'lou', name: 'x' })).toMatchObject({ status: 403 });
    const [{ id }] = (await people()) as [{ id: string }];
    await tenant.send('DELETE', `/data/rest/person/id/${id}`);
    expect(await post('person?[on]=email', { email: 'ada', name: 'back' })).toMatchObject({ status: 422 });
  });

  test('takes no field that a mask hides, and no entity that the caller may not read', async () => {
    await post('person', { email: 'kim', card: '4000123412341234' });
    const asked = { email: 'kim2', card: '4000123412341234' };
    expect(await post('person?[on]=card', asked)).toMatchObject({ status: 403, body: { code: 'v2.create_failed' } });
    expect(await post('person?[on]=card', { card: '4000123412341234', name: 'K' }, SUPERADMIN)).toMatchObject({
      status: 200,
    });
    expect(await post('blind?[on]=code', { code: 'a' })).toMatchObject({ status: 403 });
    expect((await post('blind', [{ code: 'a' }])).status).toBe(201);
  });

  test.each(['name', 'site', 'nope', 'email,site', ','])('%s is no unique key: 422', async (on) => {
    expect(await post(`person?[on]=${on}`, { email: 'z' })).toMatchObject({
      status: 422,
      body: { code: 'v2.create_failed', details: { parameter: '[on]' } },
    });
  });

  test('one row that cannot be written undoes all', async () => {
    const answer = await post('person?[on]=email', [
      { email: 'ada', name: 'changed' },
      { email: 'p' },
      { email: 'q', no: 'x' },
    ]);
    expect([answer.status, answer.body.details.row]).toEqual([422, 2]);
    expect((await people()).map(({ name }) => name)).toEqual(['Ada']);
    expect(events).toEqual([]);
    expect(await post('person?[on]=email', { email: 'ada' }, { ...USER, readonly: true })).toMatchObject({
      status: 403,
    });
  });
});
