/** A node that stands by and runs hosts for the one that serves: the log knows of it before the first of them opens, until behind the end of the last. Why so: docs/decisions/storage.md ST-48. */
import type { NodeEngine, NodeSight, Sight } from '#storage/log-engine/nodes-port.ts';
import { untilKnown, type Pause } from '#storage/log-engine/until-known.ts';

/** At a node that stands by: whether it may run hosts for the life that serves. */
export interface Carrying {
  /**
   * Resolves true when the others know that this node carries for that life, and its follower has let go of these shards; again with further shards adds them. False where that life does not serve, this one is over, or hosts
   * that it ran for another one are not gone yet: nothing has begun then. It waits while the database does not answer.
   * Hosts open on a further word of that life alone, which it gives when it has heard of this: it may have given this node up meanwhile, and what it asked before may be on its way still.
   */
  begin(serving: string, shards: readonly number[]): Promise<boolean>;
  /** Of shards whose host is gone, and has closed them: the follower takes them up again. When none is left, resolves when the others know that nothing is carried. Rejects where this node has left the log. */
  end(shards: readonly number[]): Promise<void>;
  /** `then` is called when this node must end all hosts that it carries at once: the life for which it does serves no more, or this one is over. `end` is called behind it. */
  onOver(then: (why: string) => void): void;
}

/** What follows the log into the stores that hosts open. */
export interface Follower {
  letGo(shards: readonly number[]): Promise<void>;
  takeUp(shards: readonly number[]): void;
}

export interface CarryingPorts {
  readonly nodes: Pick<NodeEngine, 'carry'>;
  /** Of this life. */
  readonly id: string;
  readonly follower: Follower;
  /** Between two calls of which the first had no outcome; rejects when this node has left. */
  readonly pause: Pause;
}

export class OwnCarrying implements Carrying {
  readonly #ports: CarryingPorts;
  readonly #shards = new Set<number>();
  /** The life for which this one carries, or is about to. */
  #served: string | null = null;
  /** Why all that is carried must end. */
  #over: string | null = null;
  #isFenced = false;
  /** Of the newest word to the log: each has a number of its own, so that a late one is told from it. */
  #no = 0;
  /** Calls run one behind the other. */
  #calls: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #told: (why: string) => void = () => undefined;

  constructor(ports: CarryingPorts) {
    this.#ports = ports;
  }

  begin(serving: string, shards: readonly number[]): Promise<boolean> {
    return this.#inTurn(() => this.#begin(serving, shards));
  }

  end(shards: readonly number[]): Promise<void> {
    return this.#inTurn(() => this.#end(shards));
  }

  onOver(then: (why: string) => void): void {
    this.#told = then;
  }

  /** Whether nothing is carried, nor about to be. */
  get isIdle(): boolean {
    return this.#served === null && this.#waiting === 0;
  }

  /** What a beat of this life has shown; null where it is over. */
  saw(sight: Sight | null): void {
    if (sight === null) {
      this.#isFenced = true;
      return this.#ends('this life of the node was ended by another node');
    }
    const { nodes, serving } = sight;
    if (this.#served === null) return this.#tidies(nodes);
    const served = nodes.find(({ id }) => id === this.#served);
    if (serving !== this.#served || served?.isFenced !== false)
      this.#ends('the node for which it ran hosts serves the log no more');
  }

  #ends(why: string): void {
    if (this.#served === null || this.#over !== null) return;
    this.#over = why;
    this.#told(why);
  }

  /** A word that was refused may have come late and been taken: nothing is carried, and others would wait for its end. */
  #tidies(nodes: readonly NodeSight[]): void {
    const carries = nodes.find(({ id }) => id === this.#ports.id)?.carries ?? null;
    if (carries === null || this.#waiting > 0) return;
    void this.#inTurn(() => this.#says(null)).catch(() => undefined);
  }

  async #begin(serving: string, shards: readonly number[]): Promise<boolean> {
    if (this.#isFenced || this.#over !== null || (this.#served ?? serving) !== serving) return false;
    if (this.#served === null) {
      this.#served = serving;
      if (!(await this.#says(serving))) {
        this.#served = this.#over = null;
        return false;
      }
    }
    for (const shard of shards) this.#shards.add(shard);
    await this.#ports.follower.letGo(shards);
    if (!this.#mustEnd()) return true;
    await this.#end(shards);
    return false;
  }

  /** As of now: calls wait in between. */
  #mustEnd(): boolean {
    return this.#over !== null;
  }

  async #end(shards: readonly number[]): Promise<void> {
    for (const shard of shards) this.#shards.delete(shard);
    this.#ports.follower.takeUp(shards);
    if (this.#shards.size > 0 || this.#served === null) return;
    await this.#says(null);
    this.#served = this.#over = null;
  }

  /** Whether the log has taken the word. */
  #says(serving: string | null): Promise<boolean> {
    const { nodes, id, pause } = this.#ports;
    const no = ++this.#no;
    return untilKnown(() => nodes.carry(id, serving, no), pause);
  }

  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    this.#waiting++;
    const ran = this.#calls.then(run).finally(() => this.#waiting--);
    this.#calls = ran.catch(() => undefined);
    return ran;
  }
}
