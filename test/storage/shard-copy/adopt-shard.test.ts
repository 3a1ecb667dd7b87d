/** A store of files that becomes the beginning of a log, and one of a log that becomes a store of files: over the engine in memory, ended at each step. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openArchive, shardPath } from '#storage/archive.ts';
import { UNHURRIED } from '#storage/backup-set/restore-set.ts';
import { MemoryLog } from '#test/storage/log-engine/memory.ts';
import { EngineRefused, type LogEngine } from '#storage/log-engine/port.ts';
import { findJournals, nextEpoch } from '#storage/journal/directories.ts';
import { adoptShard } from '#storage/shard-copy/adopt-shard.ts';
import { DirectoryCopies } from '#storage/shard-copy/directory-place.ts';
import { forgetLog, holdShard } from '#storage/shard-copy/leave-shard.ts';
import { Random } from '#test/kit/random.ts';
import { testSeed } from '#test/kit/seed.ts';
import { changed, durable, pause, rowsOf, write } from '#test/storage/engine-journals/kit.ts';
import { place as directory } from '#test/storage/place.ts';
import { CopiedNode } from './copied-node.ts';

const ROWS = { a: '1', b: '2', gone: '' };
const OWNER = 'adopt';

/** Opens the directory with files, writes, and closes; gives the rows. */
async function onFiles(dataDir: string, rows: Record<string, string> = {}): Promise<Record<string, string>> {
  const onFatal = (error: Error): never => {
    throw error;
  };
  const epoch = nextEpoch(dataDir);
  const replay = findJournals(dataDir);
  const archive = await openArchive({
    dataDir,
    shards: [0],
    epoch,
    name: 'x',
    replay,
    onFatal,
    limits: { freeBytesMin: 1 },
  });
  const store = archive.store(0, 7);
  for (const [key, value] of Object.entries(rows)) await durable(store, write(store, key, value === '' ? null : value));
  const found = rowsOf(store);
  await archive.close();
  return found;
}

async function world() {
  const random = new Random(testSeed());
  const log = new MemoryLog({ shards: 2, random: () => random.next() });
  const [dataDir, root] = [directory(), directory()];
  const rows = await onFiles(dataDir, ROWS);
  const place = new DirectoryCopies(root, 'log');
  const adopt = (engine: LogEngine = log.connect()) =>
    adoptShard({
      engine,
      place,
      pause,
      shard: 0,
      path: shardPath(dataDir, 0),
      scratch: join(dataDir, 'shard-copies', 'out-0'),
      owner: OWNER,
      pace: UNHURRIED,
      now: () => 5000,
    });
  /** A node elsewhere, on the log alone, and with the copies. */
  const served = async (): Promise<CopiedNode> => {
    const node = new CopiedNode(log.connect(), place, directory());
    await node.start();
    return node;
  };
  return { log, dataDir, rows, adopt, served };
}

it('a store of files is the beginning of the log: a node elsewhere has its rows, goes on, and is cut as any other', async () => {
  const { log, dataDir, rows, adopt, served } = await world();
  const made = await adopt();
  expect(made!.bytes).toBeGreaterThan(0);
  expect(await log.connect().look(0)).toMatchObject({ owner: OWNER, trimmed: 2, tail: 2 });
  const node = await served();
  expect(node.rows(0)).toEqual(rows);
  await node.write(0, 'more', 'v');
  await node.drain();
  await node.copy(0);
  await node.stop();
  node.forget(0);
  await node.start();
  expect(node.rows(0)).toEqual({ ...rows, more: 'v' });
  await node.stop();
  // The old directory is as it was.
  expect(await onFiles(dataDir)).toEqual(rows);
});

it('a directory that acknowledged more behind a run that ended is taken anew', async () => {
  const { dataDir, rows, adopt, served } = await world();
  await adopt();
  await onFiles(dataDir, { a: 'newer', c: 'more' });
  await adopt();
  const node = await served();
  expect(node.rows(0)).toEqual({ ...rows, a: 'newer', c: 'more' });
  await node.stop();
  await expect(adopt()).rejects.toThrow('it was claimed before');
});

