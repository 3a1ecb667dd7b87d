/** Submissions in the database of the log: what a database that is away, another owner and a forger do to the service, and what another backend left is taken in. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import type { FormDefinition } from '#config/definitions/form.ts';
import { Corruption } from '#storage/fault.ts';
import { Session } from '#storage/log-engine/postgres/session.ts';
import { OwnerLost } from '#storage/submissions/change.ts';
import { createSubmissionTables } from '#storage/submissions/postgres-tables.ts';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import { eachStored, rebuild, verify } from '#actors/intake/archive/store.ts';
import { DestructiveDiff } from '#actors/intake/columns.ts';
import { noticesOf } from '#actors/intake/notice-outbox.ts';
import { openStore } from '#actors/intake/store.ts';
import type { StoreSettings } from '#actors/intake/store-settings.ts';
import { hasPostgres, PostgresPair } from '#test/kit/postgres-server.ts';
import { sealOf, vaultOf } from '#test/storage/log-seal/keys.ts';
import { contact, good, rig, type Rig } from './kit.ts';

const DAY = 86_400_000;
const TENANT = 'acme:desk:dev:main';
const NOTIFY = { queueDepth: 100, email: false, webhook: 'https://chat.example.org/x' };
const unsealed = (): Promise<null> => Promise.resolve(null);
const form: FormDefinition = { ...contact, tenant: TENANT, person: 'email' };

describe.runIf(hasPostgres)('submissions in the database of the log', () => {
  const root = mkdtempSync(join(tmpdir(), 'skep-intake-database-'));
  let no = 0;
  let pair: PostgresPair;
  let settings: StoreSettings;

  beforeAll(async () => {
    pair = await PostgresPair.start();
  }, 120_000);
  afterAll(async () => {
    await pair.stop();
    rmSync(root, { recursive: true });
  });
  beforeEach(async () => {
    await pair.primary.sql('drop schema public cascade; create schema public');
    const dir = join(root, `${no++}`);
    const paths = { embeddedPath: join(dir, 'db'), jsonlDir: join(dir, 'log') };
    const database = { url: pair.primary.url, replication: 'strict', answerMs: 20_000 } as const;
    settings = {
      ...paths,
      backend: 'postgres',
      walJsonl: true,
      jsonlRotate: 'daily',
      freeBytesMin: 0,
      database: { ...database, node: null, seal: unsealed },
    };
  });

  const live = (
    over: StoreSettings = settings,
    clock = new SimulatedClock(),
    forms: readonly FormDefinition[] = [form],
    storage: object = {},
  ): Promise<Rig> =>
    rig({
      clock,
      forms,
      storage: { ...over, ...storage },
      notify: NOTIFY,
      more: {
        store: (onFatal) =>
          openStore(over, clock, {
            onFatal,
            kindsOf: () => noticesOf(forms[0]!, NOTIFY),
            tenantOf: () => forms[0]!.tenant,
          }),
      },
    });
  const send = async (it: Rig, key = '', body: object = good): Promise<string> => {
    const headers: Record<string, string> = key === '' ? {} : { 'idempotency-key': key };
    const answer = await it.submit({ body, headers });
    expect(answer.status, answer.text).toBe(200);
    return answer.body['id'] as string;
  };
  const storedIds = async (): Promise<string[]> => {
    const ids: string[] = [];
    await eachStored(settings, null, ({ id }) => void ids.push(id));
    return ids;
  };
  const noticed = (it: Rig): string[] => it.intake.takeNotices({ except: [], limit: 99 }).parcels.map(({ id }) => id);
  const delivered = async (it: Rig): Promise<string[]> =>
    (await it.intake.deliveries.take({ tenant: TENANT, limit: 64 })).submissions.map(({ id }) => id);

  test('another owner: nothing is acknowledged any more, and the process is told to end', async () => {
    const first = await live();
    const kept = await send(first);
    const second = await live();
    const lost = await first.submit({ body: good });
    expect([lost.status, lost.body['code']]).toEqual([500, 'intake.internal']);
    expect(first.fatal).toHaveLength(1);
    expect(first.fatal[0]).toBeInstanceOf(OwnerLost);
    expect((await first.submit({ body: good })).status).toBe(503);
    const next = await send(second);
    await second.intake.close();
    expect(await storedIds()).toEqual([kept, next]);
  });

  test('a change that no caller waits for ends the process, too, where another owner has the store', async () => {
    const first = await live();
    const id = await send(first);
    await live();
    first.intake.noticeSettled({ id, kind: 'chat', outcome: 'sent' });
    await expect.poll(() => first.fatal.length).toBe(1);
  });

  test('one that was sealed leaves what comes behind to the next owner, and does not end for it', async () => {
    const first = await live();
    const ids = [await send(first), await send(first)];
    first.intake.noticeSettled({ id: ids[0]!, kind: 'chat', outcome: 'sent' });
    await first.intake.seal();
    const second = await live();
    first.intake.noticeSettled({ id: ids[1]!, kind: 'chat', outcome: 'sent' });
    first.intake.deliveries.settle({ tenant: TENANT, ids });
    await first.intake.close();
    expect(first.fatal).toEqual([]);
    expect([noticed(second), await delivered(second)]).toEqual([[ids[1]], ids]);
    await second.intake.close();
  });

  test('while the database does not answer submissions wait, past the queue they are shed, and all that waited are stored', async () => {
    const it = await live(settings, new SimulatedClock(), [form], { queueDepth: 5, batchMax: 2 });
    await send(it);
    for (const pid of pair.primary.family()) process.kill(pid, 'SIGSTOP');
    const asked: Promise<number>[] = [];
    try {
      // Two are on their way, five wait.
      for (let n = 0; n < 10; n++) {
        asked.push(it.submit({ body: { ...good, age: 20 + n } }).then(({ status }) => status));
        await new Promise((resolve) => setImmediate(resolve));
      }
      const shed = await Promise.all(asked.slice(-2));
      expect(shed).toEqual([503, 503]);
      expect(it.fatal).toEqual([]);
    } finally {
      for (const pid of pair.primary.family()) process.kill(pid, 'SIGCONT');
    }
    const answers = await Promise.all(asked);
    const accepted = answers.filter((status) => status === 200);
    expect(accepted.length).toBeGreaterThanOrEqual(5);
    await it.intake.close();
    expect(await storedIds()).toHaveLength(accepted.length + 1);
  });

  test('large submissions of one batch go in several statements, and are one chain', async () => {
    const fatal: Error[] = [];
    const store = await openStore(settings, new SimulatedClock(), { onFatal: (error) => void fatal.push(error) });
    const text = 'x'.repeat(limits.intake.databaseBytesMax / 3);
    const batch = Array.from({ length: 8 }, (_, n) => ({
      id: `S${n}`,
      form: 'contact',
      received_at: '2026-11-27T09:00:00.000Z',
      fields: { text },
      idempotency_key: '',
      notices: [],
    }));
    await store.database.commit(batch, null);
    await store.close();
    expect(await verify(settings)).toMatchObject({ lines: 8, faultCount: 0 });
    expect(await pair.primary.sql('select no::int as changes from skep_intake')).toEqual([{ changes: 4 }]);
  });

  test('retention: content goes at once, a place when all before it are gone, and the newest line stays', async () => {
    const clock = new SimulatedClock();
    const forms = [
      { ...contact, retention: '48h' },
      { ...contact, id: 'kept' },
    ];
    const it = await live(settings, clock, forms);
    const lines = async (): Promise<unknown> =>
      (await pair.primary.sql('select count(*)::int as n, count(body)::int as full from skep_intake_line'))[0];
    await send(it);
    await it.submit({ form: 'kept', body: good });
    await send(it);
    clock.advance(2 * DAY + 1);
    await it.intake.expire();
    expect(await lines()).toEqual({ n: 2, full: 1 });
    expect(await verify(settings)).toMatchObject({ lines: 1, expired: 1, faultCount: 0 });
    expect(noticed(it)).toHaveLength(3); // those that are in memory leave
    await it.intake.reload([
      { ...contact, retention: '48h' },
      { ...contact, id: 'kept', retention: '48h' },
    ]);
    await it.intake.expire();
    expect(await lines()).toEqual({ n: 1, full: 0 });
    expect(await verify(settings)).toMatchObject({ lines: 0, expired: 1, faultCount: 0 });
    const id = await send(it);
    await it.intake.close();
    expect(await storedIds()).toEqual([id]);
    expect(await verify(settings)).toMatchObject({ lines: 1, expired: 1, faultCount: 0 });
  });

  test.each([
    [
      'a changed content',
      `update skep_intake_line set body = convert_to(replace(convert_from(body, 'UTF8'), 'Ada', 'Eve'), 'UTF8') where seq = 2`,
      'line 2',
    ],
    ['a missing line', 'delete from skep_intake_line where seq = 2', 'line 2'],
    ['a missing first line', 'delete from skep_intake_line where seq = 1', 'line 1'],
    ['a missing last line', 'delete from skep_intake_line where seq = 3', 'line 3'],
    ['a content that is gone', 'update skep_intake_line set body = null where seq = 2', 'line 2'],
    ['a column that says something else', `update skep_intake_line set form = 'other' where seq = 2`, 'line 2'],
    ['another end', `update skep_intake set chain = decode(repeat('11', 32), 'hex')`, 'line 3'],
  ])('verify finds %s', async (_what, forge, where) => {
    const it = await live();
    for (let n = 0; n < 3; n++) await send(it);
    await it.intake.close();
    expect(await verify(settings)).toMatchObject({ lines: 3, faultCount: 0 });
    await pair.primary.sql(forge);
    const error = await verify(settings).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(Corruption);
    expect((error as Error).message).toContain(where);
  });

  test('of a sealed store verify finds contents that were exchanged, and a plain one; without keys nothing is read', async () => {
    const seal = () => Promise.resolve(sealOf(vaultOf(1)));
    const sealed: StoreSettings = { ...settings, database: { ...settings.database!, seal } };
    const it = await live(sealed);
    for (let n = 0; n < 3; n++) await send(it, `k${n}`);
    await it.intake.close();
    expect(await verify(sealed)).toMatchObject({ lines: 3, faultCount: 0 });
    await expect(verify(settings)).rejects.toThrow('storage.journal.seal');
    for (const forged of [
      'update skep_intake_line l set body = o.body from skep_intake_line o where l.seq = 2 and o.seq = 3',
      `update skep_intake_line set body = '{"id":"forged"}' where seq = 2`,
    ]) {
      await pair.primary.sql(forged);
      const error = await verify(sealed).catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(Corruption);
      expect((error as Error).message).toContain('line 2');
    }
    await expect(live(sealed)).rejects.toThrow(Corruption); // its notices wait
  });

  test('verify finds an erasure that no line names; rebuild says that there is nothing to rebuild', async () => {
    const it = await live();
    const ids = [await send(it), await send(it)];
    await it.intake.close();
    await pair.primary.sql('update skep_intake_line set body = null, gone = 1 where seq = 1');
    const report = await verify(settings);
    expect(report).toMatchObject({ lines: 1, erased: 1, faultCount: 1 });
    expect(report.faults[0]).toContain(ids[0]);
    await expect(rebuild(settings, 'now')).rejects.toThrow('nothing to rebuild');
  });

  describe.each(['embedded', 'jsonl'] as const)('what %s left on the machine', (backend) => {
    const plain: FormDefinition = { ...contact, person: 'email' };
    const forms = backend === 'embedded' ? [form] : [plain];
    const before = (): StoreSettings => ({ ...settings, backend });

    test('is taken in with keys, notices, deliveries and columns; its files are moved aside, and named', async () => {
      const clock = new SimulatedClock();
      const old = await live(before(), clock, forms);
      const ids = [await send(old, 'k1'), await send(old), await send(old)];
      await delivered(old);
      old.intake.noticeSettled({ id: ids[0]!, kind: 'chat', outcome: 'sent' });
      old.intake.deliveries.settle({ tenant: TENANT, ids: [ids[0]!] });
      await old.intake.close();

      const it = await live(settings, clock, forms);
      expect(it.intake.replayed).toBe(3);
      expect(await storedIds()).toEqual(ids);
      expect(await send(it, 'k1')).toBe(ids[0]);
      expect(noticed(it)).toEqual(ids.slice(1));
      expect(await delivered(it)).toEqual(backend === 'embedded' ? ids.slice(1) : []);
      expect((await send(it)) > ids.at(-1)!).toBe(true);
      expect([existsSync(settings.embeddedPath), existsSync(settings.jsonlDir)]).toEqual([false, false]);
      const { forms: counts, left, tenants } = await it.intake.erasePerson(good.email);
      expect(counts).toEqual({ contact: 4 });
      expect(left.length).toBe(readdirSync(join(settings.jsonlDir, '..')).length);
      expect(tenants).toEqual(backend === 'embedded' ? { [TENANT]: 0 } : undefined);
      await it.intake.close();
      expect(await verify(settings)).toMatchObject({ lines: 0, erased: 4, faultCount: 0 });
      const fields = { ...contact.fields, age: { type: 'string' as const } };
      await expect(live(settings, clock, [{ ...plain, fields }])).rejects.toThrow(DestructiveDiff);
      const again = await live(settings, clock, forms);
      expect(again.intake.replayed).toBe(0);
      await again.intake.close();
    });

    test('is taken in once, also where the first time was cut short', async () => {
      const clock = new SimulatedClock();
      const old = await live(before(), clock, forms);
      const count = limits.intake.databaseSliceLines + 20;
      const ids: string[] = [];
      for (let n = 0; n < count; n += 60) ids.push(...(await Promise.all(Array.from({ length: 60 }, () => send(old)))));
      await old.intake.close();
      const session = await Session.open(settings.database!);
      await createSubmissionTables(session, 20_000);
      session.close();
      // The database ends the taking-in behind its first slice.
      await pair.primary.sql(`
        create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused' using errcode = '22000'; end $$;
        create trigger refuse before insert on skep_intake_line for each row when (new.seq > ${limits.intake.databaseSliceLines}) execute function refuse()`);
      await expect(live(settings, clock, forms)).rejects.toThrow('refused');
      expect(existsSync(settings.jsonlDir)).toBe(true);
      await pair.primary.sql('drop trigger refuse on skep_intake_line');
      const it = await live(settings, clock, forms);
      expect(it.intake.replayed).toBe(ids.length - limits.intake.databaseSliceLines);
      expect(await storedIds()).toEqual(ids);
      await it.intake.close();
    });
  });
});
