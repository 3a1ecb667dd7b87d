/**
 * An answer in pieces on uWebSockets.js. With an unknown length the addon's `write` keeps what the socket does not take, and says so. With
 * a known length `tryEnd` takes a part, and the addon asks for the rest when the socket is free.
 */
import type { HttpResponse } from 'uWebSockets.js';
import { freePiece } from './free-piece.ts';

export class UwsPieces {
  readonly #res: HttpResponse;
  readonly #length: number;
  readonly #taken: (bytes: number) => void;
  readonly #done: () => void;
  /** For a known length: the pieces that the socket has not taken yet, and the offset of their first byte in the body. */
  #queue: Uint8Array[] = [];
  #at = 0;
  /** For an unknown length: bytes that the addon keeps. */
  #kept = 0;
  #blocked = false;
  #over = false;

  /** `done` is called when the socket has taken the last byte of a known length. */
  constructor(res: HttpResponse, length: number, taken: (bytes: number) => void, done: () => void) {
    this.#res = res;
    this.#length = length;
    this.#taken = taken;
    this.#done = done;
    res.onWritable((offset) => this.#writable(offset));
  }

  /** Bytes that wait for the caller to take them. */
  get unsent(): number {
    return this.#queue.reduce((sum, { byteLength }) => sum + byteLength, this.#kept);
  }

  /** Adds a piece; to be called inside a cork. A large one owns its buffer, which is freed once it is sent. */
  add(bytes: Uint8Array): void {
    if (this.#length >= 0) {
      this.#queue.push(bytes);
      if (!this.#blocked) this.#push();
      return;
    }
    const { byteLength } = bytes;
    if (this.#res.write(bytes) && this.#kept === 0) this.#taken(byteLength);
    else this.#kept += byteLength;
    freePiece(bytes);
  }

  #writable(offset: number): boolean {
    if (this.#over) return true;
    this.#blocked = false;
    if (this.#length >= 0) {
      const first = this.#queue[0];
      if (first !== undefined) {
        const sent = offset - this.#at;
        this.#queue[0] = first.subarray(sent);
        this.#at = offset;
        if (sent > 0) this.#taken(sent);
      }
      this.#push();
      return !this.#blocked;
    }
    const kept = this.#kept;
    this.#kept = 0;
    if (kept > 0) this.#taken(kept);
    return true;
  }

  #push(): void {
    while (this.#queue.length > 0 && !this.#over) {
      const bytes = this.#queue[0]!;
      const [sent, over] = this.#res.tryEnd(bytes, this.#length);
      if (over) {
        this.#over = true;
        this.#queue = [];
        this.#done();
        return;
      }
      if (!sent) {
        this.#blocked = true;
        return;
      }
      this.#queue.shift();
      const { byteLength } = bytes;
      this.#at += byteLength;
      freePiece(bytes);
      this.#taken(byteLength);
    }
  }
}
