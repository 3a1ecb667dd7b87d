/** How much is compressed at a time. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { Compressor, isAtOnce } from '#runtime/door/compress/compressor.ts';

test('the door compresses short answers itself, but none with Zstandard, which takes long to begin', () => {
  const most = limits.door.compressAtOnceBytesMax;
  expect([isAtOnce('br', most), isAtOnce('gzip', most), isAtOnce('br', most + 1)]).toEqual([true, true, false]);
  expect(isAtOnce('zstd', 1)).toBe(false);
});

test('few turns run at a time, the others in their order', () => {
  const compressor = new Compressor();
  const begun: number[] = [];
  const overs: (() => void)[] = [];
  const count = limits.door.compressingMax + 3;
  for (let i = 0; i < count; i++)
    compressor.turn((over) => {
      begun.push(i);
      overs.push(over);
    });
  expect(begun).toHaveLength(limits.door.compressingMax);
  for (let i = 0; i < count; i++) overs[i]!();
  expect(begun).toEqual(Array.from({ length: count }, (_, i) => i));
  let more = 0;
  for (let i = 0; i < count; i++) compressor.turn(() => more++);
  expect(more).toBe(limits.door.compressingMax);
});

test('bytes that wait are bounded: what comes beyond is not taken, and later bytes are again', async () => {
  const compressor = new Compressor();
  const half = Buffer.alloc(limits.door.compressingBytesMax / 2, 'a');
  const results: Promise<Buffer | null>[] = [];
  const ask = (): boolean => {
    let isTaken = false;
    const result = new Promise<Buffer | null>((resolve) => (isTaken = compressor.later('gzip', half, resolve)));
    if (isTaken) results.push(result);
    return isTaken;
  };
  expect([ask(), ask(), ask()]).toEqual([true, true, false]);
  for (const result of await Promise.all(results)) expect(result!.length).toBeLessThan(half.length);
  expect(ask()).toBe(true);
  await results.at(-1);
});

test('streams are bounded, and count until they close', async () => {
  const compressor = new Compressor();
  const streams = Array.from({ length: limits.door.compressedStreamsMax }, () => compressor.stream('br')!);
  expect(compressor.stream('br')).toBeNull();
  streams[0]!.destroy();
  await expect.poll(() => compressor.streams).toBe(limits.door.compressedStreamsMax - 1);
  expect(compressor.stream('gzip')).not.toBeNull();
  for (const stream of streams) stream.destroy();
});
