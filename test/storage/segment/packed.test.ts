import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';
import { openFiles } from '#storage/segment/files.ts';
import { packFile, piecesOf } from '#storage/segment/pack-file.ts';
import { packPiece, PIECE_BYTES, unpack } from '#storage/segment/packed.ts';
import { fc } from '#test/kit/property.ts';

const LARGE = 1_000_000;
const breath = (): Promise<void> => Promise.resolve();

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), 'skep-packed-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Random bytes, and bytes that repeat: the first do not become smaller, the second by far. */
const content = fc.oneof(
  fc.uint8Array({ maxLength: 400_000, size: 'max' }),
  fc
    .tuple(fc.string({ minLength: 1 }), fc.nat(20_000))
    .map(([text, times]) => Buffer.from(text.repeat(times)).subarray(0, 400_000)),
);

async function gathered(path: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of (await piecesOf(path, 1000))!) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

test('what is packed is read as it was written, whole and in pieces, and by gunzip', async () => {
  const path = join(directory(), 'file');
  await fc.assert(
    fc.asyncProperty(content, async (bytes) => {
      writeFileSync(path, bytes);
      await packFile(path, 0o600, breath);
      rmSync(path);
      expect(unpack(readFileSync(`${path}.gz`), LARGE).equals(bytes)).toBe(true);
      expect((await gathered(path)).equals(bytes)).toBe(true);
      if (bytes.length > 0) expect(execFileSync('gunzip', ['-c', `${path}.gz`]).equals(bytes)).toBe(true);
    }),
    { numRuns: 30 },
  );
});

test('a flipped bit and a cut end yield a beginning of what was packed, never other bytes', () => {
  const lines = Array.from({ length: 400 }, (_, no) => `${no} a line of a log, and ${no * 7919}\n`).join('');
  const pieces = [Buffer.from(lines), Buffer.from(lines.toUpperCase()), Buffer.from('the end')];
  const bytes = Buffer.concat(pieces.map(packPiece));
  const whole = Buffer.concat(pieces);
  const ends = [0, pieces[0]!.length, pieces[0]!.length + pieces[1]!.length, whole.length];
  let harmless = 0;
  for (let at = 0; at < bytes.length; at++)
    for (let bit = 0; bit < 8; bit++) {
      bytes[at]! ^= 1 << bit;
      const found = unpack(bytes, LARGE);
      bytes[at]! ^= 1 << bit;
      expect(whole.subarray(0, found.length).equals(found)).toBe(true);
      expect(ends).toContain(found.length);
      if (found.length === whole.length) harmless++;
    }
  // The padding behind the compressed bytes of a member: seven bits at most.
  expect(harmless).toBeLessThanOrEqual(7 * pieces.length);
  for (let end = 0; end < bytes.length; end++)
    expect(ends.slice(0, -1)).toContain(unpack(bytes.subarray(0, end), LARGE).length);
});

test('bytes that are none of ours, more than may be unpacked, and a piece that is too large are refused', () => {
  expect(unpack(Buffer.from('no gzip at all'), LARGE)).toHaveLength(0);
  const bomb = packPiece(Buffer.alloc(PIECE_BYTES));
  expect(unpack(Buffer.concat(Array.from({ length: 20 }, () => bomb)), LARGE).length).toBeLessThanOrEqual(LARGE);
  expect(() => packPiece(Buffer.alloc(PIECE_BYTES + 1))).toThrow(RangeError);
});

test('a file that is removed while it is packed stays removed, whichever comes first', async () => {
  const root = directory();
  const files = openFiles(root);
  const bytes = Buffer.from('a line\n'.repeat(50_000));
  for (let before = 0; before < 12; before++) {
    await files.save([['one', bytes]]);
    let breaths = 0;
    let removing: Promise<void> | null = null;
    const packing = files.pack('one', 1, async () => {
      if (++breaths === before) removing = files.remove('one');
      await new Promise((resolve) => setImmediate(resolve));
    });
    if (before === 0) removing = files.remove('one');
    await packing.catch(() => 'not');
    await (removing ?? files.remove('one'));
    expect(readdirSync(root)).toEqual([]);
  }
});

test('a small file stays, a packed one is named and sized as one file, and both forms are one', async () => {
  const root = directory();
  const files = openFiles(root);
  await files.save([
    ['a/small', Buffer.from('x')],
    ['a/large', Buffer.alloc(100_000, 'x')],
  ]);
  expect(await files.pack('a/small', 1000, breath)).toBe('not');
  expect(await files.pack('a/large', 1000, breath)).toBe('packed');
  expect(await files.pack('a/large', 1000, breath)).toBe('before');
  expect(await files.pack('a/none', 1000, breath)).toBe('not');
  expect(readdirSync(join(root, 'a')).toSorted()).toEqual(['large.gz', 'small']);
  expect((await files.names('a')).toSorted()).toEqual(['large', 'small']);
  expect(await files.size('a/large')).toBeLessThan(1000);
  expect(await files.read('a/large')).toHaveLength(100_000);
  await files.remove('a/large');
  expect(await files.read('a/large')).toBeNull();
});
