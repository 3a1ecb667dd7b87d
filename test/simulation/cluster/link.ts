/** What lies between a node and the database: a way there and one back, each slow or cut by turns, and a caller that gives up. */
import { OutcomeUnknown } from '#storage/log-engine/port.ts';
import type { Via } from '#test/storage/log-engine/memory.ts';
import type { Room } from '#test/simulation/machine/room.ts';
import type { World } from '#test/simulation/machine/world.ts';

/** `cut there`: requests are lost; `cut back`: answers are. */
export const WAYS = ['well', 'slow', 'cut there', 'cut back', 'cut'] as const;
export type Way = (typeof WAYS)[number];

export class Link {
  readonly #world: World;
  readonly #database: Room;
  readonly #leaseMs: number;
  way: Way = 'well';

  constructor(world: World, database: Room, leaseMs: number) {
    this.#world = world;
    this.#database = database;
    this.#leaseMs = leaseMs;
  }

  /** Of the room that calls. What comes later than `answerMs` by its clock, or never, has no outcome for it; the database may do it all the same. */
  via(answerMs: number): Via {
    return <T>(call: () => Promise<T>) => this.#call(call, answerMs);
  }

  #call<T>(call: () => Promise<T>, answerMs: number): Promise<T> {
    const world = this.#world;
    const room = world.here();
    return new Promise<T>((resolve, reject) => {
      const giveUp = (): void => reject(new OutcomeUnknown('no answer came'));
      const timer = setTimeout(giveUp, answerMs);
      const back = (then: () => void): void => {
        if (this.#isLost('cut back')) return;
        world.after(this.#delayMs(), room, 'answer', () => {
          clearTimeout(timer);
          then();
        });
      };
      const there = (): void => {
        call().then(
          (answer) => back(() => resolve(answer)),
          (error: Error) => back(() => reject(error)),
        );
      };
      if (!this.#isLost('cut there')) world.after(this.#delayMs(), this.#database, 'request', there);
      // A connection that is reset says so at once, and its request may be under way.
      else if (world.random.chance(0.3)) world.after(this.#delayMs(), room, 'reset', giveUp);
    });
  }

  #isLost(way: Way): boolean {
    return this.way === way || this.way === 'cut';
  }

  #delayMs(): number {
    const { random } = this.#world;
    if (this.way === 'slow' && random.chance(0.6)) return (0.1 + random.next()) * this.#leaseMs;
    return random.next() * (random.chance(0.97) ? 5 : 100);
  }
}

/** Runs in another room, and gives the outcome in the room that asks. */
export function across<T>(world: World, room: Room, run: () => Promise<T> | T): Promise<T> {
  const here = world.here();
  return new Promise<T>((resolve, reject) => {
    const back = (then: () => void): void => void world.after(world.random.next(), here, 'back', then);
    world.after(world.random.next(), room, 'across', () => {
      void (async () => run())().then(
        (value) => back(() => resolve(value)),
        (error: Error) => back(() => reject(error)),
      );
    });
  });
}
