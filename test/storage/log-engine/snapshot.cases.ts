/** What every log engine does with copies of shards, with entries that are let go, and with an owner that takes over. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { EMPTY_BASE, takeOver, type Base, type TakeOver } from '#storage/log-engine/take-over.ts';
import { EngineRefused, TrimGap, TrimRefused } from '#storage/log-engine/port.ts';
import type { LogEngine, LogEntry, SnapshotNote } from '#storage/log-engine/port.ts';
import { inWorld, type Say } from './engine.cases.ts';
import { claimed, isUnknown, logOf, MIB, text, type OpenWorld, type Peer } from './world.ts';

export function snapshotCases(open: OpenWorld, it: Say): void {
  noteCases(open, it);
  takeOverCases(open, it);
}

/** An owner that has written `count` entries. */
async function written({ engine }: Peer, count: number) {
  const writer = await claimed(engine);
  const notes: SnapshotNote[] = [];
  for (let n = 1; n <= count; n++) {
    await writer.write(`${n}`);
    notes.push({ seq: n, chain: writer.chain, name: `copy-${n}` });
  }
  return { writer, note: (seq: number): SnapshotNote => notes[seq - 1]! };
}

function noteCases(open: OpenWorld, it: Say): void {
  it(
    'notes go forward, and the newest three are kept',
    inWorld(open, async (a, { engine: b }) => {
      const { note } = await written(a, 9);
      for (const seq of [2, 4, 6, 8]) expect(await a.engine.noteSnapshot(0, note(seq))).toBe(true);
      expect(await b.noteSnapshot(0, note(7))).toBe(false);
      expect(await b.noteSnapshot(0, { ...note(8), name: 'another' })).toBe(false);
      expect(await b.noteSnapshot(0, { ...note(9), seq: 10 })).toBe(false);
      expect((await b.look(0)).snapshots).toEqual([note(8), note(6), note(4)]);
      a.doom('answer lost');
      expect(await isUnknown(a.engine.noteSnapshot(0, note(9)))).toBe(true);
      expect(await a.engine.noteSnapshot(0, note(9))).toBe(true);
      expect(await b.claim({ shard: 0, seen: 1, owner: 'b', token: randomUUID() })).toMatchObject({
        snapshots: [note(9), note(8), note(6)],
      });
    }),
  );

  it(
    'nothing is let go above the newest copy',
    inWorld(open, async (a) => {
      const { note } = await written(a, 6);
      await expect(a.engine.trim(0, 1)).rejects.toThrow(TrimRefused);
      await a.engine.noteSnapshot(0, note(4));
      await expect(a.engine.trim(0, 5)).rejects.toThrow(TrimRefused);
      expect((await a.engine.look(0)).trimmed).toBe(0);
      await a.engine.trim(0, 4);
      await a.engine.trim(0, 2);
      expect((await a.engine.look(0)).trimmed).toBe(4);
      expect(await logOf(a.engine)).toEqual(['1/5 5', '1/6 6']);
    }),
  );

  it(
    'a reader of what was let go is told, before and after its room is given back',
    inWorld(open, async (a, { engine: b }) => {
      const { writer, note } = await written(a, 6);
      await a.engine.noteSnapshot(0, note(4));
      await a.engine.trim(0, 4);
      const both = async () => {
        await expect(a.engine.readOwn(0, 1, 3, MIB)).rejects.toThrow(TrimGap);
        await expect(b.readConfirmed(0, 0, MIB)).rejects.toThrow(TrimGap);
        expect((await b.readConfirmed(0, 4, MIB)).entries.map(text)).toEqual(['1/5 5']);
      };
      await both();
      await a.engine.reclaim();
      await both();
      expect(await writer.write('7')).toBe('durable');
      await a.engine.reclaim();
      expect(await logOf(a.engine)).toEqual(['1/5 5', '1/6 6', '1/7 7']);
    }),
  );

  it(
    'room is given back when every entry in it was let go, and writers meanwhile lose nothing',
    inWorld(open, async (a, { engine: b }) => {
      const { writer, note } = await written(a, 4);
      await b.reclaim();
      const other = await claimed(b, 1, 'b');
      await other.write('kept');
      await writer.write('5');
      await a.engine.noteSnapshot(0, note(4));
      await a.engine.trim(0, 4);
      const [gone] = await Promise.all([b.reclaim(), writer.write('6'), other.write('more')]);
      expect(gone + (await b.reclaim())).toBeGreaterThan(0);
      expect(await b.reclaim()).toBe(0);
      expect(await logOf(a.engine)).toEqual(['1/5 5', '1/6 6']);
      expect(await logOf(b, 1)).toEqual(['1/1 kept', '1/2 more']);
    }),
  );
}

function takingOver(engine: LogEngine, base: Base, taken: string[]): TakeOver {
  return {
    engine,
    wish: { shard: 0, seen: 1, owner: 'b', token: randomUUID() },
    base,
    bytesMax: 2,
    take: (entries: readonly LogEntry[]) => void taken.push(...entries.map(text)),
    pause: () => Promise.resolve(),
  };
}

function takeOverCases(open: OpenWorld, it: Say): void {
  it(
    'it has everything before its own first entry, whichever answer was lost',
    inWorld(open, async (a, b) => {
      const { writer } = await written(a, 5);
      b.doom('answer lost');
      const taken: string[] = [];
      const work = takingOver(b.engine, EMPTY_BASE, taken);
      const owned = await takeOver(work);
      expect(owned).toMatchObject({ epoch: 2, seq: 6 });
      expect(taken).toEqual(['1/1 1', '1/2 2', '1/3 3', '1/4 4', '1/5 5']);
      expect(await writer.write('6')).toBe('lost');
      expect(await logOf(b.engine)).toEqual([...taken, `2/6 ${work.wish.token}`]);
    }),
  );

  it(
    'it goes on from what it has, and claims nothing when that is too old or of another log',
    inWorld(open, async (a, b) => {
      const { note } = await written(a, 5);
      await a.engine.noteSnapshot(0, note(3));
      await a.engine.trim(0, 3);
      await expect(takeOver(takingOver(b.engine, EMPTY_BASE, []))).rejects.toThrow(TrimGap);
      expect((await b.engine.look(0)).epoch).toBe(1);
      const taken: string[] = [];
      expect(await takeOver(takingOver(b.engine, note(3), taken))).toMatchObject({ epoch: 2, seq: 6 });
      expect(taken).toEqual(['1/4 4', '1/5 5']);
    }),
  );

  it(
    'a base that is ahead of the log, or of another one, is refused',
    inWorld(open, async (a, b) => {
      const { note } = await written(a, 5);
      const ahead = { ...note(5), seq: 9 };
      await expect(takeOver(takingOver(b.engine, ahead, []))).rejects.toThrow(EngineRefused);
      const other = { ...note(3), chain: note(2).chain };
      const work = takingOver(b.engine, other, []);
      await expect(takeOver({ ...work, wish: { ...work.wish, seen: 2 } })).rejects.toThrow(EngineRefused);
      // Of another log: that shows before the claim.
      expect((await b.engine.look(0)).epoch).toBe(2);
    }),
  );

  it(
    'of two at the same time one becomes the owner',
    inWorld(open, async (a, b) => {
      await written(a, 3);
      const owned = await Promise.all([
        takeOver(takingOver(a.engine, EMPTY_BASE, [])),
        takeOver(takingOver(b.engine, EMPTY_BASE, [])),
      ]);
      expect(owned.filter((one) => one !== null)).toHaveLength(1);
    }),
  );
}
