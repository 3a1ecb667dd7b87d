/** What waits for one member that reads slower than others send (docs/contract/channels.md §5): bounded, and the oldest events go first. Pure. */
import { limits } from '#config/limits.ts';

/** An event as it leaves; all members share its text. */
export interface Event {
  readonly text: string;
  readonly bytes: number;
}

export const eventOf = (name: string, data: string): Event => {
  const text = `event: ${name}\ndata: ${data}\n\n`;
  return { text, bytes: Buffer.byteLength(text) };
};

/** Bytes that may wait, within those of a larger one. */
export class Allowance {
  #left: number;
  readonly #within: Allowance | null;

  constructor(bytes: number, within: Allowance | null = null) {
    this.#left = bytes;
    this.#within = within;
  }

  get left(): number {
    return this.#left;
  }

  take(bytes: number): boolean {
    if (bytes > this.#left || this.#within?.take(bytes) === false) return false;
    this.#left -= bytes;
    return true;
  }

  give(bytes: number): void {
    this.#left += bytes;
    this.#within?.give(bytes);
  }
}

export class Queue {
  readonly #allowance: Allowance;
  #events: Event[] = [];
  #bytes = 0;
  #lost = 0;

  constructor(allowance: Allowance) {
    this.#allowance = allowance;
  }

  get isEmpty(): boolean {
    return this.#events.length === 0 && this.#lost === 0;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** An event that finds no room takes that of older ones of this member, never of another; where these are too few, it is lost itself. */
  push(event: Event): void {
    const { queueBytes, queueEvents } = limits.channels;
    while (this.#events.length >= queueEvents || this.#bytes + event.bytes > queueBytes) this.#lose();
    while (!this.#allowance.take(event.bytes)) {
      if (this.#events.length === 0) {
        this.#lost++;
        return;
      }
      this.#lose();
    }
    this.#events.push(event);
    this.#bytes += event.bytes;
  }

  /** All that waits, and how many events before it were lost. */
  take(): { readonly events: readonly Event[]; readonly lost: number } {
    const taken = { events: this.#events, lost: this.#lost };
    this.#allowance.give(this.#bytes);
    this.#events = [];
    this.#bytes = 0;
    this.#lost = 0;
    return taken;
  }

  #lose(): void {
    const { bytes } = this.#events.shift()!;
    this.#bytes -= bytes;
    this.#allowance.give(bytes);
    this.#lost++;
  }
}
