/** What happens to the node that serves while the tour is walked: each once, in an order and at blocks of a seed, and no two at a time. */
import type { Random } from '#test/kit/random.ts';
import type { DemoNodes } from './nodes.ts';

const KINDS: Readonly<Record<string, (nodes: DemoNodes) => Promise<void>>> = {
  kill: async (nodes) => nodes.kill(await nodes.serving()),
  drain: async (nodes) => {
    const before = await nodes.serving();
    await nodes.drain();
    await nodes.otherThan(before);
  },
  pause: async (nodes) => nodes.pause(await nodes.serving()),
};

export class Disturber {
  /** By the number of the block with which it begins. */
  readonly plan: ReadonlyMap<number, string>;
  #under: Promise<void> = Promise.resolve();

  /** `blocks`: how many there are to disturb. */
  constructor(random: Random, blocks: number) {
    const kinds = Object.keys(KINDS);
    const share = Math.floor(blocks / kinds.length);
    const plan = new Map<number, string>();
    for (let at = 0; kinds.length > 0; at += share)
      plan.set(at + random.below(share), kinds.splice(random.below(kinds.length), 1)[0]!);
    this.plan = plan;
  }

  /** To be called ahead of each block: what is planned for it goes on beside it and those behind. */
  async before(no: number, nodes: DemoNodes): Promise<void> {
    const kind = this.plan.get(no);
    if (kind === undefined) return;
    await this.#under;
    await nodes.whole();
    this.#under = KINDS[kind]!(nodes);
    this.#under.catch(() => undefined); // told by the next wait
  }

  /** Resolves when the last one is over. */
  async over(): Promise<void> {
    await this.#under;
  }
}
