/** A large piece of an answer is freed once it has left; one that other answers have, too, is not. */
import { expect, test } from 'vitest';
import { INLINE_BYTES_MAX } from '#actors/protocol/frame.ts';
import { freePiece, keepPiece } from '#runtime/door/free-piece.ts';

test('what is large is freed, what is small or kept stays', () => {
  const large = new Uint8Array(INLINE_BYTES_MAX + 1);
  const small = new Uint8Array(INLINE_BYTES_MAX);
  const kept = keepPiece(new Uint8Array(INLINE_BYTES_MAX + 1));
  for (const piece of [large, small, kept]) freePiece(piece);
  expect([large, small, kept].map(({ byteLength }) => byteLength)).toEqual([0, INLINE_BYTES_MAX, INLINE_BYTES_MAX + 1]);
});
