/** A text index and rows that do not know of one another are found, in a stopped directory and while the tenant is served. */
import { expect, test } from 'vitest';
import { scrubEntities } from '#actors/engine/integrity/scrub/store.ts';
import { checkEntities } from '#actors/engine/integrity/store.ts';
import { loadSchema } from '#actors/engine/schema/store.ts';
import { documentsRange } from '#actors/engine/search/store.ts';
import { entryFault } from '#storage/entry-fault.ts';
import { u16 } from '#storage/key.ts';
import { DataTenant, entityOf, productOf, SUPERADMIN } from '#test/kit/data-call.ts';

const product = productOf([
  entityOf(
    'note',
    { id: { type: 'string' }, title: { type: 'string' } },
    { traits: ['soft_delete'], search: { fields: ['title'], language: 'none', stopWords: [] } },
  ),
]);

async function tenantOf(): Promise<DataTenant> {
  const tenant = await DataTenant.open(product);
  for (const id of ['n1', 'n2', 'n3']) {
    const { status } = await tenant.send('POST', '/data/rest/note', { id, title: `words of ${id}` });
    expect(status).toBe(201);
  }
  await tenant.send('POST', '/data/rest/note', { id: 'n4', title: '…' });
  await tenant.send('DELETE', '/data/rest/note/id/n3');
  return tenant;
}

const noteIn = ({ store }: DataTenant) => loadSchema(store.begin()).entities[0]!;

/** What both checks say, which must be the same. */
function faults({ store }: DataTenant): string[] {
  const turn = store.begin();
  const found = [...checkEntities(turn)].map(({ kind, what, mend }) => {
    expect([kind, mend]).toEqual(['index', []]);
    return what;
  });
  const ports = { now: turn, frozen: () => store.snapshot(), isOver: () => true, fine: () => 0 };
  expect([...scrubEntities(ports)].flatMap((step) => step.faults.map(({ what }) => what))).toEqual(found);
  return found;
}

const change = ({ store }: DataTenant, key: string, value: Uint8Array | null): void => {
  const turn = store.begin();
  if (value === null) turn.del(key);
  else turn.put(key, value);
  turn.commit();
};

const documentKeys = (tenant: DataTenant): string[] => {
  const { from, to } = documentsRange(noteIn(tenant).texts![0]!);
  return [...tenant.store.begin().range(from, to)].map(({ key }) => key);
};

test('a sound index has no fault, and each of its entries lies as entries of tables do', async () => {
  const tenant = await tenantOf();
  expect(faults(tenant)).toEqual([]);
  const { no } = noteIn(tenant).texts![0]!;
  let entries = 0;
  for (const entry of tenant.store.begin().range(u16(no), u16(no + 1))) {
    const place = { tenant: 1, datastore: 0, table: no, tableName: undefined, tuple: '' };
    expect(entryFault(entry, place, 'here')).toBeNull();
    entries++;
  }
  expect(entries).toBeGreaterThan(8);
});

test('a row that the index does not know, one that it cannot read and one that is gone are named', async () => {
  const tenant = await tenantOf();
  const [first, second] = documentKeys(tenant);
  const document = Buffer.from(tenant.store.begin().get(first!)!);
  change(tenant, first!, null);
  expect(faults(tenant)).toEqual(['the text index (title) does not know a row that has words']);
  change(tenant, first!, document);
  const bytes = Buffer.from(tenant.store.begin().get(second!)!);
  bytes[8]! ^= 1;
  change(tenant, second!, bytes);
  expect(faults(tenant)).toEqual(['the text index (title) holds words of a row that cannot be read']);
  change(tenant, second!, document);
  expect(faults(tenant)).toEqual(['the text index (title) leads from a document to another row']);
  change(tenant, second!, null);
  change(tenant, first!.replace('n1', 'n9'), document);
  expect(faults(tenant)).toEqual([
    'the text index (title) does not know a row that has words',
    'the text index (title) has the words of a row that is gone',
  ]);
});

test('the words of a deleted row are a fault', async () => {
  const tenant = await tenantOf();
  const [first] = documentKeys(tenant);
  const document = Buffer.from(tenant.store.begin().get(first!)!);
  change(tenant, first!.replace('n1', 'n3'), document);
  expect(faults(tenant)).toEqual(['the text index (title) has the words of a row that is deleted']);
});

test('a row that cannot be read takes its words along when it is set aside', async () => {
  const tenant = await tenantOf();
  const { table } = noteIn(tenant);
  for (const { key, value } of tenant.store.begin().range(u16(table), u16(table + 1))) {
    if (!key.includes('n1')) continue;
    const bytes = Buffer.from(value);
    bytes[12]! ^= 1;
    change(tenant, key, bytes);
  }
  const search = async () => {
    const { body } = await tenant.send('POST', '/data/rest/note/search', { query: 'words' });
    return body.data.map(({ id }: { id: string }) => id);
  };
  expect(await search()).toEqual(['n2']);
  expect(documentKeys(tenant)).toHaveLength(2);
  const { status } = await tenant.send('DELETE', '/data/rest/note/id/n1', undefined, { principal: SUPERADMIN });
  expect(status).toBe(200);
  expect(documentKeys(tenant)).toHaveLength(1);
  expect(await search()).toEqual(['n2']);
  expect(faults(tenant)).toEqual([]);
});
