/**
 * Moves places between this node, which serves, and those that carry hosts for it: one at a time, whenever a node comes or goes. What cannot be moved runs here, and no move costs the node anything but the
 * moment in which callers of that place get 503.
 */
import { setTimeout as passed } from 'node:timers/promises';
import { limits } from '#config/limits.ts';
import type { Log } from '#actors/host/activation.ts';
import { CONTROL_ENTRY } from '#runtime/control-plane.ts';
import type { FarPlaces } from './far-places.ts';
import { sharePlaces, type Room } from './share-places.ts';
import { nodeOf, type HostPlace, type TenantHosts } from './tenant-hosts.ts';
import { isCarried, type CarriedThread, type Thread } from './thread.ts';

const { placesFaultMs, placesHoldMs, placesHomeMsMax, placesLookMs, placesPauseMs } = limits.cluster;

export interface PlaceMovesPorts {
  readonly hosts: Pick<TenantHosts, 'all' | 'move' | 'of' | 'shardsOf'>;
  readonly far: FarPlaces;
  /** This node among those that run places: the id of its life. */
  readonly self: Room;
  /** Its name. */
  readonly node: string;
  /** Of tenants: a thread elsewhere reads what they serve before it is opened. */
  checkouts(): readonly string[];
  /** Declares the answers to what a thread asks, before it is asked anything. */
  attach(thread: Thread): void;
  /** Called before a place moves. Where it rejects, the place moves all the same. */
  before(): Promise<unknown>;
  /** Monotonic, milliseconds. */
  readonly now: () => number;
  readonly log: Log;
}

/** A place that runs elsewhere than it would: the names of the nodes. */
export interface PlannedMove {
  readonly place: number;
  readonly shards: readonly number[];
  readonly from: string;
  readonly to: string;
}

/** What a wish has come to: the names of the nodes. */
export interface MovedPlace {
  readonly shard: number;
  readonly place: number;
  readonly from: string;
  readonly to: string;
}

export class PlaceMoves {
  readonly #ports: PlaceMovesPorts;
  /** By place: until when it stays where it is. */
  readonly #held = new Map<number, number>();
  /** Places that are to be here, for a job on files of this machine. */
  readonly #home = new Set<number>();
  /** By place: the node on which an operator wants it; it counts as long as that node is there. */
  readonly #wished = new Map<number, string>();
  /** By node: until when nothing is moved to it. */
  readonly #tired = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | null = null;
  /** A thread elsewhere that loads its code. */
  #preparing: CarriedThread | null = null;
  #isStopped = false;

  constructor(ports: PlaceMovesPorts) {
    this.#ports = ports;
  }

  start(): void {
    void this.look();
    this.#timer = setInterval(() => void this.look(), placesLookMs).unref();
  }

  /** Resolves when no move is under way; none begins any more. The links stay. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    void this.#preparing?.kill();
    await this.#round;
  }

  /** Moves what belongs elsewhere, one place after the other. */
  look(): Promise<void> {
    this.#round ??= this.#all().finally(() => (this.#round = null));
    return this.#round;
  }

  /** The place of a shard stays where it is for a while: a job works on it. To be called with each call of the job. */
  hold(shard: number): void {
    const { no } = this.#ports.hosts.of(shard);
    this.#held.set(no, this.#ports.now() + placesHoldMs);
  }

  /** Likewise, at this node: the job reads or writes files of this machine. Resolves when the place is here. Throws where it does not come. */
  async bringHome(shard: number): Promise<void> {
    const { hosts, now } = this.#ports;
    const place = hosts.of(shard);
    const end = now() + placesHomeMsMax;
    this.#home.add(place.no);
    for (;;) {
      this.hold(shard);
      const { child, isMoving } = place;
      if (!isCarried(child) && !isMoving) break;
      if (this.#isStopped || now() > end) {
        this.#home.delete(place.no);
        throw new Error(`the place of this tenant does not come back from ${nodeOf(child)}: try again`);
      }
      await this.look();
      await passed(placesPauseMs);
    }
    this.#home.delete(place.no);
  }

