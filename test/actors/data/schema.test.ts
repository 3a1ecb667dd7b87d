/** The stored schema: what provisioning adds, what it only reports, and rows that are older than their fields. */
import { describe, expect, test } from 'vitest';
import { provisionSchema } from '#actors/engine/schema/apply.ts';
import { DuplicateValues } from '#actors/engine/schema/build-index.ts';
import { loadSchema } from '#actors/engine/schema/store.ts';
import { definitionFaults } from '#actors/data/definition-faults.ts';
import { faultText } from '#actors/kit/part-fault.ts';
import { DYNAMIC_TABLE_FIRST } from '#storage/catalogue.ts';
import { MemoryStore } from '#test/storage/memory.ts';
import type { FieldDefinition } from '#config/definitions/product.ts';
import { DataTenant, entityOf, productOf, type EntityOptions } from '#test/kit/data-call.ts';

const thing = (fields: Readonly<Record<string, FieldDefinition>>, options: EntityOptions = {}) =>
  productOf([entityOf('thing', fields, options)]);
const first = thing({ a: { type: 'string' } });

function stored(store: MemoryStore) {
  return loadSchema(store.begin()).entities.find((entity) => entity.name === 'thing')!;
}

async function create(tenant: DataTenant, body: object): Promise<string> {
  const answer = await tenant.send('POST', '/data/rest/thing', body);
  expect(answer.status).toBe(201);
  return answer.body.data[0].id;
}

const list = async (tenant: DataTenant, query: string) => (await tenant.send('GET', `/data/rest/thing?${query}`)).body;

describe('provisioning', () => {
  test('gives tables, slots and index numbers once; the same again does nothing', async () => {
    const store = new MemoryStore();
    const diff = await provisionSchema(store, first);
    expect(diff.steps.map((step) => step.kind)).toEqual(['add_entity', 'add_field', 'add_field']);
    expect(stored(store)).toEqual({
      name: 'thing',
      table: DYNAMIC_TABLE_FIRST,
      fields: [
        { name: 'id', type: 'ulid', slot: 0, absent: null, rules: { type: 'ulid', required: true, nullable: false } },
        { name: 'a', type: 'string', slot: 1, absent: null, rules: { type: 'string' } },
      ],
      indexes: [],
    });
    expect((await provisionSchema(store, first)).steps).toEqual([]);
  });

  test('an added field takes the next slot; older rows show its default of that day', async () => {
    const store = new MemoryStore();
    const id = await create(await DataTenant.open(first, { store }), { a: 'old' });
    const grown = { a: { type: 'string' }, n: { type: 'integer', default: 7 }, d: { type: 'date' } } as const;
    const tenant = await DataTenant.open(thing({ d: grown.d, n: grown.n, a: grown.a }), { store });
    expect((await list(tenant, '')).data).toEqual([{ id, d: null, n: 7, a: 'old' }]);
    await create(tenant, { a: 'new', n: 1, d: '2026-02-28' });
    const changed = await DataTenant.open(thing({ ...grown, n: { type: 'integer', default: 8 } }), { store });
    expect((await list(changed, 'orderby=n')).data.map((row: { n: number }) => row.n)).toEqual([1, 7]);
    await changed.send('PATCH', `/data/rest/thing/id/${id}`, { d: '2026-03-01' });
    expect((await list(changed, 'a=old')).data).toEqual([{ id, a: 'old', n: 7, d: '2026-03-01' }]);
  });

  test('an index added to rows is built, and used', async () => {
    const store = new MemoryStore();
    const tenant = await DataTenant.open(first, { store });
    for (const a of ['x', 'y', 'x']) await create(tenant, { a });
    const indexed = await DataTenant.open(thing({ a: { type: 'string', index: true } }), { store });
    const body = await list(indexed, 'a=x&stats=true');
    expect(body.count).toBe(2);
    expect(body.stats.plan).toEqual({ access: 'index', index: ['a'], bound: 1, sorted: false });
  });

  test('a unique index over rows that collide is refused and changes nothing', async () => {
    const store = new MemoryStore();
    const tenant = await DataTenant.open(first, { store });
    for (const a of ['x', 'x', null]) await create(tenant, { a });
    const before = stored(store);
    const unique = thing({ a: { type: 'string', unique: true }, b: { type: 'string' } });
    await expect(provisionSchema(store, unique)).rejects.toThrow(DuplicateValues);
    expect(stored(store)).toEqual(before);
    await tenant.send('DELETE', `/data/rest/thing/id/${(await list(tenant, 'a=x')).data[0].id}`);
    await provisionSchema(store, unique);
    const claimed = await DataTenant.open(unique, { store });
    expect((await claimed.send('POST', '/data/rest/thing', { a: 'x' })).status).toBe(422);
    await create(claimed, { a: null });
  });

  test('retypes and removals are reported, not applied', async () => {
    const store = new MemoryStore();
    await provisionSchema(store, thing({ a: { type: 'string' }, b: { type: 'integer', index: true } }));
    const before = stored(store);
    const diff = await provisionSchema(store, thing({ a: { type: 'integer' } }));
    expect(diff.conflicts.map((conflict) => conflict.message)).toEqual([
      'retype field thing.a: string to integer',
      'remove field thing.b',
      'remove index thing.b',
    ]);
    expect(stored(store)).toEqual(before);
  });

  test('a field that left the definition keeps its values through updates', async () => {
    const store = new MemoryStore();
    const both = thing({ a: { type: 'string' }, b: { type: 'integer', index: true } });
    const id = await create(await DataTenant.open(both, { store }), { a: 'x', b: 5 });
    const without = await DataTenant.open(first, { store });
    const updated = await without.send('PATCH', `/data/rest/thing/id/${id}`, { a: 'y' });
    expect(updated.body.data).toEqual([{ id, a: 'y' }]);
    await create(without, { a: 'z' });
    const again = await DataTenant.open(both, { store });
    expect((await list(again, 'b=5')).data).toEqual([{ id, a: 'y', b: 5 }]);
  });
});

