/** A year of hourly backups on a simulated clock: schedule, retention and sweep together. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { readManifest, SET_FORMAT, writeList, writeManifest, type PartRef } from '#storage/backup-set/manifest.ts';
import { setIdOf } from '#storage/backup-set/place.ts';
import { UNHURRIED } from '#storage/backup-set/restore-set.ts';
import { retireSets, sweepParts } from '#storage/backup-set/retire.ts';
import { storePieces } from '#storage/backup-set/store-part.ts';
import { Schedule } from '#runtime/backups/schedule.ts';
import { MemoryPlace } from './memory-place.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const KEEP = { last: 3, hourly: 24, daily: 7, weekly: 5, monthly: 12 };
const BEGAN = Date.parse('2025-01-01T00:00:00Z');

let now = BEGAN;
const place = new MemoryPlace(() => now);
const part = async (text: string): Promise<PartRef> =>
  (await storePieces({ place, encryption: null }, [Buffer.from(text)])).part;

/** A set of a tenant that changes hourly, with one file of all time and one of the day. */
async function makeSet(): Promise<void> {
  const files = [await part('a file of all time'), await part(`of ${new Date(now).toISOString().slice(0, 10)}`)];
  const list = await part(Buffer.concat([...writeList(files)]).toString());
  const rows = await part(`rows at ${now}`);
  const moment = new Date(now).toISOString();
  const tenant = {
    key: 'a:b:c:d',
    no: 2,
    shard: 0,
    state: 'active',
    rows,
    list,
    entries: 1,
    files: 2,
    file_bytes: 2,
    made_at: moment,
  };
  const id = setIdOf(now);
  await place.writeSet(
    id,
    writeManifest({
      format: SET_FORMAT,
      id,
      skep: '1',
      node: 'n',
      moment,
      ended_at: moment,
      shards: 1,
      encryption: null,
      tenants: [tenant],
      trees: [{ as: 'intake/jsonl', from: '/x', list, files: 2, bytes: 2 }],
      left_out: [],
      bytes: 1,
      new_bytes: 1,
    }),
  );
}

/** Every part that a set names, by reading each of them. */
async function named(): Promise<Set<string>> {
  const names = new Set<string>();
  for (const [id, text] of place.manifests)
    for (const { rows, list } of readManifest(text, id, 'memory').tenants) {
      names.add(rows.sha256).add(list.sha256);
      for (const line of place.kept.get(list.sha256)!.bytes.toString().trimEnd().split('\n'))
        names.add((JSON.parse(line) as PartRef).sha256);
    }
  return names;
}

/** The declared sets, counted by the calendar: the last of each period is the one of its last hour, and of the present period the newest. */
function declared(newest: number): string[] {
  const at = new Set<number>();
  const add = (count: number, endOf: (back: number) => number): void => {
    for (let back = 0; back < count; back++) at.add(Math.min(newest, endOf(back) - HOUR_MS));
  };
  const day = Math.floor(newest / DAY_MS) * DAY_MS;
  const monday = day - ((new Date(day).getUTCDay() + 6) % 7) * DAY_MS;
  const date = new Date(newest);
  add(24, (back) => newest - back * HOUR_MS + HOUR_MS);
  add(7, (back) => day + DAY_MS - back * DAY_MS);
  add(5, (back) => monday + 7 * DAY_MS - back * 7 * DAY_MS);
  add(12, (back) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1 - back, 1));
  return [...at].map(setIdOf).toSorted();
}

test(
  '8,760 sets leave those that are declared, every part that one of them names, and no other',
  { timeout: 120_000 },
  async () => {
    const schedule = new Schedule(HOUR_MS, limits.backup.retryMs, null, BEGAN);
    let [made, sweptMs] = [0, 0];
    for (; now < BEGAN + 365 * DAY_MS; now += HOUR_MS) {
      if (schedule.step(now) !== 'begin') continue;
      await makeSet();
      made++;
      schedule.ended(true, now);
      await retireSets(place, KEEP);
      if (now - sweptMs < limits.backup.sweepMs) continue;
      sweptMs = now;
      await sweepParts(place, now, UNHURRIED);
      for (const name of await named()) expect(place.kept.has(name), name).toBe(true);
    }
    expect(made).toBe(8760);
    const newest = now - HOUR_MS;
    expect(await place.sets()).toEqual(declared(newest));
    expect(place.manifests.size).toBe(24 + 6 + 3 + 11); // the newest of each kind is one set, and so are Sunday the 28th and its week
    now += limits.backup.unusedPartMs + HOUR_MS;
    await sweepParts(place, now, UNHURRIED);
    expect([...place.kept.keys()].toSorted()).toEqual([...(await named())].toSorted());
  },
);

test('a manifest or list that cannot be read stops the sweep before it removes anything', async () => {
  const id = (await place.sets())[0]!;
  const text = place.manifests.get(id)!;
  const orphan = await part('of no set');
  now += limits.backup.unusedPartMs + HOUR_MS;
  place.manifests.set(id, text.replace('"shards": 1', '"shards": 2'));
  await expect(sweepParts(place, now, UNHURRIED)).rejects.toThrow('was altered');
  place.manifests.set(id, text);
  const { list } = readManifest(text, id, 'memory').tenants[0]!;
  const held = place.kept.get(list.sha256)!;
  place.kept.delete(list.sha256);
  await expect(sweepParts(place, now, UNHURRIED)).rejects.toThrow('is missing');
  place.kept.set(list.sha256, held);
  expect(place.kept.has(orphan.sha256)).toBe(true);
  expect(await sweepParts(place, now, UNHURRIED)).toBe(1);
  expect(place.kept.has(orphan.sha256)).toBe(false);
});

test('a part that was stored a moment ago stays, though no set names it yet', async () => {
  const fresh = await part('of the set that is being made');
  await sweepParts(place, now, UNHURRIED);
  expect(place.kept.has(fresh.sha256)).toBe(true);
});
