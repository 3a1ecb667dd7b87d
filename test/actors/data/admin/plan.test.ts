/** Plans over a tenant in memory: made from what is declared, applied beside its requests, and true in the ledger. */
import { describe, expect, test } from 'vitest';
import type { EndpointDefinition, FieldDefinition } from '#config/definitions/product.ts';
import { entityOf, productOf } from '#test/kit/data-call.ts';
import type { EntityOptions } from '#test/kit/data-call.ts';
import { asks } from '#actors/data/asks.ts';
import { operationOf, underLock } from '#actors/data/admin/lock/guard.ts';
import { partOf } from '#actors/data/part.ts';
import { Work } from '#actors/host/work.ts';
import { expectConsistent, World } from './kit.ts';

type Fields = Readonly<Record<string, FieldDefinition>>;
const thing = (fields: Fields, options: EntityOptions = {}) => productOf([entityOf('thing', fields, options)]);

const text = { type: 'string' } as const;

const ENDPOINT: EndpointDefinition = {
  path: 'hi',
  verb: 'GET',
  kind: 'query',
  auth: 'user',
  rate: null,
  cacheMs: 0,
  headers: [],
  refusals: 'wrap',
  source: 'return 1',
  where: 'endpoints/hi.yaml:1:1',
};

/** A plan for an index over rows that are several slices. */
async function indexing(): Promise<{ readonly world: World; readonly plan_id: string }> {
  const world = await World.open(thing({ a: text }));
  for (let i = 0; i < 900; i++) await world.make({ a: `x${i % 3}` });
  world.product = thing({ a: { ...text, index: true } });
  const { plan_id } = await world.plan();
  return { world, plan_id };
}

async function building(world: World): Promise<void> {
  while (world.stored.entities[0]!.indexes.length === 0) await new Promise((resolve) => setImmediate(resolve));
}

describe('a plan', () => {
  test('over what is stored already has no steps, and is applied', async () => {
    const world = await World.open(thing({ a: text }));
    const plan = await world.plan();
    expect(plan).toEqual({ plan_id: expect.any(String), source: 'yaml', max_risk: 'low', steps: [] });
    const { status, body } = await world.apply(plan.plan_id);
    expect([status, body.status, body.steps_applied]).toEqual([200, 'applied', 0]);
  });

  test('shows every step under its capitalised names, with its DDL', async () => {
    const world = await World.open(thing({ a: text }));
    world.product = productOf([
      entityOf('thing', { a: { ...text, index: true }, n: { type: 'integer', default: 7 } }),
      entityOf('other', { thing_id: { type: 'ref', ref: { entity: 'thing', on_delete: 'cascade' } } }),
    ]);
    const { steps, max_risk } = await world.plan();
    expect(max_risk).toBe('medium');
    expect(Object.keys(steps[0])).toEqual(
      'Order Kind SchemaOp Entity Identifier SQL Expected Risk Notes Transactional Checksum'.split(' '),
    );
    expect(
      steps.map((step: { Order: number; SchemaOp: string; Risk: string; SQL: string }) => [
        step.Order,
        step.SchemaOp,
        step.Risk,
        step.SQL,
      ]),
    ).toEqual([
      [
        1,
        'create_table',
        'low',
        'CREATE TABLE "other" ("id" char(26) PRIMARY KEY, "thing_id" char(26) REFERENCES "thing" ("id") ON DELETE CASCADE)',
      ],
      [2, 'create_index', 'low', 'CREATE INDEX "other_thing_id_idx" ON "other" ("thing_id")'],
      [3, 'add_column', 'low', 'ALTER TABLE "thing" ADD COLUMN "n" bigint DEFAULT 7'],
      [4, 'create_index', 'medium', 'CREATE INDEX CONCURRENTLY "thing_a_idx" ON "thing" ("a")'],
    ]);
  });

  test('is kept, and shown again as the ledger has it', async () => {
    const world = await World.open(thing({ a: text }));
    world.product = thing({ a: text, b: text });
    const { plan_id, steps } = await world.plan();
    const { body } = await world.send('GET', `admin/data/plans/${plan_id}`);
    expect(body.tenant).toBe('acme:atlas:dev:main');
    expect(Object.keys(body.plan)).toEqual(
      'ID PlanID Source Status Trigger TriggeredBy MaxRisk StartedAt FinishedAt AppliedCount FailedCount TotalSteps Notes CreatedOn'.split(
        ' ',
      ),
    );
    expect(body.plan).toMatchObject({
      PlanID: plan_id,
      Status: 'generated',
      Trigger: 'http',
      TriggeredBy: 'root',
      TotalSteps: 1,
    });
    expect(Object.keys(body.steps[0]).toSorted()).toEqual(
      'ID PlanID StepOrder Kind SchemaOp Entity Identifier SQL ExpectedResult Checksum Status StartedAt FinishedAt DurationMs Error Attempt SourceURI CreatedOn'
        .split(' ')
        .toSorted(),
    );
    expect(body.steps[0].Checksum).toBe(steps[0].Checksum);
    expect((await world.send('GET', 'admin/data/plans/nothing')).body.code).toBe('v2.plan_not_found');
  });
});

