/** Copies of shards that are sealed: what a start from them needs, and what is not in them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MemoryLog } from '#test/storage/log-engine/memory.ts';
import { DirectoryCopies } from '#storage/shard-copy/directory-place.ts';
import { sealOf, vaultOf } from '#test/storage/log-seal/keys.ts';
import { place as directory } from '#test/storage/place.ts';
import { CopiedNode } from './copied-node.ts';

const LOG = 'log';

function world() {
  const log = new MemoryLog({ shards: 2, random: () => 0 });
  const root = directory();
  const node = new CopiedNode(log.connect(), new DirectoryCopies(root, LOG), directory());
  const pathOf = (name: string): string => join(root, LOG, name);
  const named = async (): Promise<string[]> => (await node.engine.look(0)).snapshots.map(({ name }) => name);
  return { node, pathOf, named };
}

describe('a shard whose copies are sealed', () => {
  it('starts from them with the key alone, also behind plain ones and a rotation; nothing of a row lies in the place', async () => {
    const { node, pathOf, named } = world();
    await node.start();
    await node.write(0, 'plain', 'of before');
    await node.drain();
    await node.copy(0);
    await node.stop();
    node.forget(0);
    node.seal = sealOf(vaultOf(1));
    await node.start();
    expect(node.rows(0)).toEqual({ plain: 'of before' });
    const planted = 'planted in a row, long enough to be found';
    await node.write(0, 'row 1', planted);
    await node.drain();
    await node.copy(0);
    await node.stop();
    node.seal = sealOf(vaultOf(1, 2));
    await node.start();
    await node.write(0, 'row 2', planted);
    await node.drain();
    await node.copy(0);
    await node.stop();
    const names = await named();
    expect(names).toHaveLength(3);
    for (const name of names.slice(0, 2)) expect(readFileSync(pathOf(name)).includes('planted')).toBe(false);
    const rows = { plain: 'of before', 'row 1': planted, 'row 2': planted };
    for (const seal of [sealOf(vaultOf(1, 2)), sealOf(vaultOf(1), { vault: vaultOf(1, 2) })]) {
      node.forget(0);
      node.seal = seal;
      const [brought] = await node.start();
      expect(brought).toMatchObject({ note: { name: names[0] }, faults: [] });
      expect(node.rows(0)).toEqual(rows);
      await node.stop();
    }
  });

  it('is not brought back from a sealed copy without the key, or with another one, or where a bit differs', async () => {
    const { node, pathOf, named } = world();
    node.seal = sealOf(vaultOf(1));
    await node.start();
    for (const n of [1, 2, 3]) {
      await node.write(0, `row ${n}`, `${n}`);
      await node.drain();
      expect(await node.copy(0)).not.toBeNull();
    }
    await node.stop();
    for (const [seal, why] of [
      [null, /set storage\.journal\.seal/],
      [sealOf(vaultOf(2)), /has no such key/],
      [sealOf(new Map([[1, Buffer.alloc(32, 8)]])), /was changed, moved/],
    ] as const) {
      node.forget(0);
      node.seal = seal;
      await expect(node.start()).rejects.toThrow(why);
    }
    node.seal = sealOf(vaultOf(1));
    const [newest] = await named();
    const bytes = readFileSync(pathOf(newest!));
    bytes[100]! ^= 1;
    writeFileSync(pathOf(newest!), bytes);
    const [brought] = await node.start();
    expect(brought!.faults).toHaveLength(1);
    expect(node.rows(0)).toEqual({ 'row 1': '1', 'row 2': '2', 'row 3': '3' });
    await node.stop();
  });
});
