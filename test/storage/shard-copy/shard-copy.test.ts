/** A log that is cut behind copies of its shards, and starts from what is left: real archives over the engine in memory, copies in a directory. */
import {
  appendFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { shardPath } from '#storage/archive.ts';
import { MemoryLog } from '#test/storage/log-engine/memory.ts';
import { EngineRefused } from '#storage/log-engine/port.ts';
import { DirectoryCopies } from '#storage/shard-copy/directory-place.ts';
import type { CopyPlace } from '#storage/shard-copy/place.ts';
import { Random } from '#test/kit/random.ts';
import { testSeed } from '#test/kit/seed.ts';
import { changed, openOver } from '#test/storage/engine-journals/kit.ts';
import { place as directory } from '#test/storage/place.ts';
import { changedPlace } from './changed-place.ts';
import { CopiedNode } from './copied-node.ts';

const LOG = 'log';

function world(random = new Random(testSeed())) {
  const log = new MemoryLog({ shards: 2, random: () => random.next() });
  const root = directory();
  const node = new CopiedNode(log.connect(), new DirectoryCopies(root, LOG), directory());
  const pathOf = (name: string): string => join(root, LOG, name);
  const named = async (): Promise<string[]> => (await node.engine.look(0)).snapshots.map(({ name }) => name);
  return { log, node, pathOf, named };
}

/** So many copies of shard 0, each with a row of its own. */
async function copied(node: CopiedNode, count: number): Promise<void> {
  for (let n = 1; n <= count; n++) {
    await node.write(0, `row ${n}`, `${n}`);
    await node.drain();
    expect(await node.copy(0)).not.toBeNull();
  }
}

const rowsTo = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`row ${n + 1}`, `${n + 1}`]));

