/** A plan dies at each of its commits: whatever it leaves is served, and applying the same plan again ends it, with the ledger true. */
import { expect, test } from 'vitest';
import { entityOf, productOf } from '#test/kit/data-call.ts';
import { expectConsistent, MortalStore, text, World } from './kit.ts';

const before = productOf([
  entityOf(
    'thing',
    { a: text, n: { type: 'string', index: true }, m: { type: 'integer', index: true }, gone: text },
    { index: [['a', 'gone']] },
  ),
  entityOf('old', { a: { ...text, index: true } }, { traits: ['versioned'] }),
]);
const after = productOf([
  entityOf('thing', {
    a: { ...text, unique: true, max_length: 9 },
    n: { type: 'integer', index: true },
    m: { type: 'integer', index: true, default: 5, nullable: false },
    extra: { type: 'integer', default: 1 },
  }),
  entityOf('new', { thing_id: { type: 'ref', ref: { entity: 'thing' } } }),
]);
const ROWS = 60;

async function populated(): Promise<{ world: World; store: MortalStore; planId: string }> {
  const first = await World.open(before);
  const store = new MortalStore();
  for (const { key, value } of first.tenant.store.begin().range('', '\xff\xff\xff\xff')) put(store, key, value);
  const world = await World.open(before, store);
  for (let i = 0; i < ROWS; i++) {
    await world.make({ a: `a${i}`, n: String(i), m: i % 2 === 0 ? null : i, gone: 'x' });
    await world.make({ a: `o${i}` }, 'old');
  }
  world.product = after;
  const { plan_id: planId, refusals } = await world.plan({ allow_drops: true });
  expect(refusals).toBeUndefined();
  return { world, store, planId };
}

function put(store: MortalStore, key: string, value: Uint8Array): void {
  const turn = store.begin();
  turn.put(key, value.slice());
  turn.commit();
}

/** How many commits the plan makes when nothing happens to it. */
async function commitsOf(): Promise<number> {
  const { world, store, planId } = await populated();
  const start = store.commits;
  expect((await world.apply(planId)).body.status).toBe('applied');
  expectConsistent(world);
  return store.commits - start;
}

test('killed at every commit of apply: resumed, the ledger true, no row lost', { timeout: 120_000 }, async () => {
  const commits = await commitsOf();
  expect(commits).toBeGreaterThan(20);
  for (let nth = 1; nth <= commits; nth++) {
    const { world: killed, store, planId } = await populated();
    store.diesAt = store.commits + nth;
    await expect(killed.apply(planId), `commit ${nth}`).rejects.toThrow('the process is dead');
    store.diesAt = Infinity;

    const world = await World.open(nth % 2 === 0 ? before : after, store);
    world.product = after;
    const ledger = (await world.send('GET', `admin/data/plans/${planId}`)).body;
    const done = ledger.steps.filter(({ Status }: { Status: string }) => Status === 'applied').length;
    expect(ledger.plan.AppliedCount).toBe(done);
    expect((await world.rows('limit=1000')).length).toBe(ROWS);
    const late = await world.send('POST', 'rest/thing', { a: 'late', m: 7 });
    expect(late.status, JSON.stringify(late.body)).toBe(201);

    const { body } = await world.apply(planId);
    expect([body.status, body.steps_applied, body.steps_skipped], `commit ${nth}`).toEqual([
      'applied',
      ledger.steps.length - done,
      done,
    ]);
    expectConsistent(world);
    expect((await world.plan({ allow_drops: true })).steps).toEqual([]);
    const rows = await world.rows('limit=1000&orderby=n');
    expect(rows.filter(({ a }) => a !== 'late').map(({ a, n, m, extra }) => [a, n, m, extra])).toEqual(
      Array.from({ length: ROWS }, (_, i) => [`a${i}`, i, i % 2 === 0 ? 5 : i, 1]),
    );
    expect((await world.rows('a=late')).length).toBe(1);
  }
});

test('what one plan left half done is cleared by another', async () => {
  const { world: killed, store, planId } = await populated();
  const steps = (await killed.send('GET', `admin/data/plans/${planId}`)).body.steps as { SchemaOp: string }[];
  expect(steps.some(({ SchemaOp }) => SchemaOp === 'create_unique_index')).toBe(true);
  const isBuilding = (): boolean => killed.stored.entities[0]!.indexes.some(({ building }) => building);
  const applying = killed.apply(planId).catch(() => undefined);
  while (!isBuilding()) await new Promise((resolve) => setImmediate(resolve));
  store.diesAt = store.commits + 1;
  await applying;
  store.diesAt = Infinity;

  const world = await World.open(before, store);
  const another = await world.become(productOf([...Object.values(before.entities), entityOf('further', { a: text })]), {
    allow_drops: true,
  });
  expect(another.body.status).toBe('applied');
  expect(world.stored.entities[0]!.indexes.some(({ building }) => building)).toBe(false);
  expectConsistent(world);
});