describe('apply', () => {
  test('adds a field: rows that are there show its default, and it is served at once', async () => {
    const world = await World.open(thing({ a: text }));
    const id = await world.make({ a: 'old' });
    await world.rows();
    const { status, body } = await world.become(thing({ a: text, n: { type: 'integer', default: 7 } }));
    expect([status, body.status, body.steps_applied]).toEqual([200, 'applied', 1]);
    expect(await world.rows()).toEqual([{ id, a: 'old', n: 7 }]);
    expect((await world.send('GET', `rest/thing/id/${id}`)).body.data).toEqual([{ id, a: 'old', n: 7 }]);
  });

  test('halts before a step that is riskier than was confirmed, and goes on when it is', async () => {
    const world = await World.open(thing({ a: text }));
    await world.make({ a: 'x' });
    world.product = thing({ a: { ...text, index: true }, b: text });
    const { plan_id } = await world.plan();
    const halted = await world.apply(plan_id, {});
    expect([halted.status, halted.body]).toEqual([
      207,
      { plan_id, status: 'halted', steps_applied: 1, steps_failed: 0, steps_skipped: 1, halted_step: 2 },
    ]);
    const done = await world.apply(plan_id, { confirm_max_risk: 'medium' });
    expect([done.status, done.body.status, done.body.steps_applied, done.body.steps_skipped]).toEqual([
      200,
      'applied',
      1,
      1,
    ]);
    const again = await world.apply(plan_id, {});
    expect([again.status, again.body.status, again.body.steps_applied, again.body.steps_skipped]).toEqual([
      200,
      'applied',
      0,
      2,
    ]);
    const { body } = await world.send('GET', `admin/data/applied?plan_id=${plan_id}`);
    expect(body.steps.map((step: { StepOrder: number }) => step.StepOrder)).toEqual([1, 2]);
  });

  test('a dry run is 207 dry_run and changes nothing', async () => {
    const world = await World.open(thing({ a: text }));
    world.product = thing({ a: text, b: text });
    const { plan_id } = await world.plan();
    const before = world.stored;
    const { status, body } = await world.apply(plan_id, { dry_run: true });
    expect([status, body]).toEqual([
      207,
      { plan_id, status: 'dry_run', steps_applied: 0, steps_failed: 0, steps_skipped: 1 },
    ]);
    expect(world.stored).toEqual(before);
  });

  test('a plan whose schema has moved is failed, and nothing of it applied', async () => {
    const world = await World.open(thing({ a: text }));
    world.product = thing({ a: text, b: text });
    const first = await world.plan();
    const second = await world.plan();
    expect((await world.apply(first.plan_id)).body.status).toBe('applied');
    const { status, body } = await world.apply(second.plan_id);
    expect([status, body.status, body.steps_applied]).toEqual([207, 'failed', 0]);
    expect(body.error).toMatch('the stored schema has changed since the plan was made');
  });

  test('a plan whose definitions have moved is failed', async () => {
    const world = await World.open(thing({ a: text }));
    world.product = thing({ a: text, b: text });
    const { plan_id } = await world.plan();
    world.product = thing({ a: text, c: text });
    const { status, body } = await world.apply(plan_id);
    expect([status, body.status]).toEqual([207, 'failed']);
    expect(body.error).toMatch('the definitions have changed since the plan was made');
  });

  test('of two operators one wins, the other is told which plan is at work', async () => {
    const { world, plan_id } = await indexing();
    const [one, two] = await Promise.all([world.apply(plan_id), world.apply(plan_id)]);
    expect([one.status, one.body.status]).toEqual([200, 'applied']);
    expect([two.status, two.body.code]).toEqual([409, 'v2.locked']);
    expect(two.body.details.lock).toMatchObject({ resource: 'plans:default', op_kind: 'apply', plan_id });
    expect((await world.send('GET', 'admin/data/locks?include_expired=true')).body.locks).toEqual([]);
  });

  test('its lock is among the locks, and keeps seeds, retention and provisioning out', async () => {
    const { world, plan_id } = await indexing();
    const applying = world.apply(plan_id);
    await building(world);
    const { locks } = (await world.send('GET', 'admin/data/locks?prefix=plans&op_kind=apply')).body;
    expect(locks).toMatchObject([{ resource: 'plans:default', op_kind: 'apply', plan_id, is_expired: false }]);
    for (const path of ['seeds/runs', 'retention/runs']) {
      const { status, body } = await world.send('POST', `admin/data/${path}`, {});
      expect([path, status, body.code, body.details.lock.plan_id]).toEqual([path, 409, 'v2.locked', plan_id]);
    }
    const provisioning = asks['schema.provision'](new Work(world.tenant.activation));
    await expect(provisioning).rejects.toThrow('plans:default is locked for apply');
    expect((await applying).body.status).toBe('applied');
    expect((await world.send('POST', 'admin/data/seeds/runs', {})).status).toBe(200);
  });

  test('is refused while retention is at work', async () => {
    const { world, plan_id } = await indexing();
    const operation = operationOf('retention', 'default', 'pass');
    await underLock(new Work(world.tenant.activation), operation, async () => {
      const { status, body } = await world.apply(plan_id);
      expect([status, body.code, body.details.lock.op_kind]).toEqual([409, 'v2.locked', 'retention']);
    });
    expect((await world.apply(plan_id)).body.status).toBe('applied');
  });

  test('ends where an operator releases its lock, with the ledger true; the next goes on', async () => {
    const { world, plan_id } = await indexing();
    const applying = world.apply(plan_id);
    await building(world);
    expect((await world.send('DELETE', 'admin/data/locks/plans:default')).body.released).toBe(true);
    const { status, body } = await applying;
    expect([status, body.code]).toEqual([409, 'v2.lock_lost']);
    const { plan, steps } = (await world.send('GET', `admin/data/plans/${plan_id}`)).body;
    expect([plan.Status, plan.AppliedCount, steps[0].Status, steps[0].Attempt]).toEqual(['generated', 0, 'pending', 1]);
    expect((await world.apply(plan_id)).body).toMatchObject({ status: 'applied', steps_applied: 1 });
    expectConsistent(world);
  });

  test('serves endpoints that the checkout has brought without a step', async () => {
    const world = await World.open(thing({ a: text }));
    world.product = { ...world.product, endpoints: [ENDPOINT] };
    const { plan_id, steps } = await world.plan();
    expect(steps).toEqual([]);
    const { endpoints } = partOf(world.tenant.activation);
    expect(endpoints.at('hi')).toBeUndefined();
    expect((await world.apply(plan_id)).status).toBe(200);
    expect(endpoints.at('hi')?.get('GET')).toBe(ENDPOINT);
  });

  test.each([
    [{ confirm_max_risk: 'extreme' }, 400, 'v2.bad_risk'],
    [{ confirm_max_risk: 3 }, 400, 'v2.invalid_body'],
    [{ dry_run: 'yes' }, 400, 'v2.invalid_body'],
    [{ confirm: 'low' }, 400, 'v2.invalid_body'],
    [[], 400, 'v2.bad_json'],
    ['{', 400, 'v2.bad_json'],
    [{ datastore: 'elsewhere' }, 404, 'v2.datastore_not_found'],
  ])('the body %j: %i %s', async (body, status, code) => {
    const world = await World.open(thing({ a: text }));
    const { plan_id } = await world.plan();
    const answer = await world.send('POST', `admin/data/plans/${plan_id}/apply`, body);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });
});

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
