/** Plans that add a text index, build another in its place and drop it, while the tenant serves. */
import { expect, test } from 'vitest';
import { provisionSchema } from '#actors/engine/schema/apply.ts';
import { MemoryStore } from '#test/storage/memory.ts';
import { entityOf, productOf } from '#test/kit/data-call.ts';
import { expectConsistent, MortalStore, text, thing, World } from './kit.ts';

const FIELDS = { title: text, body: { type: 'text' } } as const;
const search = (fields: readonly string[], language = 'none', stopWords: readonly string[] = []) => ({
  search: { fields, language, stopWords },
});
const ROWS = 150;

const plain = thing(FIELDS);
const titles = thing(FIELDS, search(['title']));
const english = thing(FIELDS, search(['title', 'body'], 'english'));

async function filled(store?: MemoryStore, product = plain): Promise<World> {
  if (store !== undefined) await provisionSchema(store, product);
  const world = await World.open(product, store);
  for (let no = 0; no < ROWS; no++)
    await world.make({ title: `row ${no % 3 === 0 ? 'running' : 'walking'}`, body: no % 5 === 0 ? 'seldom' : null });
  return world;
}

const count = async (world: World, query: string): Promise<unknown> => {
  const { status, body } = await world.send('POST', 'rest/thing/search?[aggregate]=count', { query });
  return status === 200 ? body.data[0].count : status;
};

test('a text index is built over the rows that are there, replaced and dropped', async () => {
  const world = await filled();
  expect(await count(world, 'running')).toBe(501);
  world.product = titles;
  const plan = await world.plan();
  expect(plan.steps).toEqual([
    expect.objectContaining({
      SchemaOp: 'create_text_index',
      Identifier: 'thing_search',
      Risk: 'medium',
      SQL: expect.stringContaining('USING gin (to_tsvector('),
      Transactional: false,
    }),
  ]);
  expect((await world.apply(plan.plan_id)).body.status).toBe('applied');
  expect([await count(world, 'running'), await count(world, 'run'), await count(world, 'seldom')]).toEqual([50, 0, 0]);
  expectConsistent(world);

  expect((await world.become(english, {})).body.status).toBe('applied');
  expect([await count(world, 'runs'), await count(world, 'seldom')]).toEqual([50, 30]);
  expectConsistent(world);
  expect((await world.plan()).steps).toEqual([]);

  world.product = plain;
  expect((await world.plan()).refusals).toEqual([expect.stringContaining('drops need allow_drops')]);
  const dropped = await world.plan({ allow_drops: true });
  expect(dropped.steps.map(({ SchemaOp }: { SchemaOp: string }) => SchemaOp)).toEqual(['drop_text_index']);
  expect((await world.apply(dropped.plan_id)).body.status).toBe('applied');
  expect(await count(world, 'running')).toBe(501);
  expectConsistent(world);
});

test('the present index answers while another is built, and writes keep up both', async () => {
  const world = await filled(undefined, titles);
  world.product = english;
  const { plan_id } = await world.plan();
  const applying = world.apply(plan_id);
  const isBuilding = (): boolean => world.stored.entities[0]!.texts!.some(({ building }) => building === true);
  while (!isBuilding()) await new Promise((resolve) => setImmediate(resolve));
  expect([await count(world, 'running'), await count(world, 'seldom')]).toEqual([50, 0]);
  const id = await world.make({ title: 'running late', body: 'seldom' });
  const [first] = await world.rows('limit=1&orderby=id');
  const last = (await world.rows('limit=1&orderby=-id&title=row walking'))[0]!;
  for (const row of [first!, last]) {
    const sent = await world.send('PATCH', `rest/thing/id/${String(row['id'])}`, { title: 'changed', body: 'changed' });
    expect(sent.status).toBe(200);
  }
  expect(isBuilding()).toBe(true);
  expect((await applying).body.status).toBe('applied');
  expect([await count(world, 'late'), await count(world, 'changes')]).toEqual([1, 2]);
  expectConsistent(world);
  expect((await world.send('DELETE', `rest/thing/id/${id}?purge=true`)).status).toBe(200);
  expect(await count(world, 'late')).toBe(0);
  expectConsistent(world);
});

test('a field that goes or takes another type takes its index along, and the plan builds one anew', async () => {
  const world = await filled(undefined, titles);
  const longer = thing({ ...FIELDS, title: { type: 'text' } }, search(['title']));
  expect((await world.become(longer)).body.status).toBe('applied');
  expect(await count(world, 'running')).toBe(50);
  expectConsistent(world);
  const without = thing({ body: FIELDS.body }, search(['body']));
  expect((await world.become(without)).body.status).toBe('applied');
  expect([await count(world, 'running'), await count(world, 'seldom')]).toEqual([0, 30]);
  expectConsistent(world);
  expect((await world.become(productOf([entityOf('other', { a: text })]))).body.status).toBe('applied');
  expectConsistent(world);
});

test('a process that dies at any commit of the plan leaves an index that another apply completes', async () => {
  for (let nth = 1; nth <= 9; nth += 2) {
    const store = new MortalStore();
    const killed = await filled(store);
    killed.product = english;
    const { plan_id } = await killed.plan();
    store.diesAt = store.commits + nth;
    const isOver = await killed.apply(plan_id).then(
      () => true,
      () => false,
    );
    store.diesAt = Infinity;
    const world = await World.open(plain, store);
    world.product = english;
    expect(await world.make({ title: 'running after', body: null })).toBeTruthy();
    if (!isOver) expect((await world.apply(plan_id)).body.status).toBe('applied');
    expect([await count(world, 'run'), await count(world, 'seldom')]).toEqual([51, 30]);
    expectConsistent(world);
  }
});

test('provisioning builds the index over rows that are there', async () => {
  const store = new MemoryStore();
  const before = await filled(store);
  expect(before.stored.entities[0]!.texts).toBeUndefined();
  const { steps } = await provisionSchema(store, english);
  expect(steps).toEqual([expect.objectContaining({ kind: 'add_text', entity: 'thing' })]);
  const world = await World.open(english, store);
  expect([await count(world, 'run'), await count(world, 'seldom')]).toEqual([50, 30]);
  expectConsistent(world);
  const { conflicts } = await provisionSchema(store, titles);
  expect(conflicts).toEqual([expect.objectContaining({ kind: 'change_text' })]);
  expect((await provisionSchema(store, plain)).conflicts).toEqual([expect.objectContaining({ kind: 'remove_text' })]);
});
