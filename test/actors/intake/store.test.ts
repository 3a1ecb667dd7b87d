import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { openEnvironment } from '#storage/environment.ts';
import { openDirectory } from '#storage/log/directory.ts';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import { DestructiveDiff } from '#actors/intake/columns.ts';
import { openStore } from '#actors/intake/store.ts';
import type { StoreSettings } from '#actors/intake/store-settings.ts';
import type { IntakeStore } from '#actors/intake/store-port.ts';
import type { Submission } from '#actors/intake/submission.ts';
import { databaseCases } from './database.cases.ts';
import { good, rig, submissionsInDatabase, submissionsInLog, type Rig } from './kit.ts';
import { MemoryDatabase } from './memory-database.ts';

const root = mkdtempSync(join(tmpdir(), 'skep-intake-store-'));
afterAll(() => rmSync(root, { recursive: true }));
let no = 0;
const fresh = () => join(root, `${no++}`);
const never = (error: Error) => {
  throw error;
};

describe('LMDB', () => databaseCases(() => openEnvironment(fresh(), { onFatal: never })));
describe('the database in memory', () => databaseCases(() => new MemoryDatabase()));

const ids = (submissions: readonly Submission[]) => submissions.map((submission) => submission.id);

async function submitMany({ submit }: Rig, count: number): Promise<string[]> {
  const answers = await Promise.all(Array.from({ length: count }, () => submit({ body: good })));
  return answers.map((answer) => answer.body['id'] as string);
}

describe('a database behind its log', () => {
  test('takes in the lines that it lacks, once', async () => {
    const first = await rig();
    const behind = first.database.crash();
    const known = await submitMany(first, 100);
    const second = await rig({ disk: first.disk, database: behind });
    expect(second.intake.replayed).toBe(100);
    expect(ids(submissionsInDatabase(behind))).toEqual(known);
    const third = await rig({ disk: first.disk, database: behind });
    expect(third.intake.replayed).toBe(0);
  });

  test('also in more than one group, and after a rotation', async () => {
    const first = await rig({ storage: { queueDepth: 5000 } });
    await submitMany(first, limits.intake.replayLinesMax);
    await first.intake.rotate();
    await submitMany(first, 10);
    const lost = new MemoryDatabase();
    const second = await rig({ disk: first.disk, database: lost });
    expect(second.intake.replayed).toBe(limits.intake.replayLinesMax + 10);
    expect(submissionsInDatabase(lost)).toEqual(submissionsInDatabase(first.database));
    expect(await first.disk.names()).toHaveLength(2);
  });

  test('knows replayed idempotency keys', async () => {
    const first = await rig();
    const headers = { 'idempotency-key': 'k' };
    const answer = await first.submit({ body: good, headers });
    const second = await rig({ disk: first.disk, database: new MemoryDatabase() });
    expect(await second.submit({ body: good, headers })).toEqual(answer);
  });

  test('a log shorter than the database says is refused', async () => {
    const first = await rig();
    await submitMany(first, 3);
    const [name] = await first.disk.names();
    await (await first.disk.open(name!)).truncate(10);
    await expect(rig({ disk: first.disk, database: first.database })).rejects.toThrow(/were acknowledged/);
  });
});

describe('the three ways to store', () => {
  test('wal_jsonl: false writes no log', async () => {
    const { disk, database, ...rest } = await rig({ storage: { walJsonl: false } });
    const known = await submitMany({ disk, database, ...rest }, 10);
    await rest.intake.rotate();
    expect(await disk.names()).toEqual([]);
    expect(ids(submissionsInDatabase(database))).toEqual(known);
  });

  test('backend: jsonl writes no database, and answers retries also after a restart', async () => {
    const storage = { backend: 'jsonl' } as const;
    const first = await rig({ storage });
    const headers = { 'idempotency-key': 'k' };
    const answer = await first.submit({ body: good, headers });
    expect(await first.submit({ body: good, headers })).toEqual(answer);
    await first.intake.close();
    const clock = new SimulatedClock(first.clock.now() + limits.intake.idempotencyMs - 1);
    const second = await rig({ storage, disk: first.disk, clock });
    expect(await second.submit({ body: good, headers })).toEqual(answer);
    clock.advance(1);
    expect((await second.submit({ body: good, headers })).body['id']).not.toBe(answer.body['id']);
    expect(first.database.commits).toBe(0);
    expect(await submissionsInLog(first.disk)).toHaveLength(2);
  });

  test('a log that was written alone goes into the database when one is configured', async () => {
    const first = await rig({ storage: { backend: 'jsonl' } });
    const known = await submitMany(first, 5);
    const second = await rig({ disk: first.disk });
    expect(ids(submissionsInDatabase(second.database))).toEqual(known);
  });

  test('switching the log off and on again keeps its chain', async () => {
    const first = await rig();
    await submitMany(first, 2);
    const { disk, database } = first;
    const second = await rig({ disk, database, storage: { walJsonl: false } });
    await submitMany(second, 2);
    const third = await rig({ disk, database });
    await submitMany(third, 2);
    expect(await submissionsInLog(disk)).toHaveLength(4);
    expect(submissionsInDatabase(database)).toHaveLength(6);
  });

  test.each(['embedded', 'jsonl'] as const)(
    '%s: ids go on rising over a restart with the clock set back',
    async (backend) => {
      const first = await rig({ storage: { backend } });
      const before = await submitMany(first, 3);
      const clock = new SimulatedClock(first.clock.now() - 3_600_000);
      const second = await rig({ storage: { backend }, disk: first.disk, database: first.database, clock });
      const all = [...before, ...(await submitMany(second, 3))];
      expect(all.toSorted()).toEqual(all);
      expect(new Set(all).size).toBe(6);
    },
  );
});

