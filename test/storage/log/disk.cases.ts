/** What both disks of the JSONL log must do. */
import { expect, test } from 'vitest';
import type { LogDisk } from '#storage/log/disk.ts';

const bytes = (text: string) => Buffer.from(text);

async function* pieces(...texts: readonly (string | null)[]): AsyncGenerator<Buffer, void> {
  for (const text of texts) {
    if (text === null) throw new Error('no more');
    yield bytes(text);
  }
}

export function diskCases(open: () => LogDisk): void {
  test('a file that is not there is created by open, and then has a name and a size', async () => {
    const disk = open();
    expect(await disk.names()).toEqual([]);
    await (await disk.open('a')).close();
    expect(await disk.names()).toEqual(['a']);
    expect(await disk.size('a')).toBe(0);
  });

  test('bytes lie where they were written; reading stops at the end', async () => {
    const disk = open();
    const file = await disk.open('a');
    await file.write(bytes('hello '), 0);
    await file.write(bytes('world'), 6);
    await file.sync();
    expect((await disk.read('a', 0, 100)).toString()).toBe('hello world');
    expect((await disk.read('a', 6, 2)).toString()).toBe('wo');
    expect((await disk.read('a', 11, 10)).length).toBe(0);
    await file.close();
  });

  test('truncate cuts, and the next write goes on from there', async () => {
    const disk = open();
    const file = await disk.open('a');
    await file.write(bytes('good bad'), 0);
    await file.truncate(5);
    await file.write(bytes('better'), 5);
    expect((await disk.read('a', 0, 100)).toString()).toBe('good better');
    await file.close();
  });

  test('open keeps what a file holds', async () => {
    const disk = open();
    const file = await disk.open('a');
    await file.write(bytes('kept'), 0);
    await file.close();
    await (await disk.open('a')).close();
    expect(await disk.size('a')).toBe(4);
  });

  test('save replaces the whole file and leaves nothing beside it', async () => {
    const disk = open();
    await disk.save('a', bytes('a long first text'));
    await disk.save('a', bytes('short'));
    expect((await disk.read('a', 0, 100)).toString()).toBe('short');
    expect(await disk.names()).toEqual(['a']);
  });

  test('rewrite replaces the whole file by pieces, and keeps the old one where these fail', async () => {
    const disk = open();
    await disk.save('a', bytes('old'));
    await disk.rewrite('a', pieces('one ', 'two'));
    expect((await disk.read('a', 0, 100)).toString()).toBe('one two');
    await expect(disk.rewrite('a', pieces('three', null))).rejects.toThrow('no more');
    expect((await disk.read('a', 0, 100)).toString()).toBe('one two');
    expect(await disk.names()).toEqual(['a']);
  });

  test('remove takes a file and its torn tails away, and nothing else', async () => {
    const disk = open();
    for (const name of ['a', 'a.torn-7', 'ab', 'ab.torn-7']) await disk.save(name, bytes(name));
    await disk.remove('a');
    expect((await disk.names()).toSorted()).toEqual(['ab', 'ab.torn-7']);
  });

  test('a file that is not there cannot be read', async () => {
    await expect(open().size('absent')).rejects.toMatchObject({ code: 'ENOENT' });
  });
}
