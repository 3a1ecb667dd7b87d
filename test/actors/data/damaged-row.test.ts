/** A row that cannot be read: which callers learn of it, which may remove it, and what goes with it. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { checkEntities } from '#actors/engine/integrity/store.ts';
import { loadSchema } from '#actors/engine/schema/store.ts';
import { TABLES } from '#storage/catalogue.ts';
import { u16 } from '#storage/key.ts';
import { DataTenant, entityOf, productOf, SUPERADMIN, type EntityOptions } from '#test/kit/data-call.ts';

const fields = {
  id: { type: 'string' },
  owner: { type: 'string', index: true },
  code: { type: 'string', unique: true },
} as const;

const rules = (more: Readonly<Record<string, string>>): EntityOptions['access'] => ({
  create: 'true',
  read: 'true',
  update: 'true',
  delete: 'true',
  purge: 'true',
  restore: 'true',
  ...more,
});

/** A tenant with a few notes, of which one is damaged. */
async function tenantOf(options: EntityOptions, rows = 5, damaged: readonly string[] = ['n1']): Promise<DataTenant> {
  const tenant = await DataTenant.open(productOf([entityOf('note', fields, options)]));
  for (let n = 0; n < rows; n++)
    await tenant.send('POST', '/data/rest/note', { id: `n${n}`, owner: `u${n % 2}`, code: `c${n}` });
  for (const id of damaged) damage(tenant, 'note', (key) => key.includes(`${id}\0`));
  return tenant;
}

/** Turns a bit in rows of an entity. */
function damage({ store }: DataTenant, entity: string, isMeant: (key: string) => boolean): void {
  const turn = store.begin();
  const { table } = loadSchema(turn).entities.find(({ name }) => name === entity)!;
  for (const { key, value } of turn.range(u16(table), u16(table + 1))) {
    if (!isMeant(key)) continue;
    const bytes = Buffer.from(value);
    bytes[12]! ^= 1;
    turn.put(key, bytes);
  }
  turn.commit();
}

const PATH = '/data/rest/note/id/n1';
const kept = ({ store }: DataTenant): number =>
  [...store.begin().range(u16(TABLES.set_aside.no), u16(TABLES.set_aside.no + 1))].length;

test('a caller that may read every row learns that it is damaged; any other finds none', async () => {
  const open = await tenantOf({});
  expect(await open.send('GET', PATH)).toMatchObject({ status: 500, body: { code: 'v2.query_failed' } });
  for (const options of [
    { rowRule: 'row.owner == principal.subject' },
    { access: rules({ read: 'row.owner == principal.subject' }) },
  ]) {
    const tenant = await tenantOf(options);
    const absent = await tenant.send('GET', '/data/rest/note/id/none');
    expect(await tenant.send('GET', PATH)).toMatchObject({ status: absent.status, body: { code: absent.body.code } });
  }
});

test('PATCH and DELETE where a row rule might hide it are 404; a rule over the row denies its delete', async () => {
  const hidden = await tenantOf({ rowRule: 'row.owner == principal.subject' });
  for (const method of ['PATCH', 'DELETE'] as const)
    expect((await hidden.send(method, PATH, method === 'PATCH' ? { owner: 'x' } : undefined)).status).toBe(404);
  const own = await tenantOf({ access: rules({ delete: 'row.owner == principal.subject' }) });
  expect(await own.send('DELETE', PATH)).toMatchObject({ status: 500, body: { details: { damaged: true } } });
  const none = await tenantOf({ access: rules({ delete: 'false' }) });
  expect((await none.send('DELETE', PATH)).status).toBe(403);
  for (const tenant of [hidden, own, none]) expect(kept(tenant)).toBe(0);
});

test('a purge asks for the right to purge, and keeps nothing', async () => {
  const may = {
    access: rules({ purge: 'principal.superadmin' }),
    traits: ['soft_delete', 'versioned'],
  } as EntityOptions;
  const tenant = await tenantOf(may);
  expect((await tenant.send('DELETE', `${PATH}?purge=true`)).status).toBe(403);
  const purged = await tenant.send('DELETE', `${PATH}?purge=true`, undefined, { principal: SUPERADMIN });
  expect(purged).toMatchObject({ status: 200, body: { data: [], total: 1 } });
  expect(kept(tenant)).toBe(0);
  expect([...checkEntities(tenant.store.begin())]).toEqual([]);
});

test.each([{}, { traits: ['soft_delete'] }, { traits: ['soft_delete', 'versioned'] }] as EntityOptions[])(
  'its entries, versions and place in the count go, of %o, also where there are many rows',
  async (options) => {
    const rows = 3 * limits.data.referencePageRows;
    const tenant = await tenantOf(options, rows);
    await tenant.send('PATCH', '/data/rest/note/id/n2', { owner: 'other' });
    expect(await tenant.send('DELETE', PATH)).toMatchObject({ status: 200, body: { data: [], count: 0, total: 1 } });
    expect([...checkEntities(tenant.store.begin())]).toEqual([]);
    expect(kept(tenant)).toBe(1);
    expect((await tenant.send('GET', '/data/rest/note?limit=1')).body).toMatchObject({ total: rows - 1 });
    expect((await tenant.send('POST', '/data/rest/note', { id: 'n1', owner: 'u1', code: 'c1' })).status).toBe(201);
  },
);

test('of two damaged rows each is taken out; the count is right once both are gone', async () => {
  const tenant = await tenantOf({ traits: ['soft_delete'] }, 6, ['n1', 'n3']);
  for (const id of ['n1', 'n3']) expect((await tenant.send('DELETE', `/data/rest/note/id/${id}`)).status).toBe(200);
  expect([...checkEntities(tenant.store.begin())]).toEqual([]);
  expect(kept(tenant)).toBe(2);
});

test.each(['restrict', 'cascade', 'setnull', 'noaction'] as const)(
  'a row to which a damaged one may refer is held by name, %s; nothing can be made to refer to a damaged row',
  async (on_delete) => {
    const ref = { type: 'ref', ref: { entity: 'note', on_delete } } as const;
    const tenant = await DataTenant.open(productOf([entityOf('note', fields), entityOf('mark', { of: ref })]));
    await tenant.send('POST', '/data/rest/note', { id: 'n1', owner: 'u', code: 'c' });
    await tenant.send('POST', '/data/rest/mark', { of: 'n1' });
    damage(tenant, 'mark', () => true);
    expect(await tenant.send('DELETE', PATH)).toMatchObject({
      status: 500,
      body: { code: 'v2.delete_failed', error: expect.stringMatching(/a row of mark .* DELETE it/) },
    });
    damage(tenant, 'note', () => true);
    const made = await tenant.send('POST', '/data/rest/mark', { of: 'n1' });
    expect([made.status, JSON.stringify(made.body)]).toEqual([
      422,
      expect.stringContaining('refers to no row of note'),
    ]);
  },
);

test('an upsert and a create under its key learn that it is taken, or damaged', async () => {
  const tenant = await tenantOf({});
  const row = { id: 'n1', owner: 'u9', code: 'c9' };
  expect(await tenant.send('POST', '/data/rest/note', row)).toMatchObject({
    status: 422,
    body: { details: { fields: { id: ['is taken by another row'] } } },
  });
  const upsert = { operations: [{ action: 'upsert', data: { note: row } }] };
  const answer = await tenant.send('POST', '/data/rest', upsert);
  expect([answer.status, JSON.stringify(answer.body)]).toEqual([422, expect.stringContaining('is damaged')]);
});
