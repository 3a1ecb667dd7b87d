/** Cron triggers of a tenant: places, missed times, one run at a time, what administrators see; the clock is moved by hand. Source: docs/contract/triggers.md §6. */
import { beforeEach, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { Work } from '#actors/host/work.ts';
import { prepareProduct } from '#actors/host/served-product.ts';
import { dataService } from '#actors/data/service.ts';
import { CronPass } from '#actors/data/trigger/cron-pass.ts';
import { firstDueMs } from '#actors/data/trigger/cron/store.ts';
import { dropEvent, listEvents, listTriggers, retryEvent } from '#actors/data/trigger/events.ts';
import { NO_TRIGGER_PORTS, Triggers, type WakeTenant } from '#actors/data/trigger/wake.ts';
import { CALLED, type Jobs, type ScriptJob } from '#actors/kit/jobs.ts';
import { MemoryStore } from '#test/storage/memory.ts';
import { DataTenant, entityOf, productOf, SUPERADMIN, USER } from '#test/kit/data-call.ts';
import { cronFor } from '#test/kit/trigger-definition.ts';
import type { TriggerDefinition } from '#config/definitions/trigger-shapes.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const note = entityOf(
  'note',
  { of: { type: 'string' } },
  { access: { create: "principal.roles == ['clerk']", read: 'true' } },
);
const productWith = (...triggers: TriggerDefinition[]) => ({ ...productOf([note]), triggers });
const nightly = productWith(cronFor('nightly'));

let store: MemoryStore;
let tenant: DataTenant;
let answers: ('writes' | 'fails')[];
let ran: ScriptJob[];

const jobs: Jobs = {
  run: async (_kind, body, _budget, host) => {
    const job = body as ScriptJob;
    ran.push(job);
    if (answers.shift() === 'fails') return { kind: 'done', result: { kind: 'failed', message: 'it threw' } as never };
    const row = { of: (JSON.parse(job.request) as { data: { due: string } }).data.due };
    await host!(CALLED + JSON.stringify({ name: 'db.create', args: ['note', row] }));
    return { kind: 'done', result: { kind: 'value', text: 'null' } as never };
  },
};

beforeEach(async () => {
  store = new MemoryStore();
  answers = [];
  ran = [];
  tenant = await DataTenant.open(nightly, { store });
});

const { script } = new Triggers(NO_TRIGGER_PORTS, undefined).outboxes;
/** One look; in hours until the next, null for never. */
async function look(): Promise<number | null> {
  const work = new Work(tenant.activation);
  const nextMs = await new CronPass(work, script).run();
  work.abort();
  return nextMs === null ? null : (nextMs - tenant.clock.now()) / HOUR;
}
function run<T>(piece: (work: Work) => T): T {
  const work = new Work(tenant.activation);
  const result = piece(work);
  work.commit();
  return result;
}
const events = () => run((work) => listEvents(work, null, 100));
const counts = () => run((work) => listTriggers(work))[0]!;

test('a trigger that is new begins now; each time is one event, and its place is kept with it', async () => {
  expect([await look(), events()]).toEqual([3, []]);
  tenant.clock.advance(3 * HOUR - 1);
  expect([Math.round((await look())! * HOUR), events()]).toEqual([1, []]);
  tenant.clock.advance(1);
  expect(await look()).toBe(24);
  expect(events()).toMatchObject([
    {
      trigger: 'nightly',
      kind: 'script',
      event: 'due',
      entity: null,
      key: null,
      due: '2026-01-01T03:00:00.000Z',
      depth: 1,
      outcome: 'waiting',
    },
  ]);
  expect([await look(), events().length]).toEqual([24, 1]);
  expect(firstDueMs(store)).toBe(Date.parse('2026-01-02T03:00:00Z'));
  expect(counts()).toMatchObject({
    cron: '0 3 * * *',
    timezone: 'UTC',
    next_at: '2026-01-02T03:00:00.000Z',
    entity: null,
    events: [],
    role: 'clerk',
    action: null,
    waiting: 1,
  });
});

