/**
 * A crash at every step: before each operation on the disk or the database, and after each commit, the machine stops. Whatever
 * was acknowledged by then is found again, once, in the log and in the database alike.
 */
import { fc } from '#test/kit/property.ts';
import { describe, expect, test } from 'vitest';
import { good, rig, submissionsInDatabase, submissionsInLog, type RigOptions } from './kit.ts';
import { MemoryDatabase } from './memory-database.ts';
import { MemoryDisk } from '#test/storage/log/memory-disk.ts';

/** Requests per turn of the event loop, and when the disk is full, the log rotates or the day ends. */
interface Script {
  readonly waves: readonly {
    readonly requests: number;
    readonly after: 'nothing' | 'full' | 'room' | 'rotate' | 'tomorrow';
  }[];
  readonly kept: readonly number[];
}

interface Wreck {
  readonly acknowledged: readonly string[];
  readonly disk: MemoryDisk;
  readonly database: MemoryDatabase;
}

const script: fc.Arbitrary<Script> = fc.record({
  waves: fc.array(
    fc.record({
      requests: fc.integer({ min: 0, max: 9 }),
      after: fc.constantFrom('nothing', 'nothing', 'nothing', 'full', 'room', 'rotate', 'tomorrow'),
    }),
    { minLength: 1, maxLength: 8 },
  ),
  kept: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 10 }),
});

const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));
const sorted = (ids: readonly string[]) => ids.toSorted();

/** Plays a script and gives the wreck of every step, and of the orderly end. */
async function play({ waves, kept }: Script, storage: RigOptions['storage']): Promise<Wreck[]> {
  const disk = new MemoryDisk();
  const database = new MemoryDatabase();
  const { submit, intake, clock } = await rig({ disk, database, storage: { ...storage, batchMax: 4, queueDepth: 8 } });
  const acknowledged: string[] = [];
  const wrecks: Wreck[] = [];
  const stop = () => {
    const keep = kept[wrecks.length % kept.length]!;
    const after = disk.crash((unsynced) => Math.round(unsynced * keep));
    wrecks.push({ acknowledged: [...acknowledged], disk: after, database: database.crash() });
  };
  // An acknowledgement that is out too early has a turn to arrive before the machine stops.
  const step = async () => {
    await turn();
    stop();
  };
  disk.before = step;
  database.before = step;
  database.after = stop;
  const answers: Promise<void>[] = [];
  for (const wave of waves) {
    for (let i = 0; i < wave.requests; i++)
      answers.push(
        submit({ body: { ...good, age: 18 + i } }).then(({ status, body }) => {
          if (status === 200) acknowledged.push(body['id'] as string);
        }),
      );
    if (wave.after === 'full') disk.capacity = disk.used() + 700;
    else if (wave.after === 'room') disk.capacity = Infinity;
    else if (wave.after === 'rotate') void intake.rotate();
    else if (wave.after === 'tomorrow') clock.advance(24 * 3_600_000);
    await turn();
  }
  await intake.drain();
  await Promise.all(answers);
  stop();
  return wrecks;
}

type Found = (wreck: Wreck) => Promise<string[]>;

const inLog: Found = async ({ disk }) => (await submissionsInLog(disk)).map((submission) => submission.id);
const inDatabase: Found = async ({ database }) => submissionsInDatabase(database).map((submission) => submission.id);

async function assertNothingLost(
  played: Script,
  storage: RigOptions['storage'],
  places: readonly Found[],
): Promise<void> {
  const wrecks = await play(played, storage);
  for (const wreck of wrecks) {
    const again = await rig({ disk: wreck.disk, database: wreck.database, storage });
    const found = await Promise.all(places.map((place) => place(wreck)));
    for (const ids of found) {
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).toEqual(expect.arrayContaining([...wreck.acknowledged]));
      expect(sorted(ids)).toEqual(sorted(found[0]!));
    }
    const next = await again.submit({ body: good });
    expect(next.status).toBe(200);
    expect(sorted([...found[0]!, next.body['id'] as string]).at(-1)).toBe(next.body['id']);
  }
  const end = wrecks.at(-1)!;
  for (const place of places) expect((await place(end)).slice(0, -1)).toEqual(sorted(end.acknowledged));
}

describe('after a crash at any step, what was acknowledged is there, once', () => {
  test.each<[string, RigOptions['storage'], readonly Found[]]>([
    ['log and database', {}, [inLog, inDatabase]],
    ['log alone', { backend: 'jsonl' }, [inLog]],
    ['database alone', { walJsonl: false }, [inDatabase]],
  ])('%s', async (_name, storage, places) => {
    await fc.assert(
      fc.asyncProperty(script, (played) => assertNothingLost(played, storage, places)),
      { numRuns: 150 },
    );
  });
});
