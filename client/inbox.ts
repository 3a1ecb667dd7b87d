/** What one subscription of a tab is told by the tab that leads, until its loop takes it. */
import type { Change } from './change.ts';

/** The position of a change, or a position that moved without one. */
export interface Told {
  readonly seq: number;
  /** Null where the position has moved without a change. */
  readonly change: Change<unknown> | null;
}

/** What waits for a loop that is slow. Beyond it everything is dropped, and the loop reads on from its own position. */
const QUEUED_MAX = 1_000;
const QUEUED_CHARS_MAX = 4 * 1024 * 1024;

export class Inbox {
  readonly key: string;
  /** Up to here everything was told, or is in the queue. */
  last: number;
  /** Changes up to `last` are missing: the loop reads them before it takes from the queue. */
  isBehind = false;
  /** The loop joins anew behind its own position. */
  isLost = false;
  failure: Error | null = null;
  #queue: (Told & { readonly chars: number })[] = [];
  #chars = 0;
  #isJoined = false;
  #isLive = false;
  #wake: () => void = () => undefined;

  readonly #onLive: (isLive: boolean) => void;

  constructor(key: string, after: number, onLive: (isLive: boolean) => void = () => undefined) {
    this.key = key;
    this.last = after;
    this.#onLive = onLive;
  }

  /** Another tab leads: what it tells counts once it has said from where on. */
  leave(): void {
    this.#isJoined = false;
    this.live(false);
  }

  /** Whether the leading tab is connected. */
  live(isLive: boolean): void {
    if (isLive === this.#isLive) return;
    this.#isLive = isLive;
    this.#onLive(isLive);
  }

  /** From now on each change behind `after` is told. */
  join(after: number): void {
    this.#isJoined = true;
    if (after <= this.last) return;
    this.#empty();
    this.last = after;
    this.isBehind = true;
    this.#wake();
  }

  put(seq: number, change: Change<unknown> | null, chars: number): void {
    // A change that the loop has read itself, or that two tabs told while the lead changed hands.
    if (!this.#isJoined || this.isLost || seq <= this.last) return;
    this.last = seq;
    if (change === null && this.#queue.at(-1)?.change === null) this.#queue.pop();
    if (this.#queue.length === QUEUED_MAX || this.#chars + chars > QUEUED_CHARS_MAX) return this.lose();
    this.#queue.push({ seq, change, chars });
    this.#chars += chars;
    this.#wake();
  }

  lose(): void {
    this.#empty();
    this.isLost = true;
    this.#wake();
  }

  fail(failure: Error): void {
    this.failure ??= failure;
    this.#wake();
  }

  take(): Told | undefined {
    const told = this.#queue.shift();
    this.#chars -= told?.chars ?? 0;
    return told;
  }

  /** Resolves when there is something to do. Rejects with the signal's reason once it is aborted. */
  async woken(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.#queue.length > 0 || this.isBehind || this.isLost || this.failure !== null) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      signal?.addEventListener('abort', () => resolve(), { once: true });
    });
    signal?.throwIfAborted();
  }

  #empty(): void {
    this.#queue = [];
    this.#chars = 0;
  }
}
