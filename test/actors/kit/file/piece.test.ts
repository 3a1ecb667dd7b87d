/** Pieces of an upload are freed behind its reader: those, and nothing else. */
import { expect, test } from 'vitest';
import { freePiece, ownPiece, ReadPieces } from '#actors/kit/file/piece.ts';
import { uploadFile } from '#actors/kit/file/upload.ts';
import { MemoryBlobs } from '#test/storage/blob/memory.ts';

const piece = (text: string): Uint8Array => ownPiece(Uint8Array.from(Buffer.from(text)));

test('a file of many pieces: all but the first and the last are gone, and the file is whole', async () => {
  const pieces = ['head', 'one', 'two', 'three', 'tail'].map(piece);
  async function* content() {
    for (const bytes of pieces) {
      yield bytes.subarray(0, 2);
      yield bytes.subarray(2);
    }
  }
  const blobs = new MemoryBlobs(() => 0);
  const { upload, value, head } = await uploadFile(blobs, content(), 'a.txt', 'text/plain');
  await upload.publish();
  const stored: Uint8Array[] = [];
  for await (const bytes of blobs.read(value.sha256, 0, value.size)) stored.push(bytes);
  expect(Buffer.concat(stored).toString()).toBe('headonetwothreetail');
  expect(head.toString()).toBe('headonetwothreetail');
  expect(pieces.map(({ byteLength }) => byteLength)).toEqual([4, 0, 0, 0, 4]);
});

test('a buffer that others have, too, is left alone', () => {
  const shared = Buffer.from('pooled'); // Node cuts small buffers out of one pool
  const reader = new ReadPieces();
  for (const bytes of [piece('a'), shared, piece('b'), new Uint8Array(3), piece('c')]) reader.next(bytes);
  freePiece(shared.buffer);
  expect(shared.toString()).toBe('pooled');
});
