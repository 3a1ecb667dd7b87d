/** Message ports between rooms: what one posts, the other gets later, cloned and in order, unless one of them is dead by then. */
import type { Port } from '#actors/protocol/channel.ts';
import type { Room } from '#test/simulation/machine/room.ts';
import type { World } from '#test/simulation/machine/world.ts';

type Listener = (message: unknown) => void;

const STEP_MS = 0.0001;

class End implements Port {
  readonly #world: World;
  readonly #to: Room;
  readonly #listeners: Listener[] = [];
  /** What came before anything listens, as when a thread loads its modules. */
  readonly #early: unknown[] = [];
  #isOpen = false;
  peer: End | null = null;
  #lastMs = 0;

  constructor(world: World, to: Room) {
    this.#world = world;
    this.#to = to;
  }

  postMessage(message: unknown): void {
    const world = this.#world;
    if (world.room?.alive === false) return;
    const copy: unknown = structuredClone(message);
    this.#lastMs = Math.max(this.#lastMs + STEP_MS, world.nowMs + world.latencyMs());
    world.after(this.#lastMs - world.nowMs, this.#to, lineOf(message), () => this.peer!.take(copy));
  }

  on(_event: 'message', listener: Listener): void {
    this.#listeners.push(listener);
    // As a port of Node's: not before the code that listens has ended.
    if (this.#listeners.length === 1)
      this.#world.immediate(() => {
        for (const message of this.#early.splice(0)) for (const one of this.#listeners) one(message);
        this.#isOpen = true;
      });
  }

  take(message: unknown): void {
    if (this.#isOpen) for (const listener of this.#listeners) listener(message);
    else this.#early.push(message);
  }
}

/** What is seen of a message in the trace. */
function lineOf(message: unknown): string {
  if (Array.isArray(message)) return `batch of kind ${message[0]}, ${message.length - 1} fields`;
  const { part, topic, id, body } = message as {
    part?: string;
    topic?: string;
    id?: number;
    body?: { tenantNo?: number } | null;
  };
  return `message ${part} ${topic} ${id} ${body?.tenantNo ?? ''}`;
}

/** The end of `a`, and that of `b`. */
export function portsBetween(world: World, a: Room, b: Room): [Port, Port] {
  const [near, far] = [new End(world, b), new End(world, a)];
  near.peer = far;
  far.peer = near;
  return [near, far];
}
