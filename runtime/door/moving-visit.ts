/** The part of a visit that watches its bytes: how much of the body and the answer has moved, and which side is waited for. base-visit.ts has the rest. */
import type { Deadlines } from './deadlines.ts';
import type { Drain } from './drain.ts';
import type { Transfer, Transfers } from './transfers.ts';
import type { Leaving, Unsent } from '#actors/kit/unsent.ts';

/** The state that all visits of one door share. */
export interface DoorState {
  readonly drain: Drain;
  readonly onFault: (error: unknown) => void;
  /** Bodies and answers on their way, ended when a caller is too slow. */
  readonly transfers: Transfers;
  /** Answers on their way, where the door bounds how long one may take; else null. */
  readonly late: Deadlines<MovingVisit> | null;
  readonly unsent: Unsent;
  /** Called when an answer was cut because its caller took it too slowly. */
  readonly onSlow: () => void;
}

export abstract class MovingVisit implements Leaving, Transfer {
  /** Bytes of the body that came and of the answer that left, together. */
  moved = 0;
  protected readonly door: DoorState;
  #watched = false;
  /** The head of the answer has been written. */
  #begun = false;
  #finished = false;
  /** Bytes of the answer that wait for the caller to take them. */
  #left = 0;

  constructor(door: DoorState) {
    this.door = door;
    door.drain.enter();
  }

  abstract keep(): void;

  /** More of the body is to come, and nothing on this side stops it. */
  protected abstract get awaitsBody(): boolean;

  /** Ends a body that came too slowly: its reader is told, and the connection closes behind the answer. */
  protected abstract endBody(): void;

  /** Ends the connection without an orderly end of the answer, then calls gone(). */
  protected abstract destroy(): void;

  get waits(): boolean {
    return this.#begun ? this.#left > 0 : this.awaitsBody;
  }

  /** The answer has left, or the caller has gone: the server need not watch this visit any longer. */
  protected get finished(): boolean {
    return this.#finished;
  }

  cutUnsent(): void {
    if (!this.#finished) this.destroy();
  }

  expire(): void {
    this.#watched = false;
    if (this.#finished) return;
    if (this.#begun) this.cutSlow();
    else this.endBody();
  }

  /** Ends an answer whose caller takes it too slowly. */
  cutSlow(): void {
    if (this.#finished) return;
    this.door.onSlow();
    this.destroy();
  }

  /** An answer begins to leave. */
  protected begin(): void {
    this.#begun = true;
    this.unwatch();
    this.door.late?.watch(this);
  }

  /** Called by the server when `bytes` of the answer have left. */
  protected sent(bytes: number): void {
    this.moved += bytes;
  }

  /** Called with how many bytes of the answer the caller has not taken yet, those that this side still holds included. */
  protected unsent(bytes: number): void {
    if (this.#finished || (bytes === 0 && this.#left === 0)) return;
    this.#left = bytes;
    this.door.unsent.note(this, bytes);
    if (bytes === 0) this.unwatch();
    else if (this.#begun && !this.#watched) {
      this.#watched = true;
      this.door.transfers.watchAnswer(this);
    }
  }

  /** Watches a body that did not come at once. */
  protected watchBody(): void {
    if (this.#watched || this.#begun || this.#finished) return;
    this.#watched = true;
    this.door.transfers.watchBody(this);
  }

  protected unwatch(): void {
    if (!this.#watched) return;
    this.#watched = false;
    this.door.transfers.forget(this);
  }

  /** Ends the watch: the answer was handed to the connection, or never will be. */
  protected finish(): void {
    if (this.#finished) return;
    this.#finished = true;
    if (this.#left > 0) this.door.unsent.forget(this);
    this.unwatch();
    this.door.late?.forget(this);
    this.door.drain.leave();
  }
}
