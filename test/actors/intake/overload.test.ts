import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import { openEmbeddedStore } from '#actors/intake/embedded/store.ts';
import { good, rig, submissionsInDatabase, submissionsInLog, zeros } from './kit.ts';
import { MemoryDatabase } from './memory-database.ts';

/** The answer on a full disk: come back when there may be room. */
const turnedAway = {
  status: 503,
  headers: { 'Retry-After': String(limits.storage.fullRetrySeconds) },
  body: { code: 'intake.shedding', error: expect.stringContaining('storage.free_bytes_min') },
};

/** A log that keeps its warnings. */
function warnings() {
  const warned: Record<string, unknown>[] = [];
  const warn = (fields: object, message: string): void => void warned.push({ ...fields, message });
  return { warned, log: { info: () => undefined, warn, error: () => undefined } };
}

describe('shedding', () => {
  test('a full queue: 503 with Retry-After, counted; what was taken is stored once', async () => {
    const { submit, intake, disk } = await rig({ storage: { queueDepth: 4, batchMax: 2 } });
    const answers = await Promise.all(Array.from({ length: 10 }, () => submit({ body: good })));
    const shed = answers.filter((answer) => answer.status === 503);
    expect(shed).toHaveLength(6);
    expect(shed[0]).toMatchObject({ headers: { 'Retry-After': '1' }, body: { code: 'intake.shedding' } });
    expect(intake.counters()).toEqual({ requests: { ...zeros, accepted: 4, shedding: 6 } });
    const ids = answers.filter((answer) => answer.status === 200).map((answer) => answer.body['id']);
    expect((await submissionsInLog(disk)).map((submission) => submission.id)).toEqual(ids);
  });

  test('a full disk: 503 until there is room, and the log stays whole', async () => {
    const { log, warned } = warnings();
    const { submit, disk, intake, fatal } = await rig({ more: { log } });
    const first = await submit({ body: good });
    disk.capacity = disk.used() + 100;
    expect(await submit({ body: good })).toMatchObject(turnedAway);
    disk.capacity = Infinity;
    const third = await submit({ body: good });
    expect((await submissionsInLog(disk)).map((submission) => submission.id)).toEqual([
      first.body['id'],
      third.body['id'],
    ]);
    expect(intake.counters().requests).toMatchObject({ accepted: 2, shedding: 1 });
    expect(warned.map(({ turned_away }) => turned_away)).toEqual([1]);
    expect(fatal).toEqual([]);
  });

  test('free space below the watermark: 503 before anything is queued', async () => {
    const database = new MemoryDatabase();
    const poor = { ...(await openEmbeddedStore(database, null, new SimulatedClock())), hasRoom: () => false };
    const { submit } = await rig({ more: { store: () => Promise.resolve(poor) } });
    expect(await submit({ body: good })).toMatchObject(turnedAway);
    expect(submissionsInDatabase(database)).toEqual([]);
  });

  test('a disk without room: a line a minute names disk, key and how many were turned away', async () => {
    const store = await openEmbeddedStore(new MemoryDatabase(), null, new SimulatedClock());
    const poor = { ...store, hasRoom: () => false };
    const { log, warned } = warnings();
    const { submit, clock } = await rig({
      storage: { embeddedPath: '/srv/intake', freeBytesMin: 4096, walJsonl: false },
      more: { log, store: () => Promise.resolve(poor) },
    });
    for (let i = 0; i < 5; i++) await submit({ body: good });
    const line = { dirs: ['/srv/intake'], free_bytes_min: 4096, turned_away: 1 };
    expect(warned).toEqual([{ ...line, message: expect.stringContaining('storage.free_bytes_min') }]);
    clock.advance(limits.intake.fullDiskLineMs);
    await submit({ body: good });
    expect(warned.slice(1)).toMatchObject([{ ...line, turned_away: 5 }]);
  });

  test('a broken disk: logged once, nothing acknowledged any more', async () => {
    const { submit, disk, fatal, intake } = await rig();
    disk.before = (operation) => (operation === 'sync' ? Promise.reject(new Error('EIO')) : Promise.resolve());
    const [first, second] = await Promise.all([submit({ body: good }), submit({ body: good })]);
    expect([first.status, second.status]).toEqual([500, 500]);
    expect(first.body['code']).toBe('intake.internal');
    expect(fatal).toHaveLength(1);
    expect((await submit({ body: good })).status).toBe(503);
    expect((await submit({ route: 'ready' })).status).toBe(503);
    expect(intake.counters().requests).toMatchObject({ accepted: 0, internal: 2 });
  });
});
