/** A process that ends as entries are let go, and a place that takes no pieces: nothing is let go that does not lie there. */
import { truncateSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EngineRefused } from '#storage/log-engine/port.ts';
import { readPieceName } from '#storage/shard-copy/piece-name.ts';
import { changed } from '#test/storage/engine-journals/kit.ts';
import { changedPlace } from '#test/storage/shard-copy/changed-place.ts';
import type { CopiedNode } from '#test/storage/shard-copy/copied-node.ts';
import { copied, piecesOf, rowsTo, world } from './world.ts';

const STEPS = ['put', 'put answered', 'read', 'trim', 'trim answered', 'list', 'remove'] as const;

describe('a process that ends as entries are let go', () => {
  /** Ends at a step of pieces; what lies behind "answered" has happened. */
  function ending(node: CopiedNode, step: (typeof STEPS)[number]) {
    const end = (): never => {
      throw new Error('the process ended');
    };
    const { engine, place } = node;
    const isPiece = (name: string): boolean => readPieceName(name) !== null;
    const broken = changed(engine, {
      ...(step === 'trim' && { trim: end }),
      ...(step === 'trim answered' && { trim: (shard, seq) => engine.trim(shard, seq).then(end) }),
    });
    const brokenPlace = changedPlace(place!, {
      put: async (name, path) => {
        if (isPiece(name) && step === 'put') end();
        await place!.put(name, path);
        if (isPiece(name) && step === 'put answered') end();
      },
      read: (name) => (isPiece(name) && step === 'read' ? end() : place!.read(name)),
      ...(step === 'list' && { pieces: end }),
      ...(step === 'remove' && { remove: end }),
    });
    return { engine: broken, place: brokenPlace };
  }

  it.each(STEPS)('%s: nothing is let go that lies in no piece, and the next copy does what was left', async (step) => {
    const { clock, node, place } = world();
    node.historyMs = 5000;
    await node.start();
    const times = await copied({ clock, node }, 1, 7);
    clock.ms += 500;
    await node.write(0, 'row 8', '8');
    times.push(clock.ms);
    await node.drain();
    clock.ms += 500;
    const { engine, place: broken } = ending(node, step);
    await expect(node.copy(0, engine, broken)).rejects.toThrow('the process ended');
    const { trimmed } = await node.engine.look(0);
    const last = (await piecesOf(place)).at(-1)!;
    expect(last.to).toBeGreaterThanOrEqual(trimmed);
    await node.stop();
    node.forget(0);
    await node.start();
    await node.drain();
    times.push(...(await copied({ clock, node }, 9, 10)));
    const pieces = await piecesOf(place);
    // Each entry lies in one piece.
    expect(pieces.slice(1).map(({ from }) => from)).toEqual(pieces.slice(0, -1).map(({ to }) => to + 1));
    const { snapshots, trimmed: now } = await node.engine.look(0);
    expect([now, pieces.at(-1)!.to]).toEqual([snapshots.at(-1)!.seq, now]);
    for (const [n, time] of times.entries())
      if (time >= clock.ms - 5000) expect(await node.rowsAt(0, time)).toEqual(rowsTo(n + 1));
    await node.stop();
  });

  it('a piece that is torn in the place before its entries are let go is made again', async () => {
    const { clock, node, place, pathOf } = world();
    await node.start();
    const times = await copied({ clock, node }, 1, 5);
    await node.write(0, 'row 6', '6');
    times.push(clock.ms);
    await node.drain();
    const { engine, place: broken } = ending(node, 'trim');
    await expect(node.copy(0, engine, broken)).rejects.toThrow('the process ended');
    const { trimmed } = await node.engine.look(0);
    const unused = (await piecesOf(place)).filter(({ to }) => to > trimmed);
    expect(unused.length).toBeGreaterThan(0);
    truncateSync(pathOf(unused[0]!.name), 10);
    await node.goOn(0);
    expect((await node.engine.look(0)).trimmed).toBe(unused.at(-1)!.to);
    for (const [n, time] of times.entries()) if (n > 0) expect(await node.rowsAt(0, time)).toEqual(rowsTo(n + 1));
    await node.stop();
  });

  it('where the place takes no pieces the log grows, and what another shard lets go does not wait', async () => {
    const { clock, node, place } = world();
    await node.start();
    await copied({ clock, node }, 1, 4);
    const { trimmed } = await node.engine.look(0);
    await node.write(0, 'more', 'v');
    await node.drain();
    const full = changedPlace(place, {
      put: (name, path) => (readPieceName(name) === null ? place.put(name, path) : Promise.reject(new Error('full'))),
    });
    await expect(node.copy(0, node.engine, full)).rejects.toThrow('full');
    expect((await node.engine.look(0)).trimmed).toBe(trimmed);
    await node.goOn(0);
    expect((await node.engine.look(0)).trimmed).toBeGreaterThan(trimmed);
    await node.stop();
  });

  it('entries of another log are not put behind those of this one', async () => {
    const { clock, node, place } = world();
    await node.start();
    await copied({ clock, node }, 1, 4);
    await node.write(0, 'more', 'v');
    await node.drain();
    const { engine } = node;
    const other = changed(engine, {
      readOwn: async (shard, epoch, after, bytesMax) => {
        const chunk = await engine.readOwn(shard, epoch, after, bytesMax);
        const entries = chunk!.entries.map((entry) => ({ ...entry, time: entry.time + 1 }));
        return { ...chunk!, entries };
      },
    });
    await expect(node.copy(0, other, place)).rejects.toThrow(EngineRefused);
    await node.stop();
  });
});
