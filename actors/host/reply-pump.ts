/** Sends a reply's pieces, at most a window ahead of what its caller has taken. */
import { WINDOW_BYTES } from '#actors/protocol/stream.ts';

/** Too many bytes wait for callers that do not read, and this answer has waited for longest. */
export class AnswerGivenUp extends Error {
  constructor() {
    super('an answer was given up: its caller does not read it, and others need the memory');
  }
}

export class ReplyPump {
  #ahead = 0;
  #stopped = false;
  #cut = false;
  #wake: (() => void) | null = null;
  readonly #left: () => void;

  /** `left` is called when the rest is not wanted: the source may wait for what it has to tell. */
  constructor(left: () => void = () => undefined) {
    this.#left = left;
  }

  taken(bytes: number): void {
    this.#ahead -= bytes;
    if (this.#ahead < WINDOW_BYTES) this.#stir();
  }

  /** The caller does not want the rest. */
  stop(): void {
    this.#stopped = true;
    this.#stir();
    this.#left();
  }

  /** The rest is given up: `run` throws. */
  cut(): void {
    this.#cut = true;
    this.#stir();
    this.#left();
  }

  /** Sends all pieces, each when `mayLeave` allows. Resolves at the end, or when it was stopped; rejects with what the source throws. */
  async run(
    pieces: AsyncIterable<Uint8Array>,
    mayLeave: () => Promise<void> | null,
    send: (piece: Uint8Array) => void,
  ): Promise<void> {
    for await (const piece of pieces) {
      const wait = mayLeave();
      if (wait !== null) await wait;
      if (this.#isOver()) return;
      if (piece.byteLength === 0) continue;
      this.#ahead += piece.byteLength; // before it is sent: sending takes its bytes away
      send(piece);
      while (this.#ahead >= WINDOW_BYTES && !this.#isOver())
        await new Promise<void>((resolve) => (this.#wake = resolve));
      if (this.#isOver()) return;
    }
  }

  #isOver(): boolean {
    if (this.#cut && !this.#stopped) throw new AnswerGivenUp();
    return this.#stopped;
  }

  #stir(): void {
    const wake = this.#wake;
    this.#wake = null;
    wake?.();
  }
}
