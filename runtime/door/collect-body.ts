/** Collects the chunks of a body under a cap. The server only lends chunks, so they are copied. */
import { INLINE_BYTES_MAX, type Body } from '#actors/protocol/frame.ts';

export class BodyCollector {
  readonly #max: number;
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Counts a chunk. False once the cap is passed. */
  admit(chunk: Uint8Array): boolean {
    this.#length += chunk.byteLength;
    return this.#length <= this.#max;
  }

  /** Keeps an admitted chunk that is not the last. */
  keep(chunk: Uint8Array): void {
    this.#chunks.push(new Uint8Array(chunk));
  }

  /** The whole body: latin1 up to INLINE_BYTES_MAX, else bytes that own their whole buffer, so that it can be transferred. */
  finish(last: Uint8Array): Body {
    if (this.#chunks.length === 0 && this.#length <= INLINE_BYTES_MAX) return latin1(last);
    const whole = new Uint8Array(this.#length);
    let at = 0;
    for (const chunk of this.#chunks) {
      whole.set(chunk, at);
      at += chunk.byteLength;
    }
    whole.set(last, at);
    return this.#length <= INLINE_BYTES_MAX ? latin1(whole) : whole;
  }
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}
