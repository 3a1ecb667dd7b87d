/** Events of triggers in a tenant's store: staged with the row, bounded, handed out, settled, retried and dropped; under the simulated clock. */
import { beforeEach, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { Work } from '#actors/host/work.ts';
import { dataService } from '#actors/data/service.ts';
import { NO_TRIGGER_PORTS } from '#actors/data/trigger/wake.ts';
import { dropEvent, listEvents, listTriggers, retryEvent } from '#actors/data/trigger/events.ts';
import type { Delivery, DeliverySettled } from '#actors/protocol/webhook.ts';
import { MemoryStore } from '#test/storage/memory.ts';
import { DataTenant, entityOf, productOf, USER } from '#test/kit/data-call.ts';
import { triggerFor } from '#test/kit/trigger-definition.ts';

const order = entityOf('order', {
  number: { type: 'string' },
  email: { type: 'string', mask: 'email' },
  secret: { type: 'string' },
});
const mail = {
  kind: 'mail',
  to: 'email',
  subject: 'Of {{number}}',
  text: '{{email}}',
  button: null,
  html: null,
} as const;
const product = {
  ...productOf([order]),
  triggers: [
    triggerFor('told', { fields: ['number', 'email'] }),
    triggerFor('mailed', { target: mail, fields: ['number', 'email'], when: 'has(row.email) && row.email != null' }),
  ],
};
const EVERYTHING = { except: [], limit: 100_000 };

let tenant: DataTenant;
let store: MemoryStore;
let pending: number[];
const portsOf = () => ({
  ...NO_TRIGGER_PORTS,
  hooksPending: (no: number) => void pending.push(no),
  mailPending: () => undefined,
});
const service = () => dataService({ triggers: portsOf() });
beforeEach(async () => {
  pending = [];
  store = new MemoryStore();
  tenant = await DataTenant.open(product, { store, service: service() });
});

const create = (row: object) => tenant.send('POST', '/data/rest/order', row, { principal: USER });
function run<T>(piece: (work: Work) => T): T {
  const work = new Work(tenant.activation);
  const result = piece(work);
  work.commit();
  return result;
}
const take = (wish = EVERYTHING): readonly Delivery[] =>
  run((work) => tenant.service.outboxes!.hook!.take(work, wish)).parcels;
const settle = (id: string, wish: Partial<DeliverySettled> = {}): null =>
  run((work) =>
    tenant.service.outboxes!.hook!.settle(work, {
      tenantNo: 1,
      id,
      outcome: 'sent',
      attempts: 1,
      status: 200,
      error: null,
      ...wish,
    }),
  );
const listed = () => run((work) => listEvents(work, null, 100));
const counts = () => run((work) => listTriggers(work)).find(({ name }) => name === 'told')!;

test('an event leaves with the fields that its trigger names, as readers see them, at the moment when it leaves', async () => {
  const id = (await create({ number: 'A', email: 'ada@example.org', secret: 'x' })).body.data[0].id;
  expect(pending).toEqual([1]);
  await tenant.send('PATCH', `/data/rest/order/id/${id}`, { number: 'B' }, { principal: USER });
  const [delivery] = take() as [Delivery];
  expect(delivery).toMatchObject({ name: 'told', event: 'row.created', url: 'https://example.org/', secret: 's' });
  const { data } = JSON.parse(delivery.body) as { data: { row: object } };
  expect(data).toMatchObject({ entity: 'order', id, version: 1 });
  expect(Object.keys(data.row)).toEqual(['number', 'email']);
  expect(data.row).toMatchObject({ number: 'B', email: expect.not.stringContaining('ada@') });
});

test('a row that is gone by then is told of without anything of it', async () => {
  const id = (await create({ number: 'A' })).body.data[0].id;
  await tenant.send('DELETE', `/data/rest/order/id/${id}`, undefined, { principal: USER });
  expect(take().map(({ body }) => JSON.parse(body) as object)).toMatchObject([{ data: { id, row: null } }]);
});

test('what the receiver took is deleted and counted; what it refused is kept under its id, without a value of the row', async () => {
  await create({ number: 'Zanzibar' });
  await create({ number: 'b' });
  const [one, other] = take() as [Delivery, Delivery];
  settle(one.id);
  settle(other.id, { outcome: 'refused', status: 410, error: 'gone' });
  expect(listed()).toMatchObject([{ id: other.id, outcome: 'refused', attempts: 1, status: 410, error: 'gone' }]);
  expect(counts()).toMatchObject({ waiting: 0, delivered: 1, failed: 1, dropped: 0 });
  expect(JSON.stringify(listed())).not.toContain('Zanzibar');
  settle(one.id);
  expect(counts()).toMatchObject({ waiting: 0, delivered: 1 });
});

test('while the definitions cannot be used events wait, and main is told of them when they can', async () => {
  await create({ number: 'a', email: 'ada@example.org' });
  Object.assign(tenant.activation, { product: productOf([]), withheld: 'entities/order.yaml:1:1' });
  await tenant.service.activate(tenant.activation);
  pending = [];
  expect(take()).toEqual([]);
  expect(run((work) => tenant.service.outboxes!.mail!.take(work, EVERYTHING)).parcels).toEqual([]);
  expect(listed()).toMatchObject([{ outcome: 'waiting' }, { outcome: 'waiting' }]);
  tenant = await DataTenant.open(product, { store, service: tenant.service });
  await expect.poll(() => pending).toEqual([1]);
  expect(take()).toMatchObject([{ name: 'told' }]);
  expect(run((work) => tenant.service.outboxes!.mail!.take(work, EVERYTHING)).parcels).toMatchObject([
    { to: 'ada@example.org' },
  ]);
});

test('an ended event is retried under its id, once; a waiting one is dropped, then forgotten', async () => {
  await create({ number: 'a' });
  const [{ id }] = take() as [Delivery];
  settle(id, { outcome: 'given_up', status: null, error: 'silent' });
  expect([run((work) => retryEvent(work, id)), listed()]).toMatchObject(['retried', [{ id, outcome: 'waiting' }]]);
  expect(take().map((delivery) => delivery.id)).toEqual([id]);
  expect(run((work) => dropEvent(work, id))).toBe(true);
  expect([take(), listed()]).toMatchObject([[], [{ id, outcome: 'dropped' }]]);
  expect([run((work) => dropEvent(work, id)), run((work) => dropEvent(work, id)), listed()]).toEqual([true, false, []]);
  expect(run((work) => retryEvent(work, id))).toBe('unknown');
  expect(counts().waiting).toBe(0);
});

test('a crash leaves the row with its event: another activation of the store hands it out', async () => {
  await create({ number: 'a' });
  const [{ id }] = take() as [Delivery];
  tenant = await DataTenant.open(product, { store, provision: false, service: service() });
  tenant.service.resume!(store, 1);
  expect(pending).toEqual([1, 1]);
  expect(take().map((delivery) => delivery.id)).toEqual([id]);
});

test('events of a trigger that is gone, or leads elsewhere now, end', async () => {
  await create({ number: 'a' });
  const target = { kind: 'script', role: 'clerk', source: '', sourceAt: { file: 'a', line: 1, column: 1 } } as const;
  const changed = { ...product, triggers: [triggerFor('told', { target })] };
  tenant = await DataTenant.open(changed, { store, provision: false, service: service() });
  expect([take(), listed()]).toMatchObject([[], [{ outcome: 'dropped' }]]);
});

test('a full trigger drops the newest, counts them and says so once a minute; others go on; a retry finds no room', async () => {
  const { waitingMax } = limits.triggers;
  const rows = (count: number) => Array.from({ length: count }, (_, i) => `{"number":"${i}"}`).join('\n');
  const load = (count: number) =>
    tenant.send('POST', '/data/bulk?entity=order&format=jsonl', rows(count), { principal: USER });
  await load(waitingMax);
  const [{ id }] = take({ except: [], limit: 1 }) as [Delivery];
  settle(id, { outcome: 'refused' });
  await load(3);
  expect(counts()).toMatchObject({ waiting: waitingMax, dropped: 2 });
  await load(1);
  expect(tenant.warnings.filter((line) => line.startsWith('too many events of a trigger wait'))).toHaveLength(1);
  expect(run((work) => retryEvent(work, id))).toBe('full');
  await create({ number: 'm', email: 'ada@example.org' });
  const mails = run((work) => tenant.service.outboxes!.mail!.take(work, EVERYTHING)).parcels;
  expect(mails).toMatchObject([{ to: 'ada@example.org', subject: 'Of m' }]);
});

test('a mail that waited too long does not leave', async () => {
  await create({ number: 'm', email: 'ada@example.org' });
  tenant.clock.advance(limits.triggers.mailMs);
  expect(run((work) => tenant.service.outboxes!.mail!.take(work, EVERYTHING)).parcels).toEqual([]);
  expect(listed()).toMatchObject([{ trigger: 'told' }, { trigger: 'mailed', outcome: 'dropped' }]);
});

test('the log keeps the newest', async () => {
  const { logEntriesMax } = limits.triggers;
  for (let left = logEntriesMax + 2; left > 0; left -= 500)
    await tenant.send(
      'POST',
      '/data/bulk?entity=order&format=jsonl',
      Array.from({ length: Math.min(left, 500) }, () => '{"number":"x"}').join('\n'),
      { principal: USER },
    );
  const ids: string[] = [];
  for (let parcels = take(); parcels.length > 0; parcels = take())
    for (const { id } of parcels) {
      ids.push(id);
      settle(id, { outcome: 'refused' });
    }
  const kept = run((work) => listEvents(work, 'refused', 10 * logEntriesMax));
  expect([ids.length, kept.map(({ id }) => id)]).toEqual([logEntriesMax + 2, ids.slice(2).toReversed()]);
});
