/** Nodes that run hosts for the one that serves, as that one sees them. */
import { limits } from '#config/limits.ts';
import type { NodeSight } from '#storage/log-engine/nodes-port.ts';
import { untilKnown, type Pause } from '#storage/log-engine/until-known.ts';
import type { Look, Membership } from './membership.ts';

/** At the node that serves. */
export interface Carriers {
  /** Lives that may carry: neither fenced nor silent, they follow the log and have a link; and whether they carry for this life. By the newest beat of this one. */
  sights(): readonly NodeSight[];
  /**
   * Resolves when that life runs no host for this one any more, so that its shards may open elsewhere: its row says so in a look that begins behind the call, or it is fenced. One that is silent for its lease is condemned.
   * It waits while the database does not answer, and rejects where this node is over itself. A host that this node has told to open is known to the log by then (`Carrying.begin`).
   */
  released(id: string): Promise<void>;
}

export class SeenCarriers implements Carriers {
  readonly #membership: Pick<Membership, 'carriers' | 'isReleased'>;
  readonly #look: () => Promise<Look>;
  readonly #pause: Pause;

  /** `look`: a beat that begins behind the call. `pause` rejects when this node has left. */
  constructor(membership: Pick<Membership, 'carriers' | 'isReleased'>, look: () => Promise<Look>, pause: Pause) {
    this.#membership = membership;
    this.#look = look;
    this.#pause = pause;
  }

  sights(): readonly NodeSight[] {
    return this.#membership.carriers;
  }

  async released(id: string): Promise<void> {
    while (!(await untilKnown(() => this.#isReleased(id), this.#pause)))
      await new Promise((resolve) => setTimeout(resolve, limits.cluster.releaseLookMs).unref());
  }

  async #isReleased(id: string): Promise<boolean> {
    const { sight } = await this.#look();
    if (sight === null) throw new Error('this life of the node was ended by another node');
    return this.#membership.isReleased(sight, id);
  }
}
