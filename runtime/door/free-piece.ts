import { INLINE_BYTES_MAX } from '#actors/protocol/frame.ts';

const kept = new WeakSet<Uint8Array>();

/** For a piece that other answers have, too. */
export function keepPiece(bytes: Uint8Array): Uint8Array {
  kept.add(bytes);
  return bytes;
}

/**
 * Frees a piece of an answer that has left or was copied: the garbage collector would free it only after dozens of megabytes. One that came inline
 * may lie in a buffer of many, and is left to the collector.
 */
export function freePiece(bytes: Uint8Array): void {
  const { buffer, byteLength } = bytes;
  if (byteLength > INLINE_BYTES_MAX && buffer instanceof ArrayBuffer && !kept.has(bytes)) buffer.transfer(0);
}
