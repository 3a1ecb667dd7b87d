/** What a plan does to rows: indexes, constraints, types and drops, applied while the tenant serves. */
import { describe, expect, test } from 'vitest';
import { entityOf, productOf } from '#test/kit/data-call.ts';
import { text, thing, World } from './kit.ts';

describe('an index', () => {
  test('is built while the tenant serves: reads do not use it before, writes are in it after', async () => {
    const world = await World.open(thing({ a: text }));
    const ids: string[] = [];
    for (let i = 0; i < 900; i++) ids.push(await world.make({ a: `x${i % 3}` }));
    world.product = thing({ a: { ...text, index: true } });
    const { plan_id } = await world.plan();
    const applying = world.apply(plan_id);
    while (world.stored.entities[0]!.indexes.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(world.stored.entities[0]!.indexes[0]!.building).toBe(true);
    const during = await world.send('GET', 'rest/thing?a=x1&stats=true&limit=1000');
    expect([during.body.count, during.body.stats.plan.access]).toEqual([300, 'table']);
    await world.send('PATCH', `rest/thing/id/${ids[899]}`, { a: 'x1' });
    await world.send('PATCH', `rest/thing/id/${ids[1]}`, { a: 'other' });
    await world.send('DELETE', `rest/thing/id/${ids[4]}`);
    await world.make({ a: 'x1' });
    expect((await applying).body.status).toBe('applied');
    const after = await world.send('GET', 'rest/thing?a=x1&stats=true&limit=1000');
    expect([after.body.count, after.body.stats.plan.access]).toEqual([300, 'index']);
    expect((await world.rows('a=other')).length).toBe(1);
  });

  test('a unique one over rows that collide fails, names them, and leaves none behind', async () => {
    const world = await World.open(thing({ a: text }));
    const ids = [await world.make({ a: 'x' }), await world.make({ a: 'y' }), await world.make({ a: 'x' })];
    const before = world.stored.entities;
    const { status, body } = await world.become(thing({ a: { ...text, unique: true } }));
    expect([status, body.status, body.failed_step]).toEqual([207, 'failed', 1]);
    expect(body.error).toContain(ids[2]);
    expect(body.error).toContain(ids[0]);
    expect(world.stored.entities).toEqual(before);
    await world.send('DELETE', `rest/thing/id/${ids[2]}`);
    const plan = await world.plan();
    expect((await world.apply(plan.plan_id)).body.status).toBe('applied');
    expect((await world.send('POST', 'rest/thing', { a: 'x' })).status).toBe(422);
  });

  test('a row that leaves a shared value while a unique index is built does not take the other one along', async () => {
    const world = await World.open(thing({ a: text }));
    const ids: string[] = [];
    for (let i = 0; i < 800; i++) ids.push(await world.make({ a: i === 799 ? 'v0' : `v${i}` }));
    world.product = thing({ a: { ...text, unique: true } });
    const { plan_id } = await world.plan();
    const applying = world.apply(plan_id);
    while (!world.stored.entities[0]!.indexes.some(({ building }) => building))
      await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    await world.send('PATCH', `rest/thing/id/${ids[799]}`, { a: 'v799' });
    expect((await applying).body.status).toBe('applied');
    expect((await world.rows('a=v0')).map(({ id }) => id)).toEqual([ids[0]]);
    expect((await world.send('POST', 'rest/thing', { a: 'v0' })).status).toBe(422);
  });
});

describe('constraints', () => {
  test('a wider one is low, a narrower one medium and checked against every row', async () => {
    const world = await World.open(thing({ a: { ...text, max_length: 5 } }));
    const id = await world.make({ a: 'abcde' });
    world.product = thing({ a: { ...text, max_length: 9 } });
    expect((await world.plan()).max_risk).toBe('low');
    world.product = thing({ a: { ...text, max_length: 3 } });
    const refused = await world.plan();
    expect(refused.steps).toEqual([]);
    expect(refused.refusals).toEqual([
      expect.stringContaining(`1 row does not fit thing.a: ${id} (must have at most 3 characters)`),
    ]);
    await world.send('PATCH', `rest/thing/id/${id}`, { a: 'ab' });
    const plan = await world.plan();
    expect(plan.max_risk).toBe('medium');
    expect((await world.apply(plan.plan_id)).body.status).toBe('applied');
    expect((await world.plan()).steps).toEqual([]);
  });

  test('no null any more: rows are filled with the default first, and its index follows', async () => {
    const world = await World.open(thing({ a: text, n: { type: 'integer', index: true } }));
    const id = await world.make({ a: 'x' });
    const { body } = await world.become(
      thing({ a: text, n: { type: 'integer', index: true, default: 3, nullable: false } }),
    );
    expect([body.status, body.steps_applied]).toEqual(['applied', 2]);
    const found = await world.send('GET', 'rest/thing?n=3&stats=true');
    expect([found.body.data, found.body.stats.plan.access]).toEqual([[{ id, a: 'x', n: 3 }], 'index']);
  });

  test('a mandatory field without a default is refused where rows are', async () => {
    const world = await World.open(thing({ a: text }));
    await world.make({ a: 'x' });
    world.product = thing({ a: text, b: { ...text, required: true } });
    expect((await world.plan()).refusals).toEqual([expect.stringContaining('1 rows would have no value in thing.b')]);
  });
});

describe('a type', () => {
  test('is changed row by row; its index is built anew', async () => {
    const world = await World.open(thing({ a: { ...text, index: true } }));
    const ids: string[] = [];
    for (let i = 0; i < 400; i++) ids.push(await world.make({ a: i === 7 ? null : String(i) }));
    world.product = thing({ a: { type: 'integer', index: true } });
    const { plan_id, max_risk, refusals } = await world.plan();
    expect([max_risk, refusals]).toEqual(['high', undefined]);
    const applying = world.apply(plan_id);
    while (world.stored.entities[0]!.fields.every(({ next }) => next === undefined))
      await new Promise((resolve) => setImmediate(resolve));
    expect((await world.send('PATCH', `rest/thing/id/${ids[0]}`, { a: '1000' })).status).toBe(200);
    expect((await world.send('PATCH', `rest/thing/id/${ids[1]}`, { a: 'no number' })).status).toBe(422);
    expect((await world.make({ a: '2000' })).length).toBe(26);
    expect((await applying).body.status).toBe('applied');
    expect((await world.rows('a=1000')).length).toBe(1);
    expect((await world.rows('a=2000')).length).toBe(1);
    expect((await world.rows('a[null]=true')).map(({ id }) => id)).toEqual([ids[7]]);
    expect((await world.rows('orderby=-a&limit=2')).map(({ a }) => a)).toEqual([2000, 1000]);
    expect((await world.plan()).steps).toEqual([]);
  });

  test('rows that do not fit are counted and named, and nothing changes', async () => {
    const world = await World.open(thing({ a: text }));
    await world.make({ a: '1' });
    const id = await world.make({ a: 'one' });
    world.product = thing({ a: { type: 'integer' } });
    const { steps, refusals } = await world.plan();
    expect(steps).toEqual([]);
    expect(refusals).toEqual([expect.stringContaining(`1 row does not fit thing.a: ${id}`)]);
  });

  test('of the key stays', async () => {
    const world = await World.open(thing({ a: text }));
    world.product = thing({ id: { type: 'uuid' }, a: text });
    expect((await world.plan()).refusals).toEqual([expect.stringContaining('keeps its type')]);
  });
});

describe('drops', () => {
  test('need allow_drops', async () => {
    const world = await World.open(thing({ a: { ...text, index: true }, b: text }));
    world.product = thing({ a: text });
    const { steps, refusals } = await world.plan();
    expect(steps).toEqual([]);
    expect(refusals).toEqual([expect.stringContaining('DROP INDEX'), expect.stringContaining('DROP COLUMN')]);
  });

  test('a field is gone, and one of its name later does not show what it held', async () => {
    const world = await World.open(thing({ a: text, b: text }));
    const id = await world.make({ a: 'x', b: 'secret' });
    expect((await world.become(thing({ a: text }))).body.status).toBe('applied');
    expect(await world.rows()).toEqual([{ id, a: 'x' }]);
    expect((await world.become(thing({ a: text, b: text }))).body.status).toBe('applied');
    expect(await world.rows()).toEqual([{ id, a: 'x', b: null }]);
    await world.make({ a: 'y', b: 'new' });
    expect((await world.rows('b=new')).length).toBe(1);
  });

  test('an entity is gone with its rows, entries and counter', async () => {
    const world = await World.open(
      productOf([
        entityOf('thing', { a: text }),
        entityOf('old', { a: { ...text, index: true } }, { traits: ['versioned'] }),
      ]),
    );
    for (let i = 0; i < 300; i++) await world.send('POST', 'rest/old', { a: `x${i}` });
    const { body } = await world.become(thing({ a: text }));
    expect(body.status).toBe('applied');
    expect(world.stored.garbage).toBeUndefined();
    expect((await world.send('GET', 'rest/old')).body.code).toBe('v2.entity_not_found');
    const again = productOf([entityOf('thing', { a: text }), entityOf('old', { a: text })]);
    expect((await world.become(again)).body.status).toBe('applied');
    expect((await world.send('GET', 'rest/old')).body).toMatchObject({ count: 0, total: 0 });
  });
});
