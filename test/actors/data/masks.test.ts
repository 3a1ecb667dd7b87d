/** Masks on every way out, and which principals see the values. */
import { beforeAll, describe, expect, test } from 'vitest';
import { partOf } from '#actors/data/part.ts';
import { maskOf } from '#actors/kit/mask.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { DataTenant, entityOf, productOf, USER } from '#test/kit/data-call.ts';

const FIELDS = {
  name: { type: 'string' },
  email: { type: 'string', mask: 'email' },
  card: { type: 'string', mask: 'last4' },
  income: { type: 'integer', mask: 'redact' },
  born: { type: 'date', mask: 'null' },
} as const;
const rules = { create: 'true', read: 'true', update: 'true', delete: 'true' };
const clerk: Principal = { ...USER, roles: ['clerk'] };
const product = productOf([
  entityOf('person', FIELDS, { access: { ...rules, unmask: "'clerk' in principal.roles" } }),
  entityOf(
    'own',
    { ...FIELDS, owner: { type: 'string' } },
    { access: { ...rules, unmask: 'row.owner == principal.subject' } },
  ),
  entityOf(
    'photo',
    { image: { type: 'file', mask: 'null' } },
    { access: { ...rules, unmask: "'clerk' in principal.roles" } },
  ),
  entityOf('diary', { person_id: { type: 'ref', ref: { entity: 'person' }, mask: 'redact' } }),
  entityOf('letter', { person_id: { type: 'ref', ref: { entity: 'person' } } }),
]);
const ADA = { name: 'Ada', email: 'ada@example.org', card: '4000123412341234', income: 7 };
const SHOWN = { name: 'Ada', email: 'a***@example.org', card: '***1234', income: null };

let tenant: DataTenant;
let id: string;
const get = (path: string, principal = USER) => tenant.send('GET', `/data/rest/${path}`, undefined, { principal });
beforeAll(async () => {
  tenant = await DataTenant.open(product);
  id = (await tenant.send('POST', '/data/rest/person', ADA)).body.data[0].id;
  await tenant.send('POST', '/data/rest/letter', { person_id: id });
  for (const owner of ['u1', 'u2']) await tenant.send('POST', '/data/rest/own', { ...ADA, owner });
});

describe('masked fields', () => {
  test('are masked in a list, a row, a projection, an include, a search and the reply to a write', async () => {
    expect((await get('person')).body.data[0]).toMatchObject(SHOWN);
    expect((await get(`person/id/${id}`)).body.data[0]).toMatchObject(SHOWN);
    expect((await get(`person/id/${id}?select=card`)).body.data).toEqual([{ card: '***1234' }]);
    expect((await get('letter?include=person')).body.data[0].person).toMatchObject(SHOWN);
    expect((await tenant.send('POST', '/data/rest/person/search', {})).body.data[0]).toMatchObject(SHOWN);
    expect((await tenant.send('PATCH', `/data/rest/person/id/${id}`, { name: 'Ada' })).body.data[0]).toMatchObject(
      SHOWN,
    );
  });

  test('are masked in the row as other surfaces show it', async () => {
    const model = partOf(tenant.activation).models.get('person')!;
    const slots = model.pad([]);
    for (const [name, value] of Object.entries(ADA)) slots[model.column(name)!.at] = value;
    expect(model.show(slots)).toMatchObject(SHOWN);
    expect(model.shape(slots)).toMatchObject(ADA);
  });

  test('are masked in an export of every format, in an answer that is made anew, and in an older state', async () => {
    const bulk = async (format: string) =>
      (await tenant.send('PATCH', `/data/bulk?entity=person&format=${format}`)).body;
    for (const format of ['json', 'jsonl', 'csv']) expect(JSON.stringify(await bulk(format))).not.toContain('ada@');
    const extra = 'idempotency-key:k1\n';
    const again = () => tenant.send('POST', '/data/rest/person', { ...ADA, name: 'Eve' }, { principal: USER, extra });
    const first = await again();
    expect(first.body.data[0]).toMatchObject({ ...SHOWN, name: 'Eve' });
    expect((await again()).body).toEqual(first.body);
    await tenant.send('DELETE', `/data/rest/person/id/${first.body.data[0].id}`);
  });

  test('a relation by a masked field is not there', async () => {
    expect(await get('diary?include=person')).toMatchObject({ status: 422, body: { code: 'v2.query_failed' } });
    expect((await get('person?include=diary_by_person')).body.error).toContain('only letter_by_person');
  });

  test('a masked file is given to principals that may unmask it, and only on request', async () => {
    const { id: photo } = (await tenant.send('POST', '/data/rest/photo', {})).body.data[0];
    const bytes = (query: string, principal: Principal) =>
      get(`photo/id/${photo}?download=true&field=image${query}`, principal);
    expect(await bytes('', clerk)).toMatchObject({ status: 403, body: { code: 'v2.query_failed' } });
    expect((await bytes('&unmask=true', USER)).status).toBe(403);
    expect((await bytes('&unmask=true', clerk)).body.code).toBe('v2.file_downloader_unconfigured');
  });

  test('are shown to principals that access.unmask allows, and only on request', async () => {
    expect((await get('person', clerk)).body.data[0]).toMatchObject(SHOWN);
    expect((await get('person?unmask=true', clerk)).body.data[0]).toMatchObject(ADA);
    expect((await get(`person/id/${id}?unmask=true`, clerk)).body.data[0]).toMatchObject(ADA);
    expect(await get('person?unmask=true')).toMatchObject({ status: 403, body: { code: 'v2.query_failed' } });
    const own = (await get('own?unmask=true&orderby=owner')).body.data;
    expect(own.map((row: { email: string }) => row.email)).toEqual(['ada@example.org', 'a***@example.org']);
  });

  test.each([
    'email=ada@example.org',
    '[or]=[{"name":"Ada"},{"[not]":{"email":"ada@example.org"}}]',
    'income[gt]=1',
    'orderby=card',
    'groupby=email',
    'groupby=name&select=max(income)',
    'groupby=name&select=count(income)',
    '[aggregate]=count(email)',
    '[aggregate]=count,count_distinct(email)',
    '[aggregate]=sum(income)',
    'groupby=name&[aggregate]=min(income)',
    '[bucket]=month(born)',
    '[bucket]=month(born)&[aggregate]=count(name)',
  ])('cannot be guessed by %s', async (asked) => {
    expect(await get(`person?${asked}`)).toMatchObject({ status: 403, body: { code: 'v2.query_failed' } });
    expect((await get(`person?${asked}`, clerk)).status).toBe(200);
  });

  test.each([
    ['redact', 'abc', '***'],
    ['null', 'abc', null],
    ['initial', '😀bc', '😀***'],
    ['initial', '', ''],
    ['last4', '1234567', '***'],
    ['phone', '+431234567', '***4567'],
    ['email', 'no-address', '***'],
    ['email', 'a@b@c', 'a***@c'],
    ['redact', 7, null],
    ['redact', null, null],
  ] as const)('%s of %j is %j', (name, value, shown) => expect(maskOf(name)(value)).toBe(shown));
});