test('times that passed while the node was away are one event together, with the first of them', async () => {
  await look();
  tenant = await DataTenant.open(nightly, { store });
  tenant.clock.advance(5 * DAY + 4 * HOUR);
  expect(await look()).toBe(23);
  expect(events()).toMatchObject([{ due: '2026-01-01T03:00:00.000Z', at: '2026-01-06T04:00:00.000Z' }]);
  expect(counts()).toMatchObject({ waiting: 1, dropped: 0 });
});

test('a clock that was wrong and is set back far holds no trigger up; one that is set back a little makes no time come twice', async () => {
  await look();
  tenant.clock.advance(365 * DAY);
  await look();
  expect(events()).toHaveLength(1);
  tenant.clock.advance(-365 * DAY);
  expect([await look(), events().length]).toEqual([3, 1]);
  run((work) => dropEvent(work, events()[0]!.id));
  tenant.clock.advance(3 * HOUR);
  expect([await look(), events().filter(({ outcome }) => outcome === 'waiting').length]).toEqual([24, 1]);
  tenant.clock.advance(-2 * HOUR);
  expect([await look(), events().filter(({ outcome }) => outcome === 'waiting').length]).toEqual([26, 1]);
});

test('a time that finds an earlier run waiting is left out and counted; a retry of an ended run is one more', async () => {
  await look();
  tenant.clock.advance(4 * HOUR);
  await look();
  tenant.clock.advance(DAY);
  expect([await look(), events().length, counts()]).toMatchObject([23, 1, { waiting: 1, dropped: 1 }]);
  const { id } = events()[0]!;
  expect(run((work) => dropEvent(work, id))).toBe(true);
  expect(events()).toMatchObject([{ id, outcome: 'dropped', due: '2026-01-01T03:00:00.000Z' }]);
  expect(run((work) => retryEvent(work, id))).toBe('retried');
  expect(events()).toMatchObject([{ id, outcome: 'waiting', entity: null, due: '2026-01-01T03:00:00.000Z' }]);
});

test('another schedule begins anew, without what the old one missed; one that left the product has no place any more', async () => {
  await look();
  tenant.clock.advance(10 * DAY);
  const become = (product: ReturnType<typeof productWith>): void => prepareProduct(tenant.activation, product)();
  become(productWith(cronFor('nightly', '30 0 * * *')));
  expect([await look(), events()]).toEqual([0.5, []]);
  tenant.clock.advance(10 * DAY);
  become(productWith(cronFor('nightly', '30 0 * * *', { timezone: 'Asia/Kathmandu' })));
  expect([await look(), events()]).toEqual([18.75, []]);
  become(productWith());
  expect([await look(), firstDueMs(store)]).toEqual([null, null]);
  tenant.clock.advance(10 * DAY);
  become(nightly);
  expect([await look(), events()]).toEqual([3, []]);
});

test('a look that waits for the tenant goes by the product as it is when its turn comes', async () => {
  await look();
  tenant.clock.advance(10 * DAY);
  const looked = look(); // its first step waits for a turn of the loop
  prepareProduct(tenant.activation, productWith(cronFor('nightly', '30 0 * * *')))();
  expect([await looked, events()]).toEqual([0.5, []]);
  tenant.clock.advance(10 * DAY);
  const another = look();
  prepareProduct(tenant.activation, productWith())();
  expect([await another, events(), firstDueMs(store)]).toEqual([null, [], null]);
});

test('a read-only tenant stages nothing; afterwards what it missed is one event', async () => {
  await look();
  const standing = { isReadOnly: true };
  Object.assign(tenant.activation, { standing });
  tenant.clock.advance(3 * DAY);
  expect([(await look())! * HOUR, events()]).toEqual([limits.triggers.readOnlyMs, []]);
  standing.isReadOnly = false;
  expect([await look(), events().length]).toEqual([3, 1]);
});

test('a tenant whose definitions do not load keeps its places and events', async () => {
  await look();
  tenant.clock.advance(4 * HOUR);
  await look();
  const withheld = await DataTenant.open(nightly, { store });
  const { activation, service } = withheld;
  Object.assign(activation, { product: productOf([]), withheld: 'entities/a.yaml:1:1' });
  await service.activate(activation);
  expect(activation.exclusive.quiet).toBe(false);
  withheld.clock.advance(10 * DAY);
  await expect.poll(() => activation.exclusive.quiet).toBe(true);
  expect([firstDueMs(store), events().length]).toEqual([Date.parse('2026-01-02T03:00:00Z'), 1]);
});

