import { once } from 'node:events';
import { expect, it, vi } from 'vitest';
import { Exclusive } from '#actors/host/exclusive.ts';
import type { Work } from '#actors/host/work.ts';
import { addToCount } from '#actors/engine/rows/count/store.ts';
import { prewarmed } from '#actors/data/prewarm.ts';
import { limits } from '#config/limits.ts';
import { MemoryStore } from '#test/storage/memory.ts';

const NO_BYTES = { id: '', bytes: 0 };
const TABLE = 7;
const OTHER = 8;

function scene(rows: number) {
  const store = new MemoryStore();
  const turn = store.begin();
  addToCount(turn, TABLE, rows - 1, 0, NO_BYTES);
  addToCount(turn, OTHER, 0, 1, NO_BYTES);
  turn.commit();
  const prewarm = vi.spyOn(store, 'prewarm');
  const exclusive = new Exclusive();
  return { work: { activation: { store, exclusive } } as unknown as Work, prewarm, exclusive };
}

it('brings the pages of very many rows into memory before and for as long as the work runs', async () => {
  const { work, prewarm } = scene(limits.data.prewarmRowsMin);
  const read = Promise.withResolvers<void>();
  prewarm.mockReturnValue(read.promise);
  const run = vi.fn(() => Promise.resolve(prewarm.mock.lastCall![0].aborted));
  const running = prewarmed(work, [TABLE, OTHER], run);
  await Promise.resolve();
  expect(run).not.toHaveBeenCalled();
  read.resolve();
  expect(await running).toBe(false);
  expect(prewarm.mock.lastCall![0].aborted).toBe(true);
});

it('lets go of them when the work fails', async () => {
  const { work, prewarm } = scene(limits.data.prewarmRowsMin);
  await expect(prewarmed(work, [TABLE, OTHER], () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(prewarm.mock.lastCall![0].aborted).toBe(true);
});

it('does not keep a host that ends waiting', async () => {
  const { work, prewarm, exclusive } = scene(limits.data.prewarmRowsMin);
  prewarm.mockImplementation(async (signal) => {
    await once(signal, 'abort');
  });
  const running = prewarmed(work, [TABLE, OTHER], () => Promise.resolve('went on'));
  void exclusive.close();
  expect(await running).toBe('went on');
});

it('leaves the disk alone for fewer rows', async () => {
  const { work, prewarm } = scene(limits.data.prewarmRowsMin);
  expect(await prewarmed(work, [TABLE], () => Promise.resolve('done'))).toBe('done');
  expect(prewarm).not.toHaveBeenCalled();
});
