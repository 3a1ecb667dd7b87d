/**
 * Pieces of bodies as they came over the wire. Each owns its whole buffer, and its reader releases it when it is done: the memory is
 * free at once. Without that, dozens of megabytes of a long upload would wait for the garbage collector, which sees only the small views.
 */
const pieces = new WeakSet<ArrayBufferLike>();

/** Marks bytes as the only view of their buffer. */
export function ownPiece(bytes: Uint8Array): Uint8Array {
  pieces.add(bytes.buffer);
  return bytes;
}

/** Frees a piece by its buffer; every view of it is empty from here on. Any other buffer is left alone. */
export function freePiece(buffer: ArrayBufferLike): void {
  if (buffer instanceof ArrayBuffer && pieces.delete(buffer)) buffer.transfer(0);
}

/** Frees the pieces of one file behind its reader. */
export class ReadPieces {
  #first: ArrayBufferLike | null = null;
  #last: ArrayBufferLike | null = null;

  /**
   * Before the bytes of the file that come next are read: a piece is finished when bytes of another piece come. The first piece stays,
   * since another part may have ended in it and still be on its way to the disk; so does the last one, in which another part may begin.
   */
  next({ buffer }: Uint8Array): void {
    this.#first ??= buffer;
    if (buffer === this.#last) return;
    if (this.#last !== null && this.#last !== this.#first) freePiece(this.#last);
    this.#last = buffer;
  }
}
