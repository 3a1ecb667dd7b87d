/** Gathers the chunks of a body under a cap. */
import { INLINE_BYTES_MAX } from '#actors/protocol/frame.ts';
import type { Body } from '#actors/protocol/frame.ts';

export class BodyCollector {
  readonly #max: number;
  #chunks: Uint8Array[] = [];
  #length = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Takes a chunk, copying it, since its bytes are only lent. False once the cap is passed; what came before is dropped then. */
  add(chunk: Uint8Array): boolean {
    this.#length += chunk.byteLength;
    if (this.#length > this.#max) {
      this.#chunks = [];
      return false;
    }
    if (chunk.byteLength > 0) this.#chunks.push(new Uint8Array(chunk));
    return true;
  }

  /** All of it: latin1 up to INLINE_BYTES_MAX, else bytes that own their whole buffer, fit to be transferred. */
  finish(): Body {
    if (this.#length <= INLINE_BYTES_MAX) return Buffer.concat(this.#chunks).latin1Slice();
    if (this.#chunks.length === 1) return this.#chunks[0]!;
    const whole = new Uint8Array(this.#length);
    let at = 0;
    for (const chunk of this.#chunks) {
      whole.set(chunk, at);
      at += chunk.byteLength;
    }
    return whole;
  }
}

/** A body that arrived in one piece, without a collector. */
export function wholeBody(chunk: ArrayBuffer): Body {
  if (chunk.byteLength <= INLINE_BYTES_MAX) return Buffer.from(chunk).latin1Slice();
  return new Uint8Array(chunk.slice(0));
}
