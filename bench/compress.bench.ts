/** Compression of answers: what it costs the door to do it itself, and to have it done by libuv's threads. */
import { promisify } from 'node:util';
import { limits } from '#config/limits.ts';
import { Compressor, isAtOnce } from '#runtime/door/compress/compressor.ts';
import type { Coding } from '#runtime/door/compress/coding.ts';
import type { BenchCase } from './harness.ts';
import { functionMs, timeCalls, timeFunction } from './kit/function-bench.ts';
import type { Figure } from './kit/figure.ts';

const CODINGS: readonly Coding[] = ['br', 'gzip', 'zstd'];

/** A list of rows of about so many bytes. */
function listOf(bytes: number): Buffer {
  const rows: unknown[] = [];
  for (let i = 0, length = 0; length < bytes; i++) {
    const row = {
      id: `01J9ZQ3T5V7X9${i}`,
      name: `Person ${i}`,
      amount: (i * 7919) % 1000,
      created_at: 1.7e12 + i * 123,
    };
    rows.push(row);
    length += JSON.stringify(row).length + 1;
  }
  return Buffer.from(JSON.stringify(rows)).subarray(0, bytes);
}

export const compress: BenchCase = {
  name: 'compress',
  measures: 'compression of an answer, by the door itself and by another thread, until it is there',
  target: `at most 0.1 ms for the door, up to ${limits.door.compressAtOnceBytesMax} bytes`,
  http: false,
  seconds: (options) => (7 * functionMs(options)) / 1000,
  async run({ options }) {
    const compressor = new Compressor();
    const later = promisify((coding: Coding, bytes: Uint8Array, done: (error: null, result: Buffer | null) => void) => {
      if (!compressor.later(coding, bytes, (result) => done(null, result))) throw new Error('the compressor is full');
    });
    const ms = functionMs(options);
    const figures: Figure[] = [];
    const [short, longest, long] = [listOf(2048), listOf(limits.door.compressAtOnceBytesMax), listOf(64 * 1024)];
    for (const coding of CODINGS) {
      for (const [size, bytes] of [
        ['2 KiB', short],
        ['8 KiB', longest],
      ] as const)
        if (isAtOnce(coding, bytes.length))
          figures.push(await timeFunction(`compress ${coding} ${size}`, () => compressor.now(coding, bytes), ms));
      figures.push(await timeCalls(`compress ${coding} 64 KiB elsewhere`, () => later(coding, long), ms));
    }
    return figures;
  },
};
