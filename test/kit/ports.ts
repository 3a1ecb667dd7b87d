/** Two ends of a message port within one thread: what one posts, the other gets in a later microtask, cloned. */
import type { Port } from '#actors/protocol/channel.ts';

type Listener = (message: unknown) => void;

class End implements Port {
  peer: End | null = null;
  readonly #listeners: Listener[] = [];

  postMessage(message: unknown): void {
    const copy: unknown = structuredClone(message);
    queueMicrotask(() => this.peer!.take(copy));
  }

  on(_event: 'message', listener: Listener): void {
    this.#listeners.push(listener);
  }

  take(message: unknown): void {
    for (const listener of this.#listeners) listener(message);
  }
}

export function pairOfPorts(): [Port, Port] {
  const [a, b] = [new End(), new End()];
  a.peer = b;
  b.peer = a;
  return [a, b];
}
