/** A tenant of hundreds of entities and statements wakes, and is served anew, between the turns of others (docs/contract/common.md §8.3). */
import { beforeAll, expect, test } from 'vitest';
import type { ActionDefinition } from '#config/definitions/product.ts';
import { limits } from '#config/limits.ts';
import { Work } from '#actors/host/work.ts';
import { Exclusive } from '#actors/host/exclusive.ts';
import type { Activation } from '#actors/host/activation.ts';
import { DATA, partOf, renew, readied, serveProduct } from '#actors/data/part.ts';
import { dataService } from '#actors/data/service.ts';
import { loadSqlParser } from '#actors/engine/sql/load.ts';
import { DataTenant, entityOf, productOf, SUPERADMIN } from '#test/kit/data-call.ts';

const ENTITIES = 40;
const entities = Array.from({ length: ENTITIES }, (_, no) => entityOf(`e${no}`, { a: { type: 'string' } }));
const action = (no: number): ActionDefinition => ({
  name: `act${no}`,
  description: '',
  entities: null,
  where: `actions/a${no}.yaml:1:1`,
  sections: {
    read: {
      params: {},
      where: 'x',
      sql: { text: `select id, a from e${no}`, file: 'x', line: 1, column: 1 },
    },
  },
});
const product = { ...productOf(entities), actions: Array.from({ length: ENTITIES }, (_, no) => action(no)) };

/** A clock that a slice's time runs out on at each look, and the turns of the event loop that others had meanwhile. */
async function turnsDuring(tenant: DataTenant, work: (activation: Activation) => Promise<void>): Promise<number> {
  let at = Date.UTC(2026, 0, 1);
  const clock = { now: () => at, fine: () => (at += limits.plans.sliceMsMax) };
  const { position, tenantNo, context, store } = tenant.activation;
  const activation: Activation = {
    position,
    tenantNo,
    product,
    store,
    context: { ...context, clock },
    exclusive: new Exclusive(),
  };
  DATA.set(activation, { ...partOf(tenant.activation) });
  let turns = 0;
  let ended = false;
  const tick = (): void => {
    turns++;
    if (!ended) setImmediate(tick);
  };
  setImmediate(tick);
  await work(activation);
  ended = true;
  return turns;
}

beforeAll(() => loadSqlParser());

test('waking, serving a checkout anew and renewing take turns with others, one entity or statement at a time', async () => {
  const tenant = await DataTenant.open(product);
  const woken = await turnsDuring(tenant, async (activation) => {
    await dataService().activate(activation);
  });
  const served = await turnsDuring(tenant, async (activation) => {
    const work = new Work(activation);
    await serveProduct(work, await readied(work, product));
  });
  const renewed = await turnsDuring(tenant, (activation) => renew(new Work(activation)));
  expect(woken).toBeGreaterThanOrEqual(3 * ENTITIES); // what is stored, models, statements
  expect(served).toBeGreaterThanOrEqual(2 * ENTITIES);
  expect(renewed).toBeGreaterThanOrEqual(ENTITIES);
});

test('a statement follows the models that it names: the first call after a change compiles it anew, others are left alone', async () => {
  const tenant = await DataTenant.open(product);
  const call = (no: number) => tenant.send('GET', `/data/actions/act${no}`, undefined, { principal: SUPERADMIN });
  expect([(await call(1)).status, (await call(2)).status]).toEqual([200, 200]);
  const part = partOf(tenant.activation);
  const served = (no: number) =>
    part
      .actions!.get(`act${no}`)!
      .sections.get('read')!
      .served((name) => part.models.get(name));
  const [first, second] = [served(1), served(2)];
  expect(served(1)).toBe(first);
  const changed = new Map(
    [...part.models].map(([name, model]) => [name, name === 'e1' ? Object.create(model) : model]),
  );
  part.models = part.named = changed;
  expect(served(1)).not.toBe(first);
  expect(served(2)).toBe(second);
  part.models = part.named = new Map([...part.models].filter(([name]) => name !== 'e1'));
  expect(served(1)).toBeNull();
  expect((await call(1)).status).toBe(500);
  expect((await call(2)).status).toBe(200);
});