it('instants of the log do not stay behind those of the directory', async () => {
  const { log, adopt } = await world();
  await adopt();
  const claim = await log.connect().claim({ shard: 0, seen: 1, owner: 'x', token: 'x' });
  expect(claim!.time).toBe(5000);
});

it('a log that has records is refused, and a store that follows a log', async () => {
  const { log, dataDir, adopt, served } = await world();
  const node = await served();
  await node.write(0, 'mine', 'v');
  await node.stop();
  await expect(adopt()).rejects.toThrow('the log is not empty');
  const other = new MemoryLog({ shards: 2, random: Math.random });
  const work = { engine: other.connect(), place: node.place!, pause, shard: 0, owner: OWNER, pace: UNHURRIED };
  const [path, scratch] = [shardPath(node.dataDir, 0), join(dataDir, 'x')];
  await expect(adoptShard({ ...work, path, scratch, now: () => 1 })).rejects.toThrow('follows a log already');
  expect((await other.connect().look(0)).epoch).toBe(0);
  void log;
});

it('a store in which nothing was written leaves the shard free', async () => {
  const { log } = await world();
  const dataDir = directory();
  await onFiles(dataDir);
  const [path, scratch] = [shardPath(dataDir, 0), join(dataDir, 'x')];
  const place = new DirectoryCopies(directory(), 'log');
  const engine = log.connect();
  const work = { engine, place, pause, shard: 0, owner: OWNER, pace: UNHURRIED, path, scratch, now: () => 1 };
  expect(await adoptShard(work)).toBeNull();
  expect((await engine.look(0)).epoch).toBe(0);
});

const STEPS = ['claim', 'claimed', 'append', 'appended', 'noteSnapshot', 'noted', 'trim'] as const;

it.each(STEPS)('ended at "%s" it is done by the next run, with every row', async (step) => {
  const { log, rows, adopt, served } = await world();
  const engine = log.connect();
  const end = (): never => {
    throw new Error('the process ended');
  };
  const broken = changed(engine, {
    ...(step === 'claim' && { claim: end }),
    ...(step === 'claimed' && { claim: (wish) => engine.claim(wish).then(end) }),
    ...(step === 'append' && { append: end }),
    ...(step === 'appended' && { append: (entries) => engine.append(entries).then(end) }),
    ...(step === 'noteSnapshot' && { noteSnapshot: end }),
    ...(step === 'noted' && { noteSnapshot: (shard, note) => engine.noteSnapshot(shard, note).then(end) }),
    ...(step === 'trim' && { trim: end }),
  });
  await expect(adopt(broken)).rejects.toThrow('the process ended');
  await adopt();
  const { owner, snapshots, tail, trimmed } = await engine.look(0);
  expect([owner, snapshots[0]!.seq, trimmed]).toEqual([OWNER, tail, tail]);
  const node = await served();
  expect(node.rows(0)).toEqual(rows);
  await node.stop();
});

it('a store that left its log is one of files with every row, and the log is held', async () => {
  const { log, rows, adopt, served } = await world();
  await adopt();
  const node = await served();
  await node.write(0, 'of the log', 'v');
  const engine = log.connect();
  const part = { engine, pause, shard: 0, path: shardPath(node.dataDir, 0), owner: 'leave' };
  await expect(holdShard(part)).rejects.toThrow('test has it');
  await node.stop();
  await holdShard(part);
  await holdShard(part);
  expect(await forgetLog(part)).toBe(true);
  expect(await forgetLog(part)).toBe(false);
  const expected = { ...rows, 'of the log': 'v' };
  expect(await onFiles(node.dataDir, { later: 'w' })).toEqual({ ...expected, later: 'w' });
  expect((await engine.look(0)).owner).toBe('leave');
});

it('a store that has not everything does not leave, and no shard is claimed by the attempt', async () => {
  const { log, adopt, served } = await world();
  await adopt();
  const [one, other] = [await served(), await served()];
  await other.write(0, 'newer', 'v');
  await other.stop();
  await one.stop();
  const engine = log.connect();
  const before = await engine.look(0);
  const part = { engine, pause, shard: 0, path: shardPath(one.dataDir, 0), owner: 'leave' };
  await expect(holdShard(part)).rejects.toThrow(EngineRefused);
  expect(await engine.look(0)).toEqual(before);
});
