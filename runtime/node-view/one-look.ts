/** What lies outside the process is looked at by one look at a time, which counts for some seconds for all who ask; an answer waits for it no longer than it must, and says what was seen before. */
import { systemClock } from '#actors/kit/clock.ts';

export interface Bounds {
  readonly freshMs: number;
  readonly waitMs: number;
  /** What is looked at, for people: `the database`. */
  readonly what: string;
}

export interface Seen<T> {
  /** The newest look that went well; null before the first. */
  readonly last: { readonly at: number; readonly value: T } | null;
  /** Why it is old, or is not there. */
  readonly failed: string | null;
}

export class OneLook<T> {
  readonly #look: () => Promise<T>;
  readonly #bounds: Bounds;
  #asked: Promise<void> | null = null;
  #last: Seen<T>['last'] = null;
  /** What the newest look that failed said; null where the newest one went well. */
  #failed: string | null = null;

  constructor(look: () => Promise<T>, bounds: Bounds) {
    this.#look = look;
    this.#bounds = bounds;
  }

  async now(): Promise<Seen<T>> {
    const late = await this.#wait();
    return { last: this.#last, failed: late ?? this.#failed };
  }

  /** Gives what to say where the look takes longer than an answer waits. */
  async #wait(): Promise<string | null> {
    const { freshMs, waitMs, what } = this.#bounds;
    if (this.#last !== null && systemClock.now() - this.#last.at < freshMs) return null;
    this.#asked ??= this.#ask().finally(() => (this.#asked = null));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve(`${what} has not answered for ${waitMs / 1000} s`), waitMs);
    });
    const told = await Promise.race([this.#asked.then(() => null), late]);
    clearTimeout(timer);
    return told;
  }

  async #ask(): Promise<void> {
    try {
      this.#last = { value: await this.#look(), at: systemClock.now() };
      this.#failed = null;
    } catch (error) {
      this.#failed = (error as Error).message.split('\n')[0]!;
    }
  }
}
