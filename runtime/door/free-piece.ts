import { INLINE_BYTES_MAX } from '#actors/protocol/frame.ts';

/**
 * Frees a piece of an answer that has left or was copied: the garbage collector would free it only after dozens of megabytes. One that came inline
 * may lie in a buffer of many, and is left to the collector.
 */
export function freePiece({ buffer, byteLength }: Uint8Array): void {
  if (byteLength > INLINE_BYTES_MAX && buffer instanceof ArrayBuffer) buffer.transfer(0);
}
