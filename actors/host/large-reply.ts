/**
 * Replies that are too large for one message between threads. A message of megabytes holds the door while it is copied, and the small
 * answers of other tenants wait behind it; so a large body crosses in pieces, as fast as its caller reads, and the rest waits here.
 */
import { limits } from '#config/limits.ts';
import type { Unsent } from '#actors/kit/unsent.ts';
import type { Body } from '#actors/protocol/frame.ts';
import { ownBytes, PIECE_BYTES } from '#actors/protocol/stream.ts';

/** At most so many UTF-16 units make a piece of text: none of them takes more than three bytes. */
const PIECE_CHARS = PIECE_BYTES / 2;
const encoder = new TextEncoder();

export function isLarge(body: Body): boolean {
  return body.length >= limits.host.pieceReplyMin;
}

export function lengthOf(body: Body): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
}

/** The body in pieces that own their bytes. Until its last piece has left, all of it counts as held. */
export async function* heldPieces(body: Body, held: Unsent, cut: () => void): AsyncGenerator<Uint8Array> {
  const bytes = lengthOf(body);
  const entry = { cutUnsent: cut };
  try {
    for (const piece of typeof body === 'string' ? textPieces(body) : bytePieces(body)) {
      held.note(entry, bytes);
      yield piece;
    }
  } finally {
    held.forget(entry);
  }
}

function* textPieces(text: string): Generator<Uint8Array> {
  for (let from = 0; from < text.length;) {
    let to = Math.min(text.length, from + PIECE_CHARS);
    if (to < text.length && isHighSurrogate(text.charCodeAt(to - 1))) to--;
    yield encoder.encode(text.slice(from, to));
    from = to;
  }
}

/** A piece must not end in half of a surrogate pair: alone it would be encoded as U+FFFD. */
function isHighSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800;
}

function* bytePieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < bytes.byteLength; from += PIECE_BYTES)
    yield ownBytes(bytes.subarray(from, from + PIECE_BYTES));
}
