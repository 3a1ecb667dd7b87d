/** One life of a node among others on the same log: it beats, and takes the place of the one that serves when that one is gone. */
import type { Follows, Incarnation, NodeEngine, NodeSight, Sight } from '#storage/log-engine/nodes-port.ts';
import type { Lease, Watch } from './lease.ts';

/** `serves`: this life does, or has just begun to. `waits`: another one does. `fenced`: this life is over. */
export type Standing = 'serves' | 'waits' | 'fenced';

export interface MembershipPorts {
  readonly nodes: NodeEngine;
  readonly life: Incarnation;
  readonly lease: Lease;
  readonly watch: Watch;
  /** Monotonic, milliseconds. */
  readonly now: () => number;
  /** How far this life has followed the log, while it waits; it is told to the others. */
  readonly follows: () => Follows | null;
  /** Whether its doors reach the life that serves; null where they are closed, or serve. It is told, too. */
  readonly linked: () => boolean | null;
}

/** How a life came to the place of another one: it gave it up, was ended (by a command, or another node), or was silent for its lease. `own`: a process before on the same directory had it. */
export type Cause = 'given up' | 'ended' | 'silent' | 'own';

/** One beat: what it comes to, and what it has shown; null of a life that is over. */
export interface Look {
  readonly standing: Standing;
  readonly sight: Sight | null;
}

export class Membership {
  readonly #ports: MembershipPorts;
  /** Why the place was free when it was last found so. */
  cause: Cause | null = null;
  #beat = 0;
  #sight: Sight | null = null;

  constructor(ports: MembershipPorts) {
    this.#ports = ports;
  }

  register(): Promise<void> {
    return this.#ports.nodes.register(this.#ports.life);
  }

  /** The life that served when the last beat ran. */
  get serving(): NodeSight | null {
    const { nodes, serving } = this.#sight ?? { nodes: [], serving: null };
    return nodes.find(({ id }) => id === serving) ?? null;
  }

  /** The life to which the one that serves was told to hand over, as the last beat saw it; null where it was not, or where that one is over. */
  get heir(): NodeSight | null {
    const heir = this.serving?.heir ?? null;
    const life = this.#sight?.nodes.find(({ id }) => id === heir);
    return life === undefined || life.isFenced ? null : life;
  }

  /** Other lives that beat and follow the log, as the last beat saw them: those that can take this one's place. */
  get standbys(): number {
    const { life, watch, now } = this.#ports;
    const isStandby = (one: NodeSight): boolean =>
      one.id !== life.id && !one.isFenced && one.follows !== null && !watch.isSilent(one, now());
    return (this.#sight?.nodes ?? []).filter(isStandby).length;
  }

  /** Other lives that can run hosts for this one: they beat, follow the log, and have a link. As the last beat saw them. */
  get carriers(): readonly NodeSight[] {
    const { life, watch, now } = this.#ports;
    const nodes = this.#sight?.nodes ?? [];
    return nodes.filter(
      (one) =>
        one.id !== life.id &&
        !one.isFenced &&
        one.follows !== null &&
        one.link !== undefined &&
        !watch.isSilent(one, now()),
    );
  }

  /** One beat, and what follows from what it shows. Rejects with OutcomeUnknown, and is to be called again: each beat has a number of its own, and the other changes are found done. */
  async look(): Promise<Look> {
    const { nodes, life, lease, watch, now, follows, linked } = this.#ports;
    const sentAt = now();
    const sight = await nodes.beat(life.id, ++this.#beat, follows(), linked());
    if (sight === null) {
      lease.end();
      return { standing: 'fenced', sight };
    }
    lease.renewed(sentAt);
    watch.saw(sight, now());
    this.#sight = sight;
    const isServing =
      sight.serving === life.id ||
      ((await this.#vacates()) && (await nodes.serve(life.id, sight.serving, sight.carried)));
    return { standing: isServing ? 'serves' : 'waits', sight };
  }

  /**
   * Of a look that found this life serving: whether no other one can have shards open for a life before it, so that this one may claim them. Those that are gone are condemned. What the look shows is all there is: none
   * begins to carry for a life that does not serve, and one that began between the look and the place has kept this life from it.
   */
  async outlives({ nodes }: Sight): Promise<boolean> {
    let isAlone = true;
    for (const one of nodes) if (this.#isOfAnother(one) && !(await this.#ends(one))) isAlone = false;
    return isAlone;
  }

  #isOfAnother({ id, isFenced, carries }: NodeSight): boolean {
    const { life } = this.#ports;
    return id !== life.id && !isFenced && carries !== null && carries !== life.id;
  }

  /** Of a look that began behind the question: whether that life runs no host for this one any more. One that is gone is condemned. */
  async isReleased({ nodes }: Sight, id: string): Promise<boolean> {
    const one = nodes.find((node) => node.id === id);
    return one === undefined || one.isFenced || one.carries !== this.#ports.life.id || this.#ends(one);
  }

  /** Ends lives before this one in its own place that carried: the node that serves waits for them otherwise. */
  async buries({ nodes }: Sight): Promise<void> {
    const { life } = this.#ports;
    for (const one of nodes) if (one.place === life.place && this.#isOfAnother(one)) await this.#ends(one);
  }

  /** Gives the place up. The lease is over when this is called, not when it has an outcome. */
  leave(): Promise<void> {
    this.#ports.lease.end();
    return this.#ports.nodes.leave(this.#ports.life.id);
  }

  /**
   * Whether a free place was given up for another life, which has not taken it yet and goes on: the node that gave it up is the first to look, and would take it back. A word to a life that ended before it
   * heard it stands on, so that two lives may be meant: the first of them by its id has the place, or each would wait for the other one.
   */
  #isPromised(): boolean {
    const { life, watch, now } = this.#ports;
    const { nodes } = this.#sight!;
    const heirs = new Set(nodes.flatMap(({ heir }) => heir ?? []));
    const living = nodes.filter((one) => heirs.has(one.id) && !one.isFenced && !watch.isSilent(one, now()));
    const [next] = living.map(({ id }) => id).toSorted();
    return next !== undefined && next !== life.id;
  }

  /** Whether the place is free, or is made so. */
  async #vacates(): Promise<boolean> {
    const { serving } = this;
    this.cause = this.#causeOf(serving);
    if (serving === null) return !this.#isPromised();
    if (serving.isFenced) return true;
    return this.#ends(serving);
  }

  /** Condemns a life that is gone; whether it is over. */
  async #ends(one: NodeSight): Promise<boolean> {
    const { nodes, life, watch, now } = this.#ports;
    // This process holds the lock of that place, so the process of before is gone.
    const isGone = one.place === life.place || watch.isSilent(one, now());
    return isGone && nodes.condemn(one.id, one.beat);
  }

  #causeOf(serving: NodeSight | null): Cause {
    if (serving === null) return 'given up';
    if (serving.isFenced) return 'ended';
    return serving.place === this.#ports.life.place ? 'own' : 'silent';
  }
}