describe('a shard that is copied', () => {
  it('keeps three copies, cuts its log at the oldest, and starts from the newest and the entries behind it', async () => {
    const { node, named } = world();
    await node.start();
    await copied(node, 1);
    expect((await node.engine.look(0)).trimmed).toBe(0);
    await copied(node, 5);
    await node.write(0, 'behind', 'the copies');
    await node.stop();
    const { snapshots, trimmed } = await node.engine.look(0);
    expect(trimmed).toBe(snapshots[2]!.seq);
    expect((await node.place!.list(0)).toReversed()).toEqual(await named());
    node.forget(0);
    const [first, second] = await node.start();
    expect([first!.note, second!.note]).toEqual([snapshots[0], null]);
    expect(node.rows(0)).toEqual({ ...rowsTo(5), behind: 'the copies' });
    await node.stop();
  });

  it('is not copied again while nothing is new; it rests on its newest copy, once that was read again', async () => {
    const { node, pathOf, named } = world();
    await node.start();
    await copied(node, 1);
    const { tail, trimmed } = await node.engine.look(0);
    expect(trimmed).toBe(0);
    const [name] = await named();
    const whole = readFileSync(pathOf(name!));
    writeFileSync(pathOf(name!), whole.subarray(1));
    await expect(node.copy(0)).rejects.toThrow('is not what was stored there');
    expect((await node.engine.look(0)).trimmed).toBe(0);
    writeFileSync(pathOf(name!), whole);
    expect(await node.copy(0)).toBeNull();
    expect((await node.engine.look(0)).trimmed).toBe(tail);
    rmSync(pathOf(name!));
    expect(await node.copy(0)).toBeNull();
    await node.stop();
  });

  it('goes on from its own store where that misses nothing, whatever copies there are', async () => {
    const { node, named, pathOf } = world();
    await node.start();
    await copied(node, 3);
    await node.stop();
    for (const name of await named()) rmSync(pathOf(name));
    expect(await node.start()).toEqual([
      { note: null, faults: [] },
      { note: null, faults: [] },
    ]);
    expect(node.rows(0)).toEqual(rowsTo(3));
    await node.stop();
  });

  it('comes back where its store is older than what the log still has', async () => {
    const { node, named } = world();
    const old = directory();
    await node.start();
    await node.write(0, 'gone', 'later');
    await node.stop();
    node.keep(0, old);
    await node.start();
    await node.write(0, 'gone', null);
    await copied(node, 3);
    await node.stop();
    node.putBack(0, old);
    await expect(openOver(node.engine, node.dataDir)).rejects.toThrow('may be gone');
    const [brought] = await node.start();
    expect(brought!.note!.name).toBe((await named())[0]);
    expect(node.rows(0)).toEqual(rowsTo(3));
    await node.stop();
  });

  const wrongs: Record<string, (path: string, older: string) => void> = {
    'a torn': (path) => truncateSync(path, statSync(path).size - 4096),
    'an empty': (path) => truncateSync(path, 0),
    'a longer': (path) => appendFileSync(path, 'x'),
    'an altered': (path) => {
      const bytes = readFileSync(path);
      bytes[bytes.length >> 1]! ^= 1;
      writeFileSync(path, bytes);
    },
    'an older': (path, older) => writeFileSync(path, readFileSync(older)),
    'a missing': (path) => rmSync(path),
    'a swapped': (path, older) => {
      renameSync(path, `${path}.x`);
      renameSync(older, path);
      renameSync(`${path}.x`, older);
    },
  };
  it.each(Object.keys(wrongs))('%s copy is never gone on from: the next older one is', async (which) => {
    const { node, named, pathOf } = world();
    await node.start();
    await copied(node, 4);
    await node.write(0, 'behind', 'it');
    await node.stop();
    const [newest, second, third] = await named();
    wrongs[which]!(pathOf(newest!), pathOf(second!));
    node.forget(0);
    const [brought] = await node.start();
    expect(brought!.note!.name).toBe(which === 'a swapped' ? third : second);
    expect(brought!.faults[0]).toContain(newest);
    expect(node.rows(0)).toEqual({ ...rowsTo(4), behind: 'it' });
    await node.stop();
  });

  it('refuses where no copy can be used, says what to do, and claims nothing', async () => {
    const { node, named, pathOf } = world();
    await node.start();
    await copied(node, 3);
    await node.stop();
    for (const name of await named()) truncateSync(pathOf(name), 100);
    node.forget(0);
    const { epoch } = await node.engine.look(0);
    const start = node.start();
    await expect(start).rejects.toThrow(EngineRefused);
    await expect(start).rejects.toThrow(
      /there is no store .* no copy in .* can be used: 0\/.*; 0\/.*; 0\/[^]*start again/,
    );
    await expect(node.start(null)).rejects.toThrow('names no place of copies (storage.journal.snapshots)');
    await expect(node.start(new DirectoryCopies(directory(), LOG))).rejects.toThrow('is not there');
    expect((await node.engine.look(0)).epoch).toBe(epoch);
    expect(readdirSync(join(node.dataDir, 'shard-copies'))).toEqual([]);
    expect(readdirSync(join(node.dataDir, 'shards'))).toEqual(['1']);
  });

  it('takes the whole log where nothing was cut and no copy can be used', async () => {
    const { node, named, pathOf } = world();
    await node.start();
    await copied(node, 1);
    await node.stop();
    rmSync(pathOf((await named())[0]!));
    node.forget(0);
    const [brought] = await node.start();
    expect([brought!.note, brought!.faults.length]).toEqual([null, 1]);
    expect(node.rows(0)).toEqual(rowsTo(1));
    await node.stop();
  });

  it('a copy of another log is refused, also where a note names it', async () => {
    const [mine, other] = [world(), world()];
    for (const { node } of [mine, other]) await node.start();
    await copied(mine.node, 3);
    await copied(other.node, 3);
    await other.node.stop();
    const { snapshots } = await mine.node.engine.look(0);
    const foreign = (await other.named())[0]!;
    await mine.node.place!.put(foreign, other.pathOf(foreign));
    await mine.node.write(0, 'one', 'more');
    // Its bytes are right, and its place in the log is not: the log's own note says so.
    const place: CopyPlace = mine.node.place!;
    const lying = changed(mine.node.engine, {
      look: async (shard) => {
        const state = await mine.node.engine.look(shard);
        return { ...state, snapshots: [{ ...snapshots[0]!, name: foreign }] };
      },
    });
    await mine.node.stop();
    mine.node.forget(0);
    const node = new CopiedNode(lying, place, mine.node.dataDir);
    await expect(node.start()).rejects.toThrow('is not one of this shard and entry');
  });

  it('what is on its way while another node notes a newer copy is removed, and is no base', async () => {
    const { node, named } = world();
    await node.start();
    await node.write(0, 'a', '1');
    await node.drain();
    const late = (await node.take(0))!;
    await copied(node, 2);
    expect(await node.place!.list(0)).not.toContain(late.name);
    expect(await node.engine.noteSnapshot(0, { seq: late.seq, chain: late.chain, name: late.name })).toBe(false);
    await node.write(0, 'b', '2');
    await node.drain();
    const ahead = (await node.take(0))!;
    // A sweep that comes before its note leaves it.
    await node.write(1, 'a', '1');
    await node.drain();
    await node.copy(1);
    expect(await node.place!.list(0)).toContain(ahead.name);
    expect(await named()).not.toContain(ahead.name);
    await node.stop();
  });

  it('leaves the store as it was where fetching ends in the middle', async () => {
    const { node } = world();
    const old = directory();
    await node.start();
    await node.stop();
    node.keep(0, old);
    await node.start();
    await copied(node, 3);
    await node.stop();
    node.putBack(0, old);
    const before = readFileSync(join(shardPath(node.dataDir, 0), 'data.mdb'));
    const torn = changedPlace(node.place!, {
      async *read(name) {
        for await (const piece of node.place!.read(name)) {
          yield piece.subarray(0, piece.length >> 1);
          throw new Error('the connection ended');
        }
      },
    });
    await expect(node.start(torn)).rejects.toThrow('the connection ended');
    expect(readFileSync(join(shardPath(node.dataDir, 0), 'data.mdb')).equals(before)).toBe(true);
    await node.start();
    expect(node.rows(0)).toEqual(rowsTo(3));
    await node.stop();
  });
});