describe('serving', () => {
  test('never changes the schema: what is declared and not stored is not there', async () => {
    const store = new MemoryStore();
    const empty = await DataTenant.open(first, { store, provision: false });
    expect(empty.warnings, 'a tenant on its way to be provisioned').toHaveLength(0);
    expect((await empty.send('GET', '/data/rest/thing')).body.code).toBe('v2.entity_not_found');
    await empty.send('GET', '/data/rest/thing');
    expect(empty.warnings, 'said once').toHaveLength(1);
    await provisionSchema(store, first);
    const newer = await DataTenant.open(thing({ a: { type: 'string' }, b: { type: 'string' } }), {
      store,
      provision: false,
    });
    expect((await newer.send('POST', '/data/rest/thing', { b: 'x' })).status).toBe(422);
    await create(newer, { a: 'x' });
    expect(stored(store).fields).toHaveLength(2);
  });
});

describe('definitions that cannot be used name their place', () => {
  test.each([
    ['a rule', thing({}, { access: { read: 'row.' } }), 'thing.access.read'],
    ['a row rule', thing({}, { rowRule: 'unknown' }), 'thing.row_rule'],
    ['a reference', thing({ r: { type: 'ref', ref: { entity: 'nope' } } }), 'nope'],
    ['an index', thing({}, { index: [['nope']] }), 'nope'],
    ['an index over json', thing({ j: { type: 'json', index: true } }), 'json'],
    ['a pattern', thing({ a: { type: 'string', pattern: '(?=a)' } }), 'pattern of a'],
    ['a format', thing({ a: { type: 'string', format: 'nope' } }), 'format of a'],
    ['a default', thing({ a: { type: 'integer', default: 'x' } }), 'default of a'],
    ['a marker', thing({ version: { type: 'string' } }, { traits: ['versioned'] }), 'version'],
    ['a key', thing({ id: { type: 'boolean' } }), 'key'],
  ])('%s', async (_, product, named) => {
    const faults = await definitionFaults(product);
    expect(faults).toHaveLength(1);
    expect(faultText(faults[0]!)).toMatch(/^entities\/thing\.yaml:1:1/);
    expect(faultText(faults[0]!)).toContain(named);
  });
});
