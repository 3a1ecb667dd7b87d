/** A request's body as its handler reads it: pieces as they come, and the sender stopped while nobody takes them. */

/** The caller left before the body's end. What a handler does not catch of it ends its call without an answer that anybody reads. */
export class BodyCut extends Error {
  constructor() {
    super('the caller left before the end of the body');
  }
}

export class BodyStream implements AsyncIterable<Uint8Array> {
  readonly #taken: (bytes: number) => void;
  #pieces: Uint8Array[] = [];
  #over: 'no' | 'end' | 'cut' = 'no';
  #wake: (() => void) | null = null;
  #dropped = false;

  /** `taken` is told of the bytes that the reader is done with, so that as many may follow. */
  constructor(taken: (bytes: number) => void) {
    this.#taken = taken;
  }

  push(bytes: Uint8Array): void {
    if (this.#dropped) return;
    this.#pieces.push(bytes);
    this.#stir();
  }

  end(): void {
    this.#finish('end');
  }

  cut(): void {
    this.#finish('cut');
  }

  /** Nobody reads on: what has come and what comes is let go. */
  drop(): void {
    this.#dropped = true;
    this.#pieces = [];
  }

  /** Once. Throws BodyCut when the caller leaves. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      const piece = this.#pieces.shift();
      if (piece !== undefined) {
        yield piece;
        this.#taken(piece.byteLength);
      } else if (this.#over === 'cut') throw new BodyCut();
      else if (this.#over === 'end') return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #finish(how: 'end' | 'cut'): void {
    if (this.#over === 'no') this.#over = how;
    this.#stir();
  }

  #stir(): void {
    const wake = this.#wake;
    this.#wake = null;
    wake?.();
  }
}
