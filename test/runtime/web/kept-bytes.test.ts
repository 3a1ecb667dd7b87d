/** Bytes in memory: bounded, read once, few files at a time. */
import { expect, test } from 'vitest';
import { KeptBytes } from '#runtime/web/kept-bytes.ts';

const of = (bytes: number) => (): Promise<Buffer> => Promise.resolve(Buffer.alloc(bytes));
const never = (): Promise<Buffer> => Promise.reject(new Error('read again'));

test('what is kept is not read again; the bound holds, and what was not asked for longest goes first', async () => {
  const kept = new KeptBytes(100, 2);
  for (const name of ['a', 'b']) await kept.of(name, of(40));
  await kept.of('a', never);
  await kept.of('c', of(40));
  expect(kept.bytes).toBe(80);
  await kept.of('a', never);
  await kept.of('c', never);
  await expect(kept.of('b', never)).rejects.toThrow('read again');
});

test('however many ask for a file, it is read once', async () => {
  const kept = new KeptBytes(100, 2);
  let reads = 0;
  const read = async (): Promise<Buffer> => Buffer.from([++reads]);
  const all = await Promise.all([1, 2, 3].map(() => kept.of('a', read)));
  expect([reads, new Set(all).size]).toEqual([1, 1]);
});

test('few files are read at once, and the others wait for their turn; a failed read gives its place on', async () => {
  const kept = new KeptBytes(100, 2);
  const ends: ((fails: boolean) => void)[] = [];
  const slow = () =>
    new Promise<Buffer>((resolve, reject) => {
      ends.push((fails) => (fails ? reject(new Error('broken')) : resolve(Buffer.alloc(1))));
    });
  const asked = ['a', 'b', 'c', 'd'].map((name) => kept.of(name, slow));
  const settled = Promise.allSettled(asked);
  expect(ends).toHaveLength(2);
  ends[0]!(true);
  await expect(asked[0]).rejects.toThrow('broken');
  expect(ends).toHaveLength(3);
  ends[1]!(false);
  await asked[1];
  ends[2]!(false);
  await asked[2];
  ends[3]!(false);
  expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
  const next = kept.of('e', slow);
  expect(ends).toHaveLength(5);
  ends[4]!(false);
  await next;
});
