/** A request's body as its handler reads it: pieces as they come; the sender stops while the handler takes none. */

/** The caller left before the body's end. A handler that does not catch it ends its call; no caller is left to read an answer. */
export class BodyCut extends Error {
  constructor() {
    super('the caller left before the end of the body');
  }
}

export class BodyStream implements AsyncIterable<Uint8Array> {
  readonly #taken: (bytes: number) => void;
  /** Called with each piece before its reader gets it. */
  onPiece: ((bytes: Uint8Array) => void) | null = null;
  #pieces: Uint8Array[] = [];
  #over: 'no' | 'end' | 'cut' = 'no';
  #wake: (() => void) | null = null;
  #dropped = false;

  /** `taken` is called with the bytes that the reader is done with, so that as many may follow. */
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

  /** The body is read no further: pieces that have come and those that follow are dropped. */
  drop(): void {
    this.#dropped = true;
    this.#pieces = [];
  }

  /** Whether the body has been read to its end. */
  get ended(): boolean {
    return this.#over === 'end' && this.#pieces.length === 0;
  }

  /** Reads on to the end and drops what it reads. Throws BodyCut when the caller leaves. */
  async drain(): Promise<void> {
    for await (const _ of this);
  }

  /** One reader at a time; a later one goes on where the last one left. Throws BodyCut when the caller leaves. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      const piece = this.#pieces.shift();
      if (piece !== undefined) {
        const { byteLength } = piece; // its reader may free it
        this.onPiece?.(piece);
        try {
          yield piece;
        } finally {
          this.#taken(byteLength);
        }
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
