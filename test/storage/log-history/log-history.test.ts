/** A log whose entries are kept beside its copies, and what a shard was at an instant: real archives over the engine in memory, copies and pieces in a directory. */
import { hash } from 'node:crypto';
import { appendFileSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { logMarks, readApplied, type LogPlace } from '#storage/applied.ts';
import { shardPath } from '#storage/archive.ts';
import { UNHURRIED } from '#storage/backup-set/restore-set.ts';
import { openEnvironment } from '#storage/environment.ts';
import { HistoryGap } from '#storage/log-history/read-history.ts';
import { TooEarly } from '#storage/log-history/shard-at.ts';
import { pieceName, type PieceName } from '#storage/shard-copy/piece-name.ts';
import { readCopyName } from '#storage/shard-copy/place.ts';
import { storeCopy } from '#storage/shard-copy/take-copy.ts';
import { changed } from '#test/storage/engine-journals/kit.ts';
import { sealOf, vaultOf } from '#test/storage/log-seal/keys.ts';
import { place as directory } from '#test/storage/place.ts';
import { copied, HOUR, piecesOf, rowsTo, world } from './world.ts';

describe('a log with a history', () => {
  it('puts into the place what it lets go, and brings every instant from the first copy on back', async () => {
    const { clock, node, place } = world();
    await node.start();
    const times = await copied({ clock, node }, 1, 8);
    await node.write(0, 'behind', 'the copies');
    const { snapshots, trimmed } = await node.engine.look(0);
    expect(trimmed).toBe(snapshots[2]!.seq);
    const pieces = await piecesOf(place);
    expect(pieces.at(-1)!.to).toBe(trimmed);
    expect(pieces.slice(1).map(({ from }) => from)).toEqual(pieces.slice(0, -1).map(({ to }) => to + 1));
    expect((await place.list(0)).length).toBe(8);
    for (const [n, time] of times.entries()) {
      if (n > 0) expect(await node.rowsAt(0, time - 1)).toEqual(rowsTo(n));
      if (n > 0) expect(await node.rowsAt(0, time)).toEqual(rowsTo(n + 1));
    }
    // The newest entry is one that its writer has not confirmed in the log.
    const { confirmed, tail } = await node.engine.look(0);
    expect(confirmed).toBeLessThan(tail);
    let settled = 0;
    const settle = async (): Promise<void> => void settled++;
    expect(await node.rowsAt(0, clock.ms, { settle })).toEqual({ ...rowsTo(8), behind: 'the copies' });
    expect(settled).toBe(1);
    await node.stop();
  });

  it('refuses an instant before the first copy, and names the oldest one that can be had', async () => {
    const { clock, node } = world();
    await node.start();
    await expect(node.rowsAt(0, clock.ms)).rejects.toThrow('there is no copy of shard 0 in');
    const [time] = await copied({ clock, node }, 1, 3);
    const early = node.rowsAt(0, time!);
    await expect(early).rejects.toThrow(TooEarly);
    await expect(early).rejects.toThrow(
      `is of ${new Date(time! + 500).toISOString()}: name that instant, or a later one`,
    );
    expect(await node.rowsAt(0, time! + 500)).toEqual(rowsTo(1));
    await node.stop();
  });

  it('keeps pieces and copies for its duration, and the copy that the oldest piece leads on from', async () => {
    const { clock, node, place } = world();
    node.historyMs = 4500;
    await node.start();
    const times = await copied({ clock, node }, 1, 12);
    const copies = (await place.list(0)).map((name) => readCopyName(name)!);
    const pieces = await piecesOf(place);
    const from = clock.ms - 4500;
    expect(copies[0]!.madeMs).toBeLessThanOrEqual(from);
    expect(copies[1]!.madeMs).toBeGreaterThan(from);
    expect(pieces[0]!.from).toBe(copies[0]!.seq + 1);
    for (const [n, time] of times.entries())
      if (time >= from) expect(await node.rowsAt(0, time)).toEqual(rowsTo(n + 1));
    // A shard without new entries forgets as well.
    clock.ms += HOUR;
    expect(await node.copy(0)).toBeNull();
    expect(await place.pieces(0)).toEqual([]);
    expect((await place.list(0)).length).toBe(3);
    node.historyMs = null;
    await copied({ clock, node }, 13, 13);
    expect((await place.list(0)).length).toBe(3);
    await node.stop();
  });

  it('keeps copies so far apart that their number is bounded, and every instant between them', async () => {
    const { clock, node, place } = world();
    node.copyEveryMs = 4000;
    await node.start();
    const times = await copied({ clock, node }, 1, 14);
    const seqs = (await place.list(0)).map((name) => readCopyName(name)!);
    const unnamed = seqs.slice(0, -3);
    expect(unnamed.length).toBe(3);
    for (const [n, { madeMs }] of unnamed.slice(1).entries()) expect(madeMs - unnamed[n]!.madeMs).toBe(4000);
    for (const [n, time] of times.entries()) if (n > 0) expect(await node.rowsAt(0, time)).toEqual(rowsTo(n + 1));
    await node.stop();
  });

  it('goes without its pieces at the next copy where none is kept any more', async () => {
    const { clock, node, place } = world();
    await node.start();
    await copied({ clock, node }, 1, 6);
    expect((await place.pieces(0)).length).toBeGreaterThan(0);
    node.historyMs = null;
    await copied({ clock, node }, 7, 7);
    expect([(await place.pieces(0)).length, (await place.list(0)).length]).toEqual([0, 3]);
    // Begun again, it leads on from the oldest copy.
    node.historyMs = HOUR;
    const times = await copied({ clock, node }, 8, 12);
    expect(await node.rowsAt(0, times[1]!)).toEqual(rowsTo(9));
    await node.stop();
  });

  const wrongs: Record<string, (path: string, other: string) => void> = {
    'a torn': (path) => truncateSync(path, 60),
    'an empty': (path) => truncateSync(path, 0),
    'a longer': (path) => appendFileSync(path, 'x'),
    'an altered': (path) => {
      const bytes = readFileSync(path);
      bytes[bytes.length - 1]! ^= 1;
      writeFileSync(path, bytes);
    },
    'a missing': (path) => rmSync(path),
    'a swapped': (path, other) => {
      renameSync(path, `${path}.x`);
      renameSync(other, path);
      renameSync(`${path}.x`, other);
    },
  };
  it.each(Object.keys(wrongs))('%s piece is refused by its place; what does not need it comes back', async (which) => {
    const { clock, node, place, pathOf } = world();
    await node.start();
    const times = await copied({ clock, node }, 1, 9);
    await node.stop();
    const pieces = await piecesOf(place);
    const [piece, other] = [pieces[2]!, pieces[3]!];
    const copies = (await place.list(0)).map((name) => readCopyName(name)!);
    const inIt = times.findIndex((time) => time >= piece.firstMs && time <= piece.lastMs);
    // Without the copies between them the piece is needed.
    for (const name of await place.list(0))
      if (readCopyName(name)!.seq > copies[0]!.seq && readCopyName(name)!.seq <= other.to) rmSync(pathOf(name));
    expect(await node.rowsAt(0, times[inIt]!)).toEqual(rowsTo(inIt + 1));
    wrongs[which]!(pathOf(piece.name), pathOf(other.name));
    const refused = node.rowsAt(0, times[inIt]!);
    await expect(refused).rejects.toThrow(HistoryGap);
    await expect(refused).rejects.toThrow(
      which === 'a missing' ? `entries ${piece.from} to ${piece.to} are in no piece` : piece.name,
    );
    expect(await node.rowsAt(0, times[0]! + 500)).toEqual(rowsTo(1));
    expect(await node.rowsAt(0, times[8]!)).toEqual(rowsTo(9));
  });

  it('a piece that another hand made, with a digest that is right, does not follow on the log', async () => {
    const { clock, node, place, pathOf } = world();
    await node.start();
    const times = await copied({ clock, node }, 1, 9);
    await node.stop();
    for (const name of (await place.list(0)).slice(1, -1)) rmSync(pathOf(name));
    const [, , { name, ...piece }] = (await piecesOf(place)) as [object, object, PieceName & { readonly name: string }];
    const bytes = readFileSync(pathOf(name));
    // The instant of its first entry: no CRC covers it, and the chain does.
    bytes[53]! ^= 1;
    rmSync(pathOf(name));
    const forged = pieceName({ ...piece, sha256: hash('sha256', bytes) });
    writeFileSync(pathOf(forged), bytes);
    await expect(node.rowsAt(0, times[6]!)).rejects.toThrow(
      `${forged}: it does not end at the entry that its name says`,
    );
    expect(await node.rowsAt(0, times[8]! + 500)).toEqual(rowsTo(9));
  });

  it('takes an older copy where the newest one before the instant cannot be used', async () => {
    const { clock, node, place, pathOf } = world();
    await node.start();
    const times = await copied({ clock, node }, 1, 9);
    const names = await place.list(0);
    truncateSync(pathOf(names[4]!), 5000);
    const path = directory();
    const { faults } = await node.bring(0, times[5]! - 1, { path });
    expect(faults).toEqual([expect.stringContaining(names[4]!)]);
    expect(await node.rowsAt(0, times[5]! - 1)).toEqual(rowsTo(5));
    for (const name of names) truncateSync(pathOf(name), 5000);
    await expect(node.rowsAt(0, times[5]!)).rejects.toThrow(
      /no copy of shard 0 from before .* can be used: 0\/.*; 0\//,
    );
    await node.stop();
  });

  it('a copy that has a part of entries behind it is gone on from only where they are not later', async () => {
    const { clock, node, place } = world();
    await node.start();
    const times = await copied({ clock, node }, 1, 3);
    for (const n of [4, 5]) {
      clock.ms += 1000;
      await node.write(0, `row ${n}`, `${n}`);
      times.push(clock.ms);
    }
    const { epoch, tail } = await node.engine.look(0);
    const entries = (await node.engine.readOwn(0, epoch, tail - 2, 10_000))!.entries;
    const [whole, through] = entries.map(({ seq, chain }) => ({ seq, chain })) as [LogPlace, LogPlace];
    await node.stop();
    // What a sweep leaves in its middle: here all of the second entry is there.
    const scratch = shardPath(node.dataDir, 0);
    const environment = openEnvironment(scratch, { onFatal: () => undefined });
    const reach = { whole, through };
    await environment.commit(logMarks(readApplied(environment), reach, reach).last);
    await environment.close();
    const made = await storeCopy({ shard: 0, place, scratch, pace: UNHURRIED, now: () => times[3]! + 1 });
    expect(made.seq).toBe(whole.seq);
    expect(await node.rowsAt(0, times[4]! - 1)).toEqual(rowsTo(4));
    expect(await node.rowsAt(0, times[4]!)).toEqual(rowsTo(5));
  });

  it('an entry at the end of the log that is lost while it is read is not taken for one that was answered', async () => {
    const { clock, node } = world();
    await node.start();
    await copied({ clock, node }, 1, 2);
    await node.write(0, 'a', '1');
    const { engine } = node;
    let isLost = false;
    const losing = changed(engine, {
      readOwn: async (shard, epoch, after, bytesMax) => {
        const chunk = await engine.readOwn(shard, epoch, after, bytesMax);
        return isLost && chunk !== null ? { ...chunk, entries: [] } : chunk;
      },
    });
    const settle = async (): Promise<void> => void (isLost = true);
    await expect(node.rowsAt(0, clock.ms, { engine: losing, settle })).rejects.toThrow('was lost with a server');
    await node.stop();
  });
});

describe('a sealed log with a history', () => {
  it('has nothing of a row in its pieces, and is brought back with its keys alone', async () => {
    const { clock, node, place, pathOf } = world();
    await node.start();
    const planted = 'planted in a row, long enough to be found';
    // Entries between the two copies are plain, and are let go when the log is sealed.
    for (const text of [planted, `${planted} once more`]) {
      await node.write(0, 'row 0', text);
      await node.drain();
      await node.copy(0);
    }
    await node.stop();
    node.seal = sealOf(vaultOf(1));
    await node.start();
    await node.write(0, 'row 0', `${planted} again`);
    const times = await copied({ clock, node }, 1, 4);
    node.seal = sealOf(vaultOf(1, 2));
    times.push(...(await copied({ clock, node }, 5, 8)));
    await node.stop();
    const pieces = await place.pieces(0);
    expect(pieces.length).toBeGreaterThan(0);
    for (const name of pieces) expect(readFileSync(pathOf(name)).includes('planted')).toBe(false);
    const before = { 'row 0': `${planted} again` };
    for (const [n, time] of times.entries())
      expect(await node.rowsAt(0, time)).toEqual({ ...before, ...rowsTo(n + 1) });
    await expect(node.rowsAt(0, times[4]!, { seal: sealOf(vaultOf(3)) })).rejects.toThrow(/has no such key/);
    await expect(node.rowsAt(0, times[4]!, { seal: null })).rejects.toThrow(/set storage\.journal\.seal/);
  });
});