interface Bell {
  readonly timers: { readonly ms: number; readonly run: () => void }[];
  readonly woken: number[];
}

/** A service whose alarm rings when a test says. */
function ringing({ timers, woken }: Bell) {
  const after = (ms: number, go: () => void): void => void timers.push({ ms, run: go });
  const wakeTenant: WakeTenant = (tenantNo, then) => {
    woken.push(tenantNo);
    then?.(tenant.activation);
    return true;
  };
  const clock = { now: () => tenant.clock.now() };
  return dataService({ jobs, wakeTenant, triggers: { ...NO_TRIGGER_PORTS, clock, after } });
}

test('a tenant that sleeps is woken when a trigger of its is due, and the script runs once under its role', async () => {
  const bell: Bell = { timers: [], woken: [] };
  const service = ringing(bell);
  tenant = await DataTenant.open(nightly, { store, service });
  tenant.clock.advance(limits.triggers.restMs);
  await expect.poll(() => firstDueMs(store)).not.toBeNull();
  tenant = await DataTenant.open(nightly, { store, service, provision: false });
  service.resume!(store, 7);
  expect(bell.timers.at(-1)!.ms).toBe(limits.triggers.alarmLookMs);
  tenant.clock.advance(3 * HOUR);
  bell.timers.at(-1)!.run();
  expect(bell.woken).toContain(7);
  tenant.clock.advance(limits.triggers.restMs);
  const notes = async () => (await tenant.send('GET', '/data/rest/note', undefined, { principal: USER })).body.data;
  await expect.poll(notes).toMatchObject([{ of: '2026-01-01T03:00:00.000Z' }]);
  expect(ran.map(({ request }) => JSON.parse(request) as object)).toEqual([
    {
      id: expect.any(String),
      event: 'cron.due',
      trigger: 'nightly',
      tenant: 'acme:atlas:dev:main',
      timestamp: expect.any(String),
      depth: 1,
      data: { due: '2026-01-01T03:00:00.000Z' },
    },
  ]);
  await expect.poll(() => counts()).toMatchObject({ waiting: 0, delivered: 1, failed: 0 });
});

test('an activation that must leave before its look has another one made soon', async () => {
  const bell: Bell = { timers: [], woken: [] };
  tenant = await DataTenant.open(nightly, { store, service: ringing(bell) });
  tenant.activation.exclusive.whenQuiet(() => undefined);
  await expect.poll(() => bell.timers.map(({ ms }) => ms)).toEqual([limits.triggers.lookAgainMs]);
  expect(firstDueMs(store)).toBeNull();
  tenant.clock.advance(limits.triggers.lookAgainMs);
  bell.timers[0]!.run();
  expect(bell.woken).toEqual([1]);
});

test('a run that fails waits, is repeated, and ends as failed where an administrator retries it', async () => {
  const service = ringing({ timers: [], woken: [] });
  answers = Array.from({ length: limits.triggers.scriptAttemptsMax }, () => 'fails' as const);
  tenant = await DataTenant.open(nightly, { store, service });
  tenant.clock.advance(limits.triggers.restMs);
  await expect.poll(() => firstDueMs(store)).not.toBeNull();
  tenant.clock.advance(4 * HOUR);
  const kick = (): void => prepareProduct(tenant.activation, nightly)();
  kick();
  const failed = async (): Promise<string[]> => {
    tenant.clock.advance(limits.triggers.scriptBackoffMsMax);
    return events().map(({ outcome }) => outcome);
  };
  await expect.poll(failed, { timeout: 20_000 }).toEqual(['failed']);
  expect(ran).toHaveLength(limits.triggers.scriptAttemptsMax);
  const { id, error } = events()[0]!;
  expect(error).toBe('it threw');
  const answer = await tenant.send('POST', `/data/admin/data/triggers/events/${id}/retry`, undefined, {
    principal: SUPERADMIN,
  });
  expect(answer.status).toBe(200);
  await expect.poll(async () => (await failed()).length, { timeout: 20_000 }).toBe(0);
  expect(ran).toHaveLength(limits.triggers.scriptAttemptsMax + 1);
});
