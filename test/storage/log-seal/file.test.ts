/** Sealed files: every size around a piece, every bit of one. */
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Corruption } from '#storage/fault.ts';
import { UNHURRIED } from '#storage/backup-set/restore-set.ts';
import { isSealed, openSealedFile, sealFile } from '#storage/log-seal/file.ts';
import { place } from '#test/storage/place.ts';
import { sealOf, vaultOf } from './keys.ts';

const PIECE = 64 * 1024;
const HEAD = 29;
const seal = sealOf(vaultOf(1));

function world(bytes: Buffer) {
  const dir = place();
  const [from, sealed, back] = ['plain', 'sealed', 'back'].map((name) => join(dir, name)) as [string, string, string];
  writeFileSync(from, bytes);
  return {
    sealed,
    close: () => sealFile({ seal, shard: 3, from, to: sealed, pace: UNHURRIED }),
    open: async (other = seal, shard = 3) => {
      rmSync(back, { force: true });
      await openSealedFile({ seal: other, shard, from: sealed, to: back, pace: UNHURRIED });
      return readFileSync(back);
    },
  };
}

it.each([0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE, 3 * PIECE + 17])('%i bytes come back', async (size) => {
  const bytes = randomBytes(size);
  const { close, open, sealed } = world(bytes);
  await close();
  expect(await isSealed(sealed)).toBe(true);
  expect((await open()).equals(bytes)).toBe(true);
});

it('a changed bit, a missing end, pieces that were swapped, another shard and another key are refused', async () => {
  const { close, open, sealed } = world(randomBytes(2 * PIECE + 40));
  await close();
  const whole = readFileSync(sealed);
  const spoilt = async (bytes: Buffer): Promise<void> => {
    writeFileSync(sealed, bytes);
    await expect(open()).rejects.toThrow();
  };
  const places = [...Array(HEAD).keys(), HEAD, HEAD + PIECE, HEAD + PIECE + 15, HEAD + PIECE + 16, whole.length - 1];
  for (const at of places) {
    const flipped = Buffer.from(whole);
    flipped[at]! ^= 1;
    await spoilt(flipped);
  }
  const sealedPiece = PIECE + 16;
  for (const bytes of [0, 5, HEAD, HEAD + sealedPiece, HEAD + 2 * sealedPiece, whole.length - 1])
    await spoilt(whole.subarray(0, bytes));
  const [one, two] = [
    whole.subarray(HEAD, HEAD + sealedPiece),
    whole.subarray(HEAD + sealedPiece, HEAD + 2 * sealedPiece),
  ];
  await spoilt(Buffer.concat([whole.subarray(0, HEAD), two, one, whole.subarray(HEAD + 2 * sealedPiece)]));
  await spoilt(Buffer.concat([whole.subarray(0, HEAD), one, one, whole.subarray(HEAD + 2 * sealedPiece)]));
  writeFileSync(sealed, whole);
  await expect(open(seal, 4)).rejects.toThrow(Corruption);
  await expect(open(sealOf(new Map([[1, Buffer.alloc(32, 9)]])))).rejects.toThrow(Corruption);
  await expect(open(sealOf(vaultOf(2)))).rejects.toThrow('no such key');
  await open();
});
