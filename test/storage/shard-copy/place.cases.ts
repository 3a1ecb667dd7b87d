/** What every place of copies does. */
import { hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pieceName } from '#storage/shard-copy/piece-name.ts';
import { CopyMissing, copyName, type CopyPlace } from '#storage/shard-copy/place.ts';
import { place as directory } from '#test/storage/place.ts';

const nameOf = (shard: number, seq: number, text: string): string =>
  copyName({ shard, seq, chain: 'a'.repeat(32), madeMs: 1000 + seq, sha256: hash('sha256', text) });

async function put(place: CopyPlace, shard: number, seq: number, text: string): Promise<string> {
  const path = join(directory(), 'file');
  writeFileSync(path, text);
  const name = nameOf(shard, seq, text);
  await place.put(name, path);
  return name;
}

async function textOf(place: CopyPlace, name: string): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of place.read(name)) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces).toString();
}

/** `open` gives a place of the log of this id, in one store for all of a case. */
export function placeCases(open: () => Promise<(log: string) => CopyPlace>): void {
  test('copies are listed by shard, oldest entries first, read whole, and removed', async () => {
    const place = (await open())('one');
    expect(await place.list(1)).toEqual([]);
    const second = await put(place, 1, 20, 'second');
    const first = await put(place, 1, 3, 'first');
    const third = await put(place, 1, 100, '');
    const other = await put(place, 11, 1, 'other');
    expect(await place.list(1)).toEqual([first, second, third]);
    expect(await place.list(11)).toEqual([other]);
    expect([await textOf(place, second), await textOf(place, third)]).toEqual(['second', '']);
    await put(place, 1, 20, 'second');
    await place.remove(first);
    await place.remove(first);
    expect(await place.list(1)).toEqual([second, third]);
    await expect(textOf(place, first)).rejects.toThrow(CopyMissing);
  });

  test('pieces of a log are listed apart from its copies, by shard, first entries first', async () => {
    const place = (await open())('one');
    const path = join(directory(), 'file');
    writeFileSync(path, 'entries');
    const sha256 = hash('sha256', 'entries');
    const names = [7, 100, 11].map((from) =>
      pieceName({ shard: 1, from, to: from + 3, chain: 'b'.repeat(32), firstMs: 5, lastMs: 6, sha256 }),
    );
    expect(await place.pieces(1)).toEqual([]);
    for (const name of names) await place.put(name, path);
    const copy = await put(place, 1, 20, 'copy');
    expect(await place.pieces(1)).toEqual([names[0], names[2], names[1]]);
    expect([await place.pieces(11), await place.list(1)]).toEqual([[], [copy]]);
    expect(await textOf(place, names[1]!)).toBe('entries');
    for (const name of names) await place.remove(name);
    expect([await place.pieces(1), await place.list(1)]).toEqual([[], [copy]]);
  });

  test('copies of another log in the same store are not seen', async () => {
    const store = await open();
    const name = await put(store('one'), 0, 1, 'mine');
    expect(await store('two').list(0)).toEqual([]);
    await store('two').remove(name);
    expect(await textOf(store('one'), name)).toBe('mine');
  });
}
