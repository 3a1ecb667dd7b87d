/** Submissions on their way to the tenants of their forms: what waits, what leaves, and what a store leaves behind. docs/contract/intake.md §3.6 */
import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import type { FormDefinition } from '#config/definitions/form.ts';
import { DeliveryOutbox, type DeliveryPorts } from '#actors/intake/delivery/outbox.ts';
import { FormFault } from '#actors/intake/compile-form.ts';
import { contact, good, rig, type RigOptions } from './kit.ts';
import { MemoryDatabase } from './memory-database.ts';

const TENANT = 'acme:desk:dev:main';
const OTHER = 'acme:desk:dev:other';
const form: FormDefinition = { ...contact, tenant: TENANT, person: 'email', retention: '720h' };
const others: FormDefinition = { ...contact, id: 'other', tenant: OTHER };

async function delivering(options: RigOptions = {}) {
  const told: string[] = [];
  const submissionsPending = (tenants: readonly string[]): void => void told.push(...tenants);
  const made = await rig({
    forms: [form, others, { ...contact, id: 'plain' }],
    ...options,
    more: { submissionsPending },
  });
  const take = (tenant = TENANT, limit = 64) => made.intake.deliveries.take({ tenant, limit });
  const settle = (...ids: string[]) => made.intake.deliveries.settle({ tenant: TENANT, ids });
  const send = async (name: string, of = 'contact'): Promise<string> =>
    (await made.submit({ form: of, body: { ...good, name } })).body['id'] as string;
  return { ...made, told, take, settle, send };
}

describe('a submission of a tenant’s form', () => {
  test('waits for its tenant once it is durable, and for no other', async () => {
    const { send, told, take, disk, clock } = await delivering();
    disk.before = async () => expect(told).toEqual([]);
    const receivedMs = clock.now();
    const id = await send('Ada');
    disk.before = async () => undefined;
    expect(told).toEqual([TENANT]);
    expect(await take()).toEqual({
      submissions: [
        {
          id,
          form: 'contact',
          received_at: new Date(receivedMs).toISOString(),
          fields: { ...good, name: 'Ada' },
          person: good.email,
          until_ms: receivedMs + 720 * 3_600_000,
        },
      ],
      more: false,
    });
    expect((await take(OTHER)).submissions).toEqual([]);
    await send('Eve', 'other');
    expect((await take(OTHER)).submissions).toMatchObject([{ form: 'other', person: '', until_ms: null }]);
    await send('Max', 'plain');
    expect(told).toEqual([TENANT, OTHER]);
  });

  test('main is told once, and again for what comes after it took all', async () => {
    const { send, told, take, settle } = await delivering();
    const ids = [await send('Ada'), await send('Eve'), await send('Kim')];
    expect(told).toEqual([TENANT]);
    expect(await take(TENANT, 2)).toMatchObject({ submissions: [{ id: ids[0] }, { id: ids[1] }], more: true });
    expect(settle(ids[0]!, ids[1]!)).toEqual({ waiting: 1 });
    expect(await take(TENANT, 2)).toMatchObject({ submissions: [{ id: ids[2] }], more: false });
    const late = await send('Max');
    expect(told).toEqual([TENANT, TENANT]);
    expect(settle(ids[2]!, ids[2]!)).toEqual({ waiting: 1 });
    expect((await take()).submissions).toMatchObject([{ id: late }]);
  });

  test('one without an answer is there after a crash, an answered one is not', async () => {
    const first = await delivering();
    const answered = await first.send('Ada');
    const waits = await first.send('Eve');
    first.settle(answered);
    // The entry goes with a later commit.
    await first.send('Max', 'plain');
    await first.intake.sweepKeys();
    const again = await delivering({ disk: first.disk, database: first.database.crash(), clock: first.clock });
    again.intake.deliveries.resume();
    expect(again.told).toEqual([TENANT]);
    expect((await again.take()).submissions.map(({ id }) => id)).toEqual([waits]);
  });

  test('a line that a crash kept from the database reaches its tenant; in a new database none does', async () => {
    const first = await delivering();
    const one = await first.send('Ada');
    const before = first.database.crash();
    const two = await first.send('Eve');
    const idsOf = async (database: MemoryDatabase): Promise<string[]> => {
      const again = await delivering({ disk: first.disk.crash(() => 0), database, clock: first.clock });
      return (await again.take()).submissions.map(({ id }) => id);
    };
    expect(await idsOf(before)).toEqual([one, two]);
    expect(await idsOf(new MemoryDatabase())).toEqual([]);
  });

  test('the first line of a new intake reaches its tenant too, where a crash kept it from the database', async () => {
    const first = await delivering();
    const before = first.database.crash();
    const id = await first.send('Ada');
    const again = await delivering({ disk: first.disk.crash(() => 0), database: before, clock: first.clock });
    expect((await again.take()).submissions.map((one) => one.id)).toEqual([id]);
  });

  test('an erased one leaves no more, nor does one past its retention', async () => {
    const { send, take, intake, clock, submit } = await delivering();
    const eve = await submit({ body: { ...good, email: 'eve@example.org' } });
    const ada = await send('Ada');
    expect((await take()).submissions.map(({ id }) => id)).toEqual([eve.body['id'], ada]);
    expect(await intake.erasePerson('EVE@example.org')).toMatchObject({
      forms: { contact: 1 },
      tenants: { [TENANT]: 0 },
    });
    expect((await take()).submissions.map(({ id }) => id)).toEqual([ada]);
    clock.advance(720 * 3_600_000);
    expect(await take()).toEqual({ submissions: [], more: false });
  });

  test('an erasure asks each tenant that has had some, also after a crash and of a form that goes elsewhere by now', async () => {
    const first = await delivering();
    const id = await first.send('Ada');
    await first.take();
    first.settle(id);
    await first.intake.sweepKeys();
    const moved = [{ ...form, tenant: 'acme:desk:dev:new' }];
    const again = await delivering({ disk: first.disk, database: first.database.crash(), clock: first.clock });
    await again.intake.reload(moved);
    const { tenants } = await again.intake.erasePerson(good.email);
    expect(tenants).toEqual({ [TENANT]: 0, 'acme:desk:dev:new': 0 });
    const fresh = await delivering({ forms: [{ ...contact, person: 'email' }] });
    expect(await fresh.intake.erasePerson(good.email)).not.toHaveProperty('tenants');
  });

  test('one that is not stored takes no place', async () => {
    const { submit, take, told } = await delivering();
    await submit({ body: {} });
    await submit({ body: { ...good, website: 'x' } });
    expect([told, (await take()).submissions]).toEqual([[], []]);
  });
});

