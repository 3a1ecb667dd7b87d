/** Sends a reply's pieces, at most a window ahead of what its caller has taken. */
import { WINDOW_BYTES } from '#actors/protocol/stream.ts';

export class ReplyPump {
  #ahead = 0;
  #stopped = false;
  #wake: (() => void) | null = null;

  taken(bytes: number): void {
    this.#ahead -= bytes;
    if (this.#ahead < WINDOW_BYTES) this.#stir();
  }

  /** Nobody wants the rest. */
  stop(): void {
    this.#stopped = true;
    this.#stir();
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
      if (this.#stopped) return;
      if (piece.byteLength === 0) continue;
      this.#ahead += piece.byteLength; // before it is sent: sending takes its bytes away
      send(piece);
      while (this.#ahead >= WINDOW_BYTES && !this.#stopped)
        await new Promise<void>((resolve) => (this.#wake = resolve));
      if (this.#stopped) return;
    }
  }

  #stir(): void {
    const wake = this.#wake;
    this.#wake = null;
    wake?.();
  }
}
