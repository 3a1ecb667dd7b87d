/**
 * Bytes of answers that callers do not take. A connection has one answer at a time, so the largest answer bounds it; but many connections
 * together could fill the memory. Past the bound of all, the answer that has stood still for longest is cut, and counted. Only answers that
 * leave in pieces come here: small ones lie in the kernel's buffers.
 */

/** An answer on its way that can be given up. */
export interface Leaving {
  cutUnsent(): void;
}

export class Unsent {
  readonly #bytesMax: number;
  readonly #onCut: (bytes: number) => void;
  /** What each answer has still to send. The answer that moved last comes last, because a Map keeps the order of insertion. */
  readonly #left = new Map<Leaving, number>();
  #bytes = 0;

  constructor(bytesMax: number, onCut: (bytes: number) => void = () => undefined) {
    this.#bytesMax = bytesMax;
    this.#onCut = onCut;
  }

  /** Bytes of all answers together. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The answer has `left` bytes left: it is new here, or its caller took some. */
  note(answer: Leaving, left: number): void {
    this.forget(answer);
    if (left === 0) return;
    this.#left.set(answer, left);
    this.#bytes += left;
    if (this.#bytes > this.#bytesMax) this.#makeRoom(answer);
  }

  forget(answer: Leaving): void {
    const left = this.#left.get(answer);
    if (left === undefined) return;
    this.#left.delete(answer);
    this.#bytes -= left;
  }

  /** The newest stays, however large: it is being written at this moment. */
  #makeRoom(newest: Leaving): void {
    for (const [answer, left] of this.#left) {
      if (answer === newest) return;
      this.forget(answer);
      this.#onCut(left);
      answer.cutUnsent();
      if (this.#bytes <= this.#bytesMax) return;
    }
  }
}
