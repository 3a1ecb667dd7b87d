/** Defaults from the caller and the time, on every way that makes rows: docs/contract/data-definitions.md §1.10. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadSqlParser } from '#actors/engine/sql/load.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import { ANONYMOUS } from '#actors/protocol/principal.ts';
import { data } from './graphql/kit.ts';
import { DataTenant, entityOf, productOf, SUPERADMIN, USER } from '#test/kit/data-call.ts';

const where = 'actions/a.yaml:1:1';
const OPEN = { language: 'cel', rule: 'true', where } as const;
const action = (name: string, text: string) => ({
  name,
  description: '',
  entities: null,
  access: OPEN,
  sections: { create: { params: {}, sql: { text, file: 'actions/a.yaml', line: 2, column: 3 }, where } },
  where,
});

const product: ProductDefinition = {
  ...productOf([
    entityOf('person', { id: { type: 'string' } }),
    entityOf(
      'note',
      {
        id: { type: 'string', required: true },
        owner: { type: 'string', required: true, nullable: false, max_length: 8, default_from: 'principal.subject' },
        tenant: { type: 'string', default_from: 'principal.tenant' },
        at: { type: 'datetime', default_from: 'now' },
        day: { type: 'date', default_from: 'now' },
        said: { type: 'string', default: 'now' },
        text: { type: 'string' },
      },
      { rowRule: '"editor" in principal.roles || row.owner == principal.subject' },
    ),
    entityOf('seat', {
      id: { type: 'string' },
      owner: { type: 'string', unique: true, default_from: 'principal.subject' },
      n: { type: 'integer' },
    }),
    entityOf('task', {
      id: { type: 'string' },
      by: { type: 'ref', ref: { entity: 'person' }, default_from: 'principal.subject' },
    }),
  ]),
  actions: [
    action('note_sql', "insert into note (id) values ('s') returning owner, at"),
    action(
      'seat_sql',
      "insert into seat (id, n) values ('s2', 7) on conflict (owner) do update set n = excluded.n returning id, n",
    ),
  ],
};

let tenant: DataTenant;
beforeAll(loadSqlParser);
beforeEach(async () => {
  tenant = await DataTenant.open(product);
  tenant.clock.advance(Date.UTC(2026, 1, 3, 4, 5, 6) - tenant.clock.now());
});
const FILLED = { owner: 'u1', at: '2026-02-03T04:05:06.000Z', day: '2026-02-03', said: 'now' };
const made = async (body: object, principal = USER) =>
  tenant.send('POST', '/data/rest/note', { id: 'n', ...body }, { principal });

describe('a field that is left out', () => {
  test('by REST', async () => {
    const { status, body } = await made({ text: 'a' }, { ...USER, tenant: 'acme:atlas:dev:main' });
    expect([status, body.data[0]]).toMatchObject([201, { ...FILLED, tenant: 'acme:atlas:dev:main' }]);
  });

  test('by an envelope, GraphQL and SQL', async () => {
    const envelope = await tenant.send('POST', '/data/rest', { operations: [{ data: { note: { id: 'e' } } }] });
    expect(envelope.status).toBe(200);
    const { create_note: note } = await data(tenant, 'mutation { create_note(data: {id: "g"}) { owner day } }');
    expect(note).toEqual({ owner: 'u1', day: FILLED.day });
    expect((await tenant.send('POST', '/data/actions/note_sql', {})).status).toBe(200);
    const { body } = await tenant.send('GET', '/data/rest/note?select=id,owner,day,said&orderby=id');
    expect(body.data).toEqual(['e', 'g', 's'].map((id) => ({ id, owner: 'u1', day: FILLED.day, said: 'now' })));
  });

  test('is filled before rules and constraints see the row', async () => {
    expect((await made({}, { ...USER, roles: [], subject: 'u2' })).body.data[0]).toMatchObject({ owner: 'u2' });
    const long = await tenant.send(
      'POST',
      '/data/rest/note',
      { id: 'x' },
      { principal: { ...USER, subject: 'longer than eight' } },
    );
    expect([long.status, long.body.details.fields]).toEqual([422, { owner: ['must have at most 8 characters'] }]);
  });

  test('of a reference must name a row', async () => {
    expect((await tenant.send('POST', '/data/rest/task', { id: 't' })).body.details.fields).toHaveProperty('by');
    await tenant.send('POST', '/data/rest/person', { id: 'u1' });
    expect((await tenant.send('POST', '/data/rest/task', { id: 't' })).body.data[0]).toEqual({ id: 't', by: 'u1' });
  });

  test('stays absent where the caller has none: then a required field is missing', async () => {
    const { status, body } = await made({}, ANONYMOUS);
    expect([status, body.details.fields]).toEqual([422, { owner: ['is required'] }]);
  });

  test('is the value by which ON CONFLICT looks', async () => {
    expect((await tenant.send('POST', '/data/rest/seat', { id: 's1', n: 1 })).status).toBe(201);
    expect((await tenant.send('POST', '/data/actions/seat_sql', {})).status).toBe(200);
    expect((await tenant.send('GET', '/data/rest/seat')).body.data).toEqual([{ id: 's1', owner: 'u1', n: 7 }]);
  });
});

test('a value that is given stays, where the rules admit it; so does null', async () => {
  expect((await made({ owner: 'u9', at: null, day: '2020-01-01' })).body.data[0]).toMatchObject({
    owner: 'u9',
    at: null,
    day: '2020-01-01',
  });
  const other = { ...USER, roles: [], subject: 'u2' };
  expect((await tenant.send('POST', '/data/rest/note', { id: 'm', owner: 'u9' }, { principal: other })).status).toBe(
    403,
  );
  expect((await tenant.send('POST', '/data/rest/note', { id: 'm', owner: null })).status).toBe(422);
});

test('an update fills nothing', async () => {
  await made({ at: null });
  const { body } = await tenant.send('PATCH', '/data/rest/note/id/n', { text: 'b' });
  expect(body.data[0]).toMatchObject({ at: null, text: 'b' });
});

test('the documents ask for no value and say where it comes from', async () => {
  const document = (await tenant.send('GET', '/data/schema/openapi.json', undefined, { principal: SUPERADMIN })).body;
  expect(document.components.schemas['note.create'].required).toEqual(['id']);
  const { body } = await tenant.send('GET', '/data/schema/entities/note');
  const fields = body.fields as { name: string; default?: unknown; default_from?: unknown }[];
  expect(fields.map(({ name, default: value, default_from: from }) => [name, value ?? from])).toEqual([
    ['id', undefined],
    ['owner', 'principal.subject'],
    ['tenant', 'principal.tenant'],
    ['at', 'now'],
    ['day', 'now'],
    ['said', 'now'],
    ['text', undefined],
  ]);
});
