/** Somebody outside of the machine who gets webhooks, and answers as the seed says: soon, late, never, or with a refusal. Its memory outlives every fall. */
import type { Random } from '#test/kit/random.ts';
import type { World } from './world.ts';
import { Room } from './room.ts';

export interface Arrival {
  /** The header `webhook-id`. */
  readonly id: string;
  readonly body: string;
  readonly atMs: number;
  /** What it answered; null where the answer got lost, or there was none. */
  readonly status: number | null;
}

/** Most are taken: a run has to end. */
const ANSWERS = [200, 200, 200, 204, 500, 503, 429, 410, null, 'lost'] as const;
const LATE_SHARE = 0.1;

export class Receiver {
  readonly arrivals: Arrival[] = [];
  readonly #world: World;
  readonly #random: Random;
  readonly #outside = new Room('receiver');

  constructor(world: World, random: Random) {
    this.#world = world;
    this.#random = random;
  }

  /** Takes a request, if it comes that far; `answered` runs in the room that sent it. */
  post(id: string, body: string, deadlineMs: number, answered: (status: number) => void): void {
    const world = this.#world;
    const from = world.here();
    const answer = this.#random.pick(ANSWERS);
    if (answer === null) return;
    const status = answer === 'lost' ? null : answer;
    const lateMs = this.#random.chance(LATE_SHARE) ? deadlineMs * 2 * this.#random.next() : 0;
    world.after(world.latencyMs() + lateMs, this.#outside, `webhook ${id} ${answer}`, () => {
      this.arrivals.push({ id, body, atMs: world.nowMs, status: answer === 'lost' ? 200 : status });
      if (status !== null) world.after(world.latencyMs(), from, `webhook answer ${status}`, () => answered(status));
    });
  }
}