describe('columns', () => {
  const text = { type: 'string' } as const;
  const form = (fields: object, id = 'contact') => [{ id, fields, where: `forms/${id}.yaml:1:1` }] as never;

  test.each(['embedded', 'jsonl'] as const)(
    '%s: a removed or retyped field refuses the start, with the difference',
    async (backend) => {
      const storage = { backend };
      const { disk, database } = await rig({
        storage,
        forms: form({ name: text, age: { type: 'integer' }, town: text }),
      });
      const changed = form({ name: text, age: text, zip: text });
      const diff = [
        'form contact (forms/contact.yaml:1:1):',
        '  - town: text (removed)',
        '  ~ age: integer -> text (retyped)',
        '  + zip: text (added)',
      ].join('\n');
      await expect(rig({ storage, disk, database, forms: changed })).rejects.toThrow(diff);
      await expect(rig({ storage, disk, database, forms: changed })).rejects.toThrow(DestructiveDiff);
      await expect(
        rig({ storage, disk, database, forms: form({ name: text, age: { type: 'integer' }, town: text }) }),
      ).resolves.toBeDefined();
    },
  );

  test('an added field is recorded, and then may not go again', async () => {
    const { disk, database } = await rig({ forms: form({ name: text }) });
    await rig({ disk, database, forms: form({ name: text, town: { type: 'email' } }) });
    await rig({ disk, database, forms: form({ name: text, town: { type: 'url' } }) });
    await expect(rig({ disk, database, forms: form({ name: text }) })).rejects.toThrow('  - town: text (removed)');
  });

  test('a form that is gone and comes back is held to its columns', async () => {
    const { disk, database } = await rig({ forms: form({ name: text }) });
    await rig({ disk, database, forms: form({ other: text }, 'second') });
    await expect(rig({ disk, database, forms: form({ title: text }) })).rejects.toThrow('  - name: text (removed)');
  });
});

describe('on real files', () => {
  const settings = (path: string, more: Partial<StoreSettings> = {}): StoreSettings => ({
    backend: 'embedded',
    walJsonl: true,
    embeddedPath: join(path, 'db'),
    jsonlDir: join(path, 'log'),
    jsonlRotate: 'daily',
    ...more,
  });
  const submission: Submission = {
    id: '1',
    form: 'f',
    received_at: '2026-01-01T00:00:00.000Z',
    fields: { a: 'ü' },
    idempotency_key: 'k',
  };
  const clock = new SimulatedClock(Date.UTC(2026, 0, 1));

  async function write(store: IntakeStore): Promise<void> {
    const place = store.log === null ? null : await store.log.append([submission]);
    await store.log?.sync();
    await store.database.commit([{ ...submission, notices: [] }], place);
  }

  test('both stores are written and found again', async () => {
    const path = fresh();
    const store = await openStore(settings(path), clock, { onFatal: never });
    await write(store);
    await store.close();
    const again = await openStore(settings(path), clock, { onFatal: never });
    expect([again.lastId, again.replayed]).toEqual(['1', 0]);
    expect(again.firstUse('f', 'k')).toMatchObject({ id: '1' });
    await again.close();
    expect(await submissionsInLog(openDirectory(join(path, 'log')))).toEqual([submission]);
  });

  test('each alone makes no file of the other', async () => {
    const [one, two] = [fresh(), fresh()];
    for (const each of [settings(one, { walJsonl: false }), settings(two, { backend: 'jsonl' })]) {
      const store = await openStore(each, clock, { onFatal: never });
      await write(store);
      await store.close();
    }
    expect([existsSync(join(one, 'log')), existsSync(join(two, 'db'))]).toEqual([false, false]);
  });

  test('a damaged log refuses the start and leaves the database closed', async () => {
    const path = fresh();
    const store = await openStore(settings(path), clock, { onFatal: never });
    await write(store);
    await store.close();
    await (await openDirectory(join(path, 'log')).open('submissions-2026-01-01.001.jsonl')).truncate(10);
    await expect(openStore(settings(path), clock, { onFatal: never })).rejects.toThrow(/were acknowledged/);
    await openEnvironment(join(path, 'db'), { onFatal: never }).close();
  });
});
