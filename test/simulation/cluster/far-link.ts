/** A connection between the node that serves and one that carries a place for it: messages in their order, and an end that each side notices for itself. */
import type { Room } from '#test/simulation/machine/room.ts';
import type { World } from '#test/simulation/machine/world.ts';

/** One end: what it hears, until it has noticed that the other one is gone. */
class End {
  readonly room: Room;
  /** When the newest message comes: they keep their order. */
  #lastMs = 0;
  isUp = true;
  lost: () => void = () => undefined;

  constructor(room: Room) {
    this.room = room;
  }

  hears(world: World, run: () => void): void {
    this.#lastMs = Math.max(this.#lastMs, world.nowMs + world.latencyMs());
    world.after(this.#lastMs - world.nowMs, this.room, 'over the link', () => {
      if (this.isUp) run();
    });
  }

  /** It notices so late that the other side is gone. */
  notices(world: World, ms: number): void {
    world.after(ms, this.room, 'the link is lost', () => this.cut());
  }

  cut(): void {
    if (!this.isUp) return;
    this.isUp = false;
    this.lost();
  }
}

export class FarLink {
  readonly home: End;
  readonly far: End;
  readonly #world: World;
  readonly #leaseMs: number;

  constructor(world: World, leaseMs: number, home: Room, far: Room) {
    this.#world = world;
    this.#leaseMs = leaseMs;
    this.home = new End(home);
    this.far = new End(far);
  }

  /** To the node that carries; what is sent before this side knows that the link is lost may come all the same. */
  toFar(run: () => void): void {
    if (this.home.isUp) this.far.hears(this.#world, run);
  }

  toHome(run: () => void): void {
    if (this.far.isUp) this.home.hears(this.#world, run);
  }

  /** This side gives the link up, or it breaks: what is under way may come, and the other side notices by itself. */
  breaksAtHome(): void {
    this.home.cut();
    this.far.notices(this.#world, this.#someMs());
  }

  breaksAtFar(): void {
    this.far.cut();
    this.home.notices(this.#world, this.#someMs());
  }

  /** The process at home ends. As often as not the other side hears nothing of that. */
  homeDied(): void {
    this.home.isUp = false;
    if (this.#world.random.chance(0.5)) this.far.notices(this.#world, this.#someMs());
  }

  #someMs(): number {
    const { random } = this.#world;
    return random.next() * (random.chance(0.5) ? 50 : 2 * this.#leaseMs);
  }
}
