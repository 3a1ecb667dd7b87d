/** The 500s of the admin planes: faults that no caller can cause, and what their answers say. */
import { expect, test } from 'vitest';
import { Work } from '#actors/host/work.ts';
import { INTERNAL } from '#actors/protocol/principal.ts';
import type { RelayedAnswer, RelayedCall } from '#actors/protocol/relay.ts';
import { dataService } from '#actors/data/service.ts';
import { StorageFull } from '#storage/fault.ts';
import { MemoryStore } from '#test/storage/memory.ts';
import type { Turn } from '#storage/port.ts';
import { DataTenant, entityOf, productOf, SUPERADMIN } from '#test/kit/data-call.ts';
import { World } from './kit.ts';

/** A store whose disk may be full. */
class FullStore extends MemoryStore {
  full = false;

  override begin(): Turn {
    const turn = super.begin();
    const commit = turn.commit.bind(turn);
    turn.commit = () => {
      if (this.full) throw new StorageFull('disk');
      return commit();
    };
    return turn;
  }
}

/** What a superadmin of another position gets of a row. */
function relayed(
  { service, activation }: DataTenant,
  row: string,
  params: string,
  body: object,
): Promise<RelayedAnswer> {
  const call: RelayedCall = {
    route: `superadmin_${row}`,
    method: 'POST',
    params,
    query: '',
    requestId: 'r1',
    body: JSON.stringify(body),
    principal: INTERNAL,
  };
  return service.asks!['admin.call']!(new Work(activation), call as never) as Promise<RelayedAnswer>;
}

const codeOf = ({ status, text }: RelayedAnswer) => [status, (JSON.parse(text) as { code: string }).code];
const thing = (...fields: string[]) =>
  productOf([entityOf('thing', Object.fromEntries(fields.map((field) => [field, { type: 'string' }])))]);

test('an apply without a result: 500', async () => {
  const store = new FullStore();
  await DataTenant.open(thing('a'), { store });
  const world = await World.open(thing('a'), store);
  world.product = thing('a', 'b');
  const { plan_id } = await world.plan();
  store.full = true;
  const params = `main\n${plan_id}`;
  expect(codeOf(await relayed(world.tenant, 'plan_apply', params, {}))).toEqual([500, 'v2.plan_apply_failed']);
  store.full = false;
  expect((await relayed(world.tenant, 'plan_apply', params, {})).status).toBe(200);
});

test('hosts that do not answer: 500', async () => {
  const relay = { call: () => Promise.resolve(null), awake: () => Promise.reject(new Error('gone')) };
  const tenant = await DataTenant.open(thing('a'), { service: dataService({ relay }) });
  const answer = await tenant.send('GET', '/data/superadmin/tenant', undefined, { principal: SUPERADMIN });
  expect([answer.status, answer.body.code]).toEqual([500, 'v2.list_tenants_failed']);
});

test('definitions that do not compile again: 500', async () => {
  const tenant = await DataTenant.open(thing('a'));
  const broken = entityOf('thing', { a: { type: 'string' } }, { access: { read: 'row.a ==' } });
  tenant.activation.product = productOf([broken]);
  expect(codeOf(await relayed(tenant, 'cache_clear', 'main', {}))).toEqual([500, 'v2.invalidate_failed']);
  const served = await tenant.send('GET', '/data/rest/thing', undefined, { principal: SUPERADMIN });
  expect(served.status).toBe(200);
});
