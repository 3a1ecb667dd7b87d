/** What every place of leaves must do. Run by memory.test.ts and postgres.test.ts. */
import { beforeEach, expect, test } from 'vitest';
import { LeavesLost, type LeafStore } from '#storage/leaves/port.ts';

export interface LeafPlace {
  /** The store of a process of this node; nodes are named by UUIDs. */
  open(node: string): LeafStore;
  /** From now on this node serves. */
  serves(node: string): Promise<void>;
  /** Makes it empty. */
  clear(): Promise<void>;
}

export const [ONE, TWO] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'] as const;
export const LOG = 'tenant/acme/shop/dev/main';

export const leaf = (no: number): Buffer => Buffer.from(`{"seq":${no}}`);
export const leaves = (from: number, to: number): Buffer[] =>
  Array.from({ length: to - from }, (_, at) => leaf(from + at));
const head = (size: number) => ({ size, root: `root ${size}`, note: `note ${size}` });

export async function readAll(store: LeafStore, from: number, to: number): Promise<string[]> {
  const found: string[] = [];
  while (from + found.length < to)
    found.push(...(await store.read(LOG, from + found.length, to)).map((entry) => entry.toString()));
  return found;
}

export function leafCases(place: LeafPlace): void {
  let store: LeafStore;

  beforeEach(async () => {
    await place.clear();
    await place.serves(ONE);
    store = place.open(ONE);
    return () => store.close();
  });

  test('leaves come back in order, from any of them on', async () => {
    expect(await store.claim(LOG, 'key')).toEqual({ size: 0, head: null, key: 'key' });
    await store.append(LOG, 0, leaves(0, 3));
    await store.append(LOG, 3, [leaf(3)]);
    await store.append(LOG, 4, [Buffer.alloc(0), Buffer.alloc(0xffff, 7)]);
    expect(await readAll(store, 0, 4)).toEqual(leaves(0, 4).map(String));
    expect(await readAll(store, 2, 4)).toEqual(leaves(2, 4).map(String));
    expect(await store.read(LOG, 5, 6)).toEqual([Buffer.alloc(0xffff, 7)]);
    expect(await store.sizes()).toEqual(new Map([[LOG, 6]]));
    await expect(store.read(LOG, 6, 9)).rejects.toThrow(LeavesLost);
  });

  test('leaves at another place than the end are refused', async () => {
    await store.claim(LOG, 'key');
    await store.append(LOG, 0, leaves(0, 2));
    for (const first of [1, 4]) await expect(store.append(LOG, first, [leaf(9)])).rejects.toThrow(LeavesLost);
    expect(await readAll(store, 0, 2)).toEqual(leaves(0, 2).map(String));
  });

  test('a signed head is over leaves that are there, and never replaced by a smaller one; the first key stays', async () => {
    await store.claim(LOG, 'key');
    await store.append(LOG, 0, leaves(0, 4));
    await store.publish(LOG, head(3));
    await store.publish(LOG, head(2));
    await expect(store.publish(LOG, head(5))).rejects.toThrow(LeavesLost);
    expect(await store.claim(LOG, 'other')).toEqual({ size: 4, head: head(3), key: 'key' });
  });

  test('files stay as they were first kept', async () => {
    await store.claim(LOG, 'key');
    await store.save(LOG, [
      ['blob/b', leaf(1)],
      ['blob/a', leaf(2)],
    ]);
    await store.save(LOG, [['blob/a', leaf(3)]]);
    expect(await store.paths(LOG)).toEqual(['blob/a', 'blob/b']);
    expect(await store.file(LOG, 'blob/a')).toEqual(leaf(2));
    expect(await store.file(LOG, 'blob/none')).toBeNull();
  });

  test('behind a claim of the node that serves next the one before changes nothing, and claims nothing', async () => {
    await store.claim(LOG, 'key');
    await store.append(LOG, 0, leaves(0, 2));
    await place.serves(TWO);
    const next = place.open(TWO);
    try {
      // Until it is claimed the log is the first one's: what it adds is found.
      await store.append(LOG, 2, [leaf(2)]);
      expect(await next.claim(LOG, 'key')).toMatchObject({ size: 3 });
      await next.append(LOG, 3, [leaf(3)]);
      await expect(store.append(LOG, 4, [leaf(9)])).rejects.toThrow(LeavesLost);
      await expect(store.publish(LOG, head(3))).rejects.toThrow(LeavesLost);
      await expect(store.save(LOG, [['blob/a', leaf(9)]])).rejects.toThrow(LeavesLost);
      await expect(store.claim(LOG, 'key')).rejects.toThrow(LeavesLost);
      await expect(store.claim('node/platform', 'key')).rejects.toThrow(LeavesLost);
      expect(await readAll(next, 0, 4)).toEqual(leaves(0, 4).map(String));
      expect(await next.paths(LOG)).toEqual([]);
    } finally {
      await next.close();
    }
  });
}
