/** What every store of submissions does, as the service over it shows: on real files, and in a real database. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import type { FormDefinition } from '#config/definitions/form.ts';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import { eachStored, verify } from '#actors/intake/archive/store.ts';
import { DestructiveDiff } from '#actors/intake/columns.ts';
import { noticesOf } from '#actors/intake/notice-outbox.ts';
import { openStore } from '#actors/intake/store.ts';
import type { StoreSettings } from '#actors/intake/store-settings.ts';
import type { Submission } from '#actors/intake/submission.ts';
import { contact, good, rig, type Rig } from './kit.ts';

const DAY = 86_400_000;
const TENANT = 'acme:desk:dev:main';
const NOTIFY = { queueDepth: 100, email: false, webhook: 'https://chat.example.org/x' };

export interface StoreCasesWish {
  /** A store of its own, without submissions. */
  readonly fresh: () => StoreSettings | Promise<StoreSettings>;
  /** `backend: jsonl` delivers nothing to tenants. */
  readonly delivers: boolean;
}

export function storeCases({ fresh, delivers }: StoreCasesWish): void {
  interface Life {
    readonly settings: StoreSettings;
    readonly clock?: SimulatedClock;
    readonly forms?: readonly FormDefinition[];
    readonly notifies?: boolean;
  }
  /** One life of the service over a store; the next one of the same settings finds what it left. */
  async function live({
    settings,
    clock = new SimulatedClock(),
    forms = [contact],
    notifies = false,
  }: Life): Promise<Rig> {
    const formOf = (id: string): FormDefinition => forms.find((form) => form.id === id) ?? contact;
    const kindsOf = notifies ? (id: string) => noticesOf(formOf(id), NOTIFY) : undefined;
    return rig({
      clock,
      forms,
      storage: { ...settings },
      ...(notifies && { notify: NOTIFY }),
      more: {
        store: (onFatal) => openStore(settings, clock, { onFatal, kindsOf, tenantOf: (id) => formOf(id).tenant }),
      },
    });
  }
  const stored = async (settings: StoreSettings, form: string | null = null): Promise<Submission[]> => {
    const all: Submission[] = [];
    await eachStored(settings, form, (one) => void all.push(one));
    return all;
  };
  const send = async (it: Rig, body: object = good, form = 'contact', key = ''): Promise<string> => {
    const headers: Record<string, string> = key === '' ? {} : { 'idempotency-key': key };
    const answer = await it.submit({ body, form, headers });
    expect(answer.status, answer.text).toBe(200);
    return answer.body['id'] as string;
  };

  test('what was acknowledged is there for the next life, and the chain verifies', async () => {
    const settings = await fresh();
    const first = await live({ settings });
    const ids = await Promise.all(
      Array.from({ length: 150 }, (_, no) => send(first, { ...good, age: 20 + (no % 50) })),
    );
    expect(first.intake.stats().batches).toBeLessThan(10);
    await first.intake.close();
    const all = await stored(settings);
    expect(all.map(({ id }) => id)).toEqual(ids);
    expect(all[7]).toMatchObject({ form: 'contact', fields: { ...good, age: 27 }, idempotency_key: '' });
    expect(await verify(settings)).toMatchObject({ lines: 150, faultCount: 0 });
    const second = await live({ settings, clock: new SimulatedClock() });
    const next = await send(second);
    expect(next > ids.at(-1)!).toBe(true);
    await second.intake.close();
    expect(await verify(settings)).toMatchObject({ lines: 151, faultCount: 0 });
  });

  test('bytes of any kind, and files, are stored as they came', async () => {
    const settings = await fresh();
    const it = await live({ settings });
    const name = 'Zoë \u0001\\"\u2028';
    await send(it, { ...good, name });
    await it.intake.close();
    expect((await stored(settings))[0]!.fields['name']).toBe(name);
  });

  test('a key answers as before in the next life, and no longer after a day', async () => {
    const settings = await fresh();
    const clock = new SimulatedClock();
    const first = await live({ settings, clock });
    const id = await send(first, good, 'contact', 'k1');
    expect(await send(first, good, 'contact', 'k1')).toBe(id);
    await first.intake.close();
    clock.advance(DAY - 1000);
    const second = await live({ settings, clock });
    expect(await send(second, good, 'contact', 'k1')).toBe(id);
    const other = await second.submit({ body: { ...good, age: 99 }, headers: { 'idempotency-key': 'k1' } });
    expect(other.body['code']).toBe('intake.idempotency_mismatch');
    clock.advance(2000);
    const again = await send(second, good, 'contact', 'k1');
    expect(again).not.toBe(id);
    await second.intake.close();
    const third = await live({ settings, clock });
    expect(await send(third, good, 'contact', 'k1')).toBe(again);
    await third.intake.close();
  });

  test('notices that were not answered for wait in the next life, others do not', async () => {
    const settings = await fresh();
    const first = await live({ settings, notifies: true });
    const ids = [await send(first), await send(first), await send(first)];
    first.intake.noticeSettled({ id: ids[1]!, kind: 'chat', outcome: 'sent' });
    await first.intake.close();
    const second = await live({ settings, notifies: true });
    expect(second.intake.takeNotices({ except: [], limit: 9 }).parcels.map(({ id }) => id)).toEqual([ids[0], ids[2]]);
    await second.intake.close();
  });

  test('columns are recorded: a type that changed refuses the next start', async () => {
    const settings = await fresh();
    const first = await live({ settings });
    await first.intake.close();
    const fields = { ...contact.fields, age: { type: 'string' as const }, more: { type: 'string' as const } };
    await expect(live({ settings, forms: [{ ...contact, fields }] })).rejects.toThrow(DestructiveDiff);
    const added = await live({
      settings,
      forms: [{ ...contact, fields: { ...contact.fields, more: { type: 'date' } } }],
    });
    await added.intake.close();
    await expect(live({ settings, forms: [contact] })).rejects.toThrow(DestructiveDiff);
  });

  test('one person is erased from the store, its keys and the notices that wait; the chain says so and verifies', async () => {
    const settings = await fresh();
    const forms = [{ ...contact, person: 'email' }];
    const first = await live({ settings, forms, notifies: true });
    const eve = { ...good, email: 'Eve@example.org' };
    const gone = [await send(first, eve, 'contact', 'k-eve'), await send(first, eve)];
    const kept = await send(first);
    expect(await first.intake.erasePerson('eve@example.org')).toMatchObject({ forms: { contact: 2 } });
    expect(first.intake.takeNotices({ except: [], limit: 9 }).parcels.map(({ id }) => id)).toEqual([kept]);
    const late = await send(first, eve, 'contact', 'k-eve');
    expect(gone).not.toContain(late);
    await first.intake.close();
    const second = await live({ settings, forms, notifies: true });
    expect(second.intake.takeNotices({ except: [], limit: 9 }).parcels.map(({ id }) => id)).toEqual([kept, late]);
    await second.intake.close();
    const all = await stored(settings);
    expect(all.map(({ id }) => id)).toEqual([kept, late]);
    expect(await verify(settings)).toMatchObject({ lines: 2, erased: 2, faultCount: 0 });
  });

  test('submissions past their retention go, others stay', async () => {
    const settings = await fresh();
    const clock = new SimulatedClock();
    const forms = [{ ...contact, id: 'short', retention: '720h' }, contact];
    const first = await live({ settings, clock, forms });
    for (let n = 0; n < limits.intake.keySweepMax + 3; n++) await send(first, good, 'short');
    const kept = await send(first);
    clock.advance(30 * DAY + 1);
    const late = await send(first, good, 'short');
    await first.intake.expire();
    await first.intake.close();
    const ids = (await stored(settings)).map(({ id }) => id);
    // A file of lines goes as a whole: `jsonl` keeps what lies beside a line that is kept.
    expect(settings.backend === 'jsonl' ? ids.slice(-2) : ids.sort()).toEqual([kept, late]);
    expect(await verify(settings)).toMatchObject({ faultCount: 0 });
  });

  test.runIf(delivers)(
    'a tenant’s submissions wait until it has them, over lives, and an erasure knows who had some',
    async () => {
      const settings = await fresh();
      const forms = [{ ...contact, tenant: TENANT, person: 'email' }];
      const first = await live({ settings, forms });
      const ids = [await send(first), await send(first), await send(first)];
      expect((await first.intake.deliveries.take({ tenant: TENANT, limit: 1 })).submissions).toMatchObject([
        { id: ids[0] },
      ]);
      first.intake.deliveries.settle({ tenant: TENANT, ids: [ids[0]!] });
      await first.intake.close();
      const second = await live({ settings, forms: [{ ...contact, person: 'email' }] });
      const { submissions, more } = await second.intake.deliveries.take({ tenant: TENANT, limit: 9 });
      expect([submissions.map(({ id, fields }) => [id, fields['name']]), more]).toEqual([
        [
          [ids[1], good.name],
          [ids[2], good.name],
        ],
        false,
      ]);
      expect(await second.intake.erasePerson(good.email)).toMatchObject({
        forms: { contact: 3 },
        tenants: { [TENANT]: 0 },
      });
      await second.intake.close();
      const third = await live({ settings, forms });
      expect((await third.intake.deliveries.take({ tenant: TENANT, limit: 9 })).submissions).toEqual([]);
      await third.intake.close();
    },
  );
}
