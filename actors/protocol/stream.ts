/**
 * Bodies that cross a thread in pieces. A batch of them is `[STREAM, no, part, payload, …]`; it goes behind whatever waits in the
 * outbox, so that pieces never overtake the request or the reply that they belong to. A piece of at most INLINE_BYTES_MAX travels as a
 * latin1 string, with others; a larger one alone, since its bytes are transferred; one that several replies get travels once in a batch. Each side sends at most WINDOW_BYTES that the
 * other has not taken: the slow side stops the fast one, and the memory between them is bounded.
 *
 * Numbers are reused: the door frees one when the reply has ended, and from then on both sides drop what still comes for it.
 */

/** Sent and not yet taken, per stream and direction; one piece may pass it. */
export const WINDOW_BYTES = 256 * 1024;
/** How large a sender makes its pieces. */
export const PIECE_BYTES = 64 * 1024;

/** Door to host: a piece of the request's body, its end, or its caller left before the end. */
export const BODY_PIECE = 1;
export const BODY_END = 2;
export const BODY_CUT = 3;
/** Host to door: so many bytes of the body were taken. */
export const BODY_TAKEN = 4;
/** Host to door: a piece of the reply's body, its end, or the reply cannot be finished. */
export const REPLY_PIECE = 5;
export const REPLY_END = 6;
export const REPLY_CUT = 7;
/** Door to host: so many bytes of the reply have left, or the caller does not want the rest. */
export const REPLY_TAKEN = 8;
export const REPLY_STOP = 9;
/** Host to door: a piece of the reply's body whose bytes other replies have, too. */
export const REPLY_SHARED = 10;

export type StreamPart = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10;

const shared = new WeakSet<Uint8Array>();

/** Pieces that several replies send: they stay with their sender, and a batch holds their bytes once (structured clone keeps the identity of objects). */
export function shareBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const own = ownBytes(bytes);
  shared.add(own);
  return own;
}

export const areShared = (bytes: Uint8Array): boolean => shared.has(bytes);

/** Bytes that own their whole buffer, fit to be transferred. */
export function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  const whole = buffer instanceof ArrayBuffer && bytes.byteLength === buffer.byteLength;
  return whole ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);
}
