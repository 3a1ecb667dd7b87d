/** A definition that does not compile, met by a tenant that wakes over it: it takes itself along, and nothing else. */
import { describe, expect, test } from 'vitest';
import type { ActionDefinition, EntityDefinition, ProductDefinition } from '#config/definitions/product.ts';
import { definitionFaults } from '#actors/data/definition-faults.ts';
import { provisionSchema } from '#actors/engine/schema/apply.ts';
import { MemoryStore } from '#test/storage/memory.ts';
import { DataTenant, entityOf, productOf, SUPERADMIN, USER, type EntityOptions } from '#test/kit/data-call.ts';

const sql = (text: string) => ({
  params: {},
  sql: { text, file: 'actions/a.yaml', line: 5, column: 7 },
  where: 'actions/a.yaml:4:3',
});
const rule = (text: string) => ({ language: 'cel' as const, rule: text, where: 'actions/a.yaml:2:2' });
const actionOf = (name: string, text: string, more: Partial<ActionDefinition> = {}): ActionDefinition => ({
  name,
  description: '',
  entities: null,
  access: rule('true'),
  sections: { read: sql(text) },
  where: 'actions/a.yaml:1:1',
  ...more,
});

const town = entityOf('town', { name: { type: 'string' } });
const street = (fields: EntityDefinition['fields'] = {}, options: EntityOptions = {}) =>
  entityOf(
    'street',
    { name: { type: 'string' }, of: { type: 'ref', ref: { entity: 'town', on_delete: 'restrict' } }, ...fields },
    options,
  );

/** A tenant that was provisioned with a sound product, with a town and a street in it, awake over another one. */
async function wokenOver(product: ProductDefinition) {
  const store = new MemoryStore();
  const sound = productOf([town, street()]);
  const before = await DataTenant.open(sound, { store });
  const [bonn] = (await before.send('POST', '/data/rest/town', { name: 'Bonn' })).body.data;
  const [lane] = (await before.send('POST', '/data/rest/street', { name: 'Lane', of: bonn.id })).body.data;
  const tenant = await DataTenant.open(product, { store, provision: false });
  return { tenant, bonn: bonn.id as string, lane: lane.id as string };
}

describe('an entity', () => {
  const KINDS: readonly (readonly [string, ProductDefinition])[] = [
    ['a row rule', productOf([town, street({}, { rowRule: 'unknown' })])],
    ['a reference', productOf([town, street({ r: { type: 'ref', ref: { entity: 'nope' } } })])],
    ['an index', productOf([town, street({}, { index: [['nope']] })])],
    ['a pattern', productOf([town, street({ name: { type: 'string', pattern: '(?=a)' } })])],
    ['a default', productOf([town, street({ name: { type: 'string', default: 5 } })])],
    ['a format', productOf([town, street({ name: { type: 'string', format: 'nope' } })])],
  ];
  test.each(KINDS)('with a fault in %s denies everything, the others are served', async (_, product) => {
    expect(await definitionFaults(product)).toHaveLength(1);
    const { tenant, bonn, lane } = await wokenOver(product);
    for (const principal of [USER, SUPERADMIN]) {
      const as = { principal };
      expect((await tenant.send('GET', '/data/rest/street', undefined, as)).status).toBe(403);
      expect((await tenant.send('GET', `/data/rest/street/id/${lane}`, undefined, as)).status).not.toBe(200);
      expect((await tenant.send('POST', '/data/rest/street', { name: 'New' }, as)).status).toBe(403);
    }
    expect((await tenant.send('GET', '/data/rest/town')).body.total).toBe(1);
    expect((await tenant.send('POST', '/data/rest/town', { name: 'Ulm' })).status).toBe(201);
    // Its rows are there all the same: what refers to a town still keeps it.
    expect((await tenant.send('DELETE', `/data/rest/town/id/${bonn}`)).status).toBe(422);
  });

  test('with a fault in the rule of one operation denies that operation alone', async () => {
    const access = { read: 'true', create: 'row.', update: 'true' };
    const { tenant, lane } = await wokenOver(productOf([town, street({}, { access })]));
    expect((await tenant.send('GET', '/data/rest/street')).body.total).toBe(1);
    expect((await tenant.send('PATCH', `/data/rest/street/id/${lane}`, { name: 'Road' })).status).toBe(200);
    const made = await tenant.send('POST', '/data/rest/street', { name: 'New' }, { principal: SUPERADMIN });
    expect(made.status).toBe(403);
  });
});

describe('an action', () => {
  test.each<readonly [string, ActionDefinition]>([
    ['an unknown column', actionOf('bad', 'select nope from town')],
    ['a syntax error', actionOf('bad', 'selec name from town')],
    ['a parameter that is not declared', actionOf('bad', 'select name from town where name = :nope')],
    ['its access', actionOf('bad', 'select name from town', { access: rule('principal.') })],
  ])('with a fault in %s is not served, the others are', async (_, bad) => {
    const product = { ...productOf([town, street()]), actions: [actionOf('good', 'select name from town'), bad] };
    expect(await definitionFaults(product)).toMatchObject([{ part: 'read section of the action bad' }]);
    const { tenant } = await wokenOver(product);
    expect((await tenant.send('GET', '/data/actions/good')).body.total).toBe(1);
    const unserved = { status: 503, body: { code: 'v2.engine_unavailable' }, headers: { 'Retry-After': '1' } };
    expect(await tenant.send('GET', '/data/actions/bad')).toMatchObject(unserved);
    expect(await tenant.send('POST', '/data/rest/town/action/bad', {})).toMatchObject(unserved);
    expect((await tenant.send('GET', '/data/rest/town')).body.total).toBe(1);
  });
});

test('a materialized field whose expression does not compile keeps its values, the rest is served', async () => {
  const count = { materialize: { entity: 'street', ref: 'of', value: 'cel', of: 'row.' } } as const;
  const sound = { ...count.materialize, of: 'row.name' };
  const product = (materialize: typeof sound | typeof count.materialize) =>
    productOf([entityOf('town', { name: { type: 'string' }, seen: { type: 'string', materialize } }), street()]);
  const store = new MemoryStore();
  await provisionSchema(store, product(sound));
  const tenant = await DataTenant.open(product(count.materialize), { store, provision: false });
  expect(await definitionFaults(product(count.materialize))).toHaveLength(1);
  expect((await tenant.send('POST', '/data/rest/town', { name: 'Bonn' })).status).toBe(201);
  expect((await tenant.send('GET', '/data/rest/town')).body.total).toBe(1);
});
