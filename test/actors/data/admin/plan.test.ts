/** Plans over a tenant in memory: made from what is declared, applied beside its requests, and true in the ledger. */
import { describe, expect, test } from 'vitest';
import type { EndpointDefinition } from '#config/definitions/product.ts';
import { entityOf, productOf } from '#test/kit/data-call.ts';
import { asks } from '#actors/data/asks.ts';
import { operationOf, underLock } from '#actors/data/admin/lock/guard.ts';
import { partOf } from '#actors/data/part.ts';
import { Work } from '#actors/host/work.ts';
import { expectConsistent, text, thing, World } from './kit.ts';

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

  test('of two operators one wins, the other gets the plan that is being applied', async () => {
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