test('a form of a tenant needs the database: `jsonl` refuses to start with one, and to reload it', async () => {
  await expect(delivering({ storage: { backend: 'jsonl' } })).rejects.toThrow(FormFault);
  const plain = await rig({ storage: { backend: 'jsonl' } });
  await expect(plain.intake.reload([form])).rejects.toThrow('need the database');
});

describe('bounds', () => {
  const entries = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      tenant: TENANT,
      form: 'contact',
      id: `S${String(at).padStart(6, '0')}`,
    }));
  const stored = (of: string, id: string, name: string) => ({
    id,
    form: of,
    received_at: '2026-11-27T09:00:00.000Z',
    fields: { name },
    idempotency_key: '',
  });
  const ports = (more: Partial<DeliveryPorts> = {}): DeliveryPorts => ({
    form: (id) => (id === 'other' ? others : form),
    retentions: () => new Map(),
    read: async (of) => of.map(({ form: its, id }) => stored(its, id, id)),
    forget: () => undefined,
    keeper: () => undefined,
    pending: () => undefined,
    now: () => 0,
    ...more,
  });

  test('past the bound the forms of that tenant are full, others are not; an answer makes room', () => {
    const { waitingMax } = limits.submissions;
    const outbox = new DeliveryOutbox(ports(), entries(waitingMax - 1));
    expect(outbox.reserve('contact')).toEqual({ tenant: TENANT, full: false });
    expect(outbox.reserve('contact')).toEqual({ tenant: TENANT, full: true });
    expect(outbox.reserve('other')).toEqual({ tenant: OTHER, full: false });
    outbox.settled({ tenant: TENANT, form: 'contact', id: 'S9' }, false);
    expect(outbox.reserve('contact')?.full).toBe(false);
    expect(outbox.reserve('contact')?.full).toBe(true);
    outbox.settle({ tenant: TENANT, ids: ['S000000'] });
    expect(outbox.reserve('contact')?.full).toBe(false);
  });

  test('one delivery is bounded by characters, and has at least one submission', async () => {
    const { deliverCharsMax, deliverMax } = limits.submissions;
    const large = 'x'.repeat(deliverCharsMax / 2);
    const read: DeliveryPorts['read'] = async (of) => of.map(({ form: its, id }) => stored(its, id, large));
    const outbox = new DeliveryOutbox(ports({ read }), entries(5));
    const taken = async (limit: number) => {
      const { submissions, more } = await outbox.take({ tenant: TENANT, limit });
      return [submissions.length, more];
    };
    expect([await taken(deliverMax), await taken(1)]).toEqual([
      [2, true],
      [1, true],
    ]);
  });

  test('what comes, and what is erased, while a delivery is read: the one is told of, the other stays', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const told: string[] = [];
    const read: DeliveryPorts['read'] = async (of) => {
      await promise;
      return of.map(({ form: its, id }) => stored(its, id, id));
    };
    const outbox = new DeliveryOutbox(ports({ read, pending: (tenants) => told.push(...tenants) }), entries(2));
    outbox.resume();
    const taken = outbox.take({ tenant: TENANT, limit: 2 });
    outbox.drop(['S000000']);
    outbox.reserve('contact');
    outbox.settled({ tenant: TENANT, form: 'contact', id: 'S9' }, true);
    resolve();
    expect(await taken).toMatchObject({ submissions: [{ id: 'S000001' }], more: true });
    expect(told).toEqual([TENANT]);
  });

  test('a delivery of nothing but what is gone goes on to what is there', async () => {
    const read: DeliveryPorts['read'] = async (of) =>
      of.map(({ form: its, id }) => (id < 'S000003' ? undefined : stored(its, id, id)));
    const outbox = new DeliveryOutbox(ports({ read }), entries(4));
    expect(await outbox.take({ tenant: TENANT, limit: 2 })).toMatchObject({
      submissions: [{ id: 'S000003' }],
      more: false,
    });
  });

  test('a submission past the bound is shed before it is stored', async () => {
    const made = await delivering();
    made.intake.deliveries.reserve = () => ({ tenant: TENANT, full: true });
    const { status, body } = await made.submit({ body: good });
    expect([status, body['code']]).toEqual([503, 'intake.shedding']);
    expect((await made.take()).submissions).toEqual([]);
  });
});