const STEPS = ['put', 'noteSnapshot', 'note answered', 'trim', 'trim answered', 'list', 'remove'] as const;

describe('a process that ends between two steps', () => {
  /** Ends at a step; what lies behind "answered" has happened. */
  function ending(node: CopiedNode, step: (typeof STEPS)[number]) {
    const end = (): never => {
      throw new Error('the process ended');
    };
    const { engine, place } = node;
    const broken = changed(engine, {
      ...(step === 'noteSnapshot' && { noteSnapshot: end }),
      ...(step === 'note answered' && { noteSnapshot: (shard, note) => engine.noteSnapshot(shard, note).then(end) }),
      ...(step === 'trim' && { trim: end }),
      ...(step === 'trim answered' && { trim: (shard, seq) => engine.trim(shard, seq).then(end) }),
    });
    const brokenPlace = changedPlace(place!, {
      ...(step === 'put' && { put: end }),
      ...(step === 'list' && { list: end }),
      ...(step === 'remove' && { remove: end }),
    });
    return { engine: broken, place: brokenPlace };
  }

  it.each(STEPS)('%s: it starts with every row, and the next copy does what was left', async (step) => {
    const { node, named } = world();
    await node.start();
    await copied(node, 4);
    await node.write(0, 'more', 'v');
    await node.drain();
    const { engine, place } = ending(node, step);
    await expect(node.copy(0, engine, place)).rejects.toThrow('the process ended');
    await node.stop();
    node.forget(0);
    await node.start();
    expect(node.rows(0)).toEqual({ ...rowsTo(4), more: 'v' });
    await node.drain();
    await node.copy(0);
    const { snapshots, trimmed } = await node.engine.look(0);
    expect(trimmed).toBe(snapshots.at(-1)!.seq);
    expect((await node.place!.list(0)).toReversed()).toEqual(await named());
    await node.stop();
  });
});

describe('against a plain model', () => {
  const ROUNDS = 60;

  it('every start has every acknowledged row', { timeout: 120_000 }, async () => {
    const random = new Random(testSeed());
    const { node, pathOf } = world(random);
    const model = [0, 1].map((): Record<string, string> => ({}));
    const kept: (string | null)[] = [null, null];
    const damaged = new Set<string>();
    const reached = { back: 0, faults: 0, cut: 0, old: 0 };
    await node.start();
    for (let round = 0; round < ROUNDS; round++) {
      for (let n = random.below(12); n > 0; n--) {
        const [shard, key] = [random.below(2), `k${random.below(20)}`];
        const value = random.chance(0.2) ? null : `${round} ${n}`;
        if (value === null) delete model[shard]![key];
        else model[shard]![key] = value;
        await node.write(shard, key, value);
      }
      if (random.chance(0.5)) await node.drain();
      for (const shard of [0, 1])
        if (random.chance(0.6))
          await node.copy(shard).catch(async (error: Error) => {
            // A shard does not rest on a copy that was damaged.
            expect(error.message).toContain('is not what was stored there');
            expect(damaged).toContain((await node.engine.look(shard)).snapshots[0]!.name);
          });
      if (random.chance(0.3)) await node.engine.reclaim();
      if (random.chance(0.4)) continue;
      await node.stop();
      for (const shard of [0, 1]) {
        const { snapshots, trimmed } = await node.engine.look(shard);
        if (trimmed > 0) reached.cut++;
        const path = kept[shard];
        if (random.chance(0.2)) node.keep(shard, (kept[shard] = directory()));
        else if (path !== null && random.chance(0.4)) {
          node.putBack(shard, path!);
          reached.old++;
        } else if (random.chance(0.5)) node.forget(shard);
        const usable = snapshots.filter(({ name, seq }) => seq >= trimmed && !damaged.has(name));
        if (usable.length > 1 && random.chance(0.3)) {
          damaged.add(usable[0]!.name);
          truncateSync(pathOf(usable[0]!.name), 5000);
        }
      }
      for (const { note, faults } of await node.start()) {
        if (note !== null) reached.back++;
        reached.faults += faults.length;
      }
      expect([node.rows(0), node.rows(1)]).toEqual(model);
    }
    await node.stop();
    for (const [what, count] of Object.entries(reached)) expect(count, what).toBeGreaterThan(0);
  });
});
