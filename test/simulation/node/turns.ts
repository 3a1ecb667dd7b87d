/** Turns that clients ask a tenant's host for. */
import type { Random } from '#test/kit/random.ts';
import type { Errand } from './errand.ts';
import type { Step, TurnWish } from './host.ts';
import type { Settings } from './settings.ts';

const KEYS = 12;

export class Turns {
  readonly #settings: Settings;
  readonly #random: Random;

  constructor(settings: Settings, random: Random) {
    this.#settings = settings;
    this.#random = random;
  }

  errand(no: number): Errand {
    const wish = this.#wish(no);
    return { to: 'tenant-host', line: `turn ${no}`, take: (node, replied) => node.host!.turn(wish, replied) };
  }

  #wish(no: number): TurnWish {
    const random = this.#random;
    const steps = Array.from({ length: 1 + random.below(5) }, () => this.#step(no));
    const events =
      this.#settings.rooms.has('audit') && random.chance(0.5)
        ? Array.from({ length: 1 + random.below(3) }, (_, at) => `e${no}.${at}`)
        : [];
    return { tenant: random.below(this.#settings.tenants), steps, events, isAborted: random.chance(0.05) };
  }

  #step(no: number): Step {
    const random = this.#random;
    const key = `row:${random.below(KEYS)}`;
    const dice = random.next();
    if (dice < 0.3) return { kind: 'get', key };
    if (dice < 0.4) return { kind: 'scan', reverse: random.chance(0.5) };
    if (dice < 0.5) return { kind: 'del', key };
    // Some span many sectors, and some a segment.
    const length = random.below(random.chance(0.1) ? 5000 : 300);
    return { kind: 'put', key, value: `${no}:${'x'.repeat(length)}` };
  }
}