  /**
   * Has the place of a shard run on a node, by its name, and stay there as long as that node may run places, or until it is wanted elsewhere. Resolves when it is there. Throws where the node carries no hosts,
   * for the place of the control plane, and where the place does not come.
   */
  async moveTo(shard: number, node: string): Promise<MovedPlace> {
    const { far, hosts, now, self } = this.#ports;
    const id = node === this.#ports.node ? self.id : far.idOf(node);
    if (id === null)
      throw new Error(
        `${node} carries no hosts now\n    skep cluster status shows the nodes, and whether each follows the log`,
      );
    const place = hosts.of(shard);
    if (place === hosts.of(CONTROL_ENTRY.shard))
      throw new Error(`shard ${shard} is in the place of the control plane, which stays at the node that serves`);
    const from = nodeOf(place.child) ?? this.#ports.node;
    const end = now() + placesHomeMsMax;
    this.#wished.set(place.no, id);
    this.#tired.delete(id);
    while (this.#whereOf(place.child) !== id || place.isMoving) {
      if (this.#isStopped || now() > end || this.#wished.get(place.no) !== id) {
        this.#wished.delete(place.no);
        throw new Error(
          `place ${place.no} has not come to ${node}: it runs on ${nodeOf(place.child) ?? this.#ports.node}\n    the lines of both nodes say why`,
        );
      }
      await this.look();
      await passed(placesPauseMs);
    }
    return { shard, place: place.no, from, to: node };
  }

  /** Where places would go if what operators wished (`moveTo`) were forgotten, and nodes to which a move failed were tried again. */
  plan(): readonly PlannedMove[] {
    const { far, hosts, node, self } = this.#ports;
    const { present, wanted } = this.#shares(new Map());
    return hosts.all.flatMap(({ child, no }) => {
      const to = wanted[no]!;
      if (to === present[no]) return [];
      const from = nodeOf(child) ?? node;
      return [{ place: no, shards: hosts.shardsOf(no), from, to: to === self.id ? node : far.nameOf(to) }];
    });
  }

  /** Forgets them, and moves the places; resolves with what was planned when each has moved or could not. */
  async rebalance(): Promise<readonly PlannedMove[]> {
    const planned = this.plan();
    this.#wished.clear();
    this.#tired.clear();
    await this.look();
    await this.look(); // one that was under way may have begun with the wishes
    return planned;
  }

  async #all(): Promise<void> {
    while (!this.#isStopped) {
      const next = this.#next();
      if (next === null) return;
      await this.#move(next.place, next.to);
    }
  }

  /** A place that is not where it belongs, and the node that it goes to; null where each is. */
  #next(): { readonly place: HostPlace; readonly to: string } | null {
    const { hosts, self } = this.#ports;
    const now = this.#ports.now();
    const { present, wanted } = this.#shares(this.#wished);
    const there = hosts.all.filter(({ desk, isMoving }) => desk.outbox !== null && !isMoving);
    const wantedHere = there.find(({ no }) => this.#home.has(no) && present[no] !== self.id);
    if (wantedHere !== undefined) return { place: wantedHere, to: self.id };
    const isTired = (id: string): boolean => (this.#tired.get(id) ?? -Infinity) > now;
    const place = there.find(({ no }) => wanted[no] !== present[no] && !this.#isHeld(no) && !isTired(wanted[no]!));
    return place === undefined ? null : { place, to: wanted[place.no]! };
  }

  /** By place: the node where it is, and the one where it belongs. A wish for a node that is not there any more is forgotten. */
  #shares(wished: Map<number, string>): { readonly present: readonly string[]; readonly wanted: readonly string[] } {
    const { far, hosts, self } = this.#ports;
    const rooms = [self, ...far.look()];
    const present = hosts.all.map(({ child }) => this.#whereOf(child));
    for (const [no, id] of wished) if (!rooms.some((room) => room.id === id)) wished.delete(no);
    const control = hosts.of(CONTROL_ENTRY.shard).no;
    const wanted = sharePlaces(rooms, present, new Set([control, ...wished.keys()]));
    for (const [no, id] of wished) wanted[no] = id;
    return { present, wanted };
  }

  #whereOf(child: Thread): string {
    return isCarried(child) ? child.carrier.id : this.#ports.self.id;
  }

  async #move(place: HostPlace, to: string): Promise<void> {
    const { far, hosts, self } = this.#ports;
    if (to === self.id) {
      await this.#ports.before().catch(() => undefined);
      await hosts.move(place, null);
      return;
    }
    const thread = far.start(to, place.no, this.#ports.checkouts());
    if (thread !== null && (await this.#prepared(thread))) {
      await this.#ports.before().catch(() => undefined);
      if (this.#isStopped || this.#isHeld(place.no)) return void thread.kill();
      if (await hosts.move(place, thread)) return;
    }
    this.#tired.set(to, this.#ports.now() + placesFaultMs);
    this.#ports.log.warn(
      { host: place.no, node: thread?.carrier.node ?? to },
      'a place could not be moved: it runs here',
    );
  }

  #isHeld(place: number): boolean {
    return (this.#held.get(place) ?? -Infinity) > this.#ports.now();
  }

  /** The place is served meanwhile. */
  async #prepared(thread: CarriedThread): Promise<boolean> {
    this.#ports.attach(thread);
    this.#preparing = thread;
    const isReady = await thread.ready;
    this.#preparing = null;
    return isReady;
  }
}
