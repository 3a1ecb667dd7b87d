/** Places that a node may leave to others: each is a shard with a host of its own, at home or at a node that stands by. Home asks, the other node says in the log that it carries, and opens on home's further word. */
import type { Carriers } from '#runtime/cluster/carriers.ts';
import type { Carrying } from '#runtime/cluster/carrying.ts';
import type { Room } from '#test/simulation/machine/room.ts';
import type { World } from '#test/simulation/machine/world.ts';
import { FarLink } from './far-link.ts';
import type { HostRooms } from './host-rooms.ts';
import { SHARDS, type ClusterSettings } from './settings.ts';

/** How long a node that hands over waits for places that others carry. */
const SEALS_MS = 1000;

interface Parts {
  readonly world: World;
  readonly settings: ClusterSettings;
  /** Where all of this runs. */
  readonly main: Room;
  readonly hosts: HostRooms;
  /** A shard has another owner. */
  readonly lost: () => void;
}

export interface HostingParts extends Parts {
  readonly carrying: Carrying;
}

/** At the node that carries. */
export class Hosting {
  readonly #parts: HostingParts;
  /** By shard, over which link it was asked for. */
  readonly #links = new Map<number, FarLink>();

  constructor(parts: HostingParts) {
    this.#parts = parts;
    parts.carrying.onOver(() => {
      for (const link of new Set(this.#links.values())) link.breaksAtFar();
    });
  }

  get main(): Room {
    return this.#parts.main;
  }

  /** Whether it may carry, told to home. */
  async begin(link: FarLink, serving: string, shard: number, then: (isBegun: boolean) => void): Promise<void> {
    const { carrying } = this.#parts;
    const before = this.#links.get(shard);
    // Home has given that link up, which is not noticed here yet.
    if (before !== undefined) void this.#ends(before, shard);
    link.far.lost = () => void this.#ends(link, shard);
    this.#links.set(shard, link);
    const isBegun = await carrying.begin(serving, [shard]);
    if (!isBegun) this.#forgets(link, shard);
    link.toHome(() => then(isBegun));
  }

  async open(link: FarLink, shard: number): Promise<void> {
    if (this.#links.get(shard) === link && !(await this.#parts.hosts.open(shard))) this.#parts.lost();
  }

  /** In order, on home's word. Home hears of it before the log does. */
  async close(link: FarLink, shard: number, then: () => void): Promise<void> {
    const { carrying, hosts } = this.#parts;
    if (this.#links.get(shard) !== link) return;
    await hosts.close(shard);
    if (!this.#forgets(link, shard)) return;
    link.toHome(then);
    await carrying.end([shard]);
  }

  /** The process ends. */
  died(): void {
    for (const link of this.#links.values()) {
      link.far.lost = () => undefined;
      link.breaksAtFar();
    }
  }

  #forgets(link: FarLink, shard: number): boolean {
    return this.#links.get(shard) === link && this.#links.delete(shard);
  }

  async #ends(link: FarLink, shard: number): Promise<void> {
    const { carrying, hosts } = this.#parts;
    if (!this.#forgets(link, shard)) return;
    hosts.kill(shard);
    await carrying.end([shard]);
  }
}

export interface PlacesParts extends Parts {
  readonly id: string;
  readonly hostings: ReadonlyMap<string, Hosting>;
  readonly carriers: Carriers;
  readonly reached: { moved: number; cameHome: number };
}

/** A place that another life runs. */
interface Away {
  readonly carrier: string;
  readonly link: FarLink;
  /** Whether it was told to end its host. */
  isAsked: boolean;
}

/** At the node that serves. */
export class Places {
  readonly #parts: PlacesParts;
  readonly #away = new Map<number, Away>();
  /** Open here. Those that are neither here nor away are on their way. */
  readonly #here = new Set<number>();
  #moving: Promise<void> = Promise.resolve();
  #isSealing = false;

  constructor(parts: PlacesParts) {
    this.#parts = parts;
  }

  /** All at home. */
  async open(): Promise<void> {
    for (const shard of SHARDS) await this.#opensHere(shard);
    this.#next();
  }

  async #opensHere(shard: number): Promise<void> {
    if (await this.#parts.hosts.open(shard)) this.#here.add(shard);
    else this.#parts.lost();
  }

  #next(): void {
    const { main, settings, world } = this.#parts;
    world.after(world.random.next() * settings.leaseMs, main, 'moves', () => {
      if (this.#isSealing) return;
      this.#moving = this.#move();
      void this.#moving.then(() => this.#next());
    });
  }

  /** One thing at a time. */
  async #move(): Promise<void> {
    const { carriers, hostings, world } = this.#parts;
    this.#watches();
    const shard = world.random.pick(SHARDS);
    const away = this.#away.get(shard);
    if (away !== undefined) {
      const dice = world.random.next();
      if (dice < 0.2) away.link.breaksAtHome();
      else if (dice < 0.5) this.#asksBack(shard, away);
      return;
    }
    const able = carriers.sights().filter(({ id }) => hostings.has(id));
    if (able.length > 0 && this.#here.has(shard)) await this.#leavesTo(world.random.pick(able).id, shard);
  }

  /** Carriers that beat no more, whatever their links do. */
  #watches(): void {
    const able = new Set(this.#parts.carriers.sights().map(({ id }) => id));
    for (const { carrier, link } of this.#away.values()) if (!able.has(carrier)) link.breaksAtHome();
  }

  async #leavesTo(carrier: string, shard: number): Promise<void> {
    const { hostings, hosts, id, main, reached, settings, world } = this.#parts;
    const hosting = hostings.get(carrier)!;
    const link = new FarLink(world, settings.leaseMs, main, hosting.main);
    const isBegun = await new Promise<boolean>((resolve) => {
      link.home.lost = () => resolve(false);
      link.toFar(() => void hosting.begin(link, id, shard, resolve));
      // A question without an answer is given up: the other node may carry out what it was asked for all the same.
      setTimeout(() => resolve(false), settings.leaseMs);
    });
    if (!isBegun || this.#isSealing) return link.breaksAtHome();
    this.#here.delete(shard);
    await hosts.close(shard);
    this.#away.set(shard, { carrier, link, isAsked: false });
    reached.moved++;
    link.home.lost = () => void this.#comesHome(shard, false);
    if (link.home.isUp) link.toFar(() => void hosting.open(link, shard));
    else void this.#comesHome(shard, false);
  }

  #asksBack(shard: number, away: Away): void {
    const { carrier, link } = away;
    const hosting = this.#parts.hostings.get(carrier);
    if (away.isAsked) return;
    away.isAsked = true;
    link.toFar(() => void hosting?.close(link, shard, () => void this.#comesHome(shard, true)));
  }

  /** `isGone`: the other node has said that its host is gone. */
  async #comesHome(shard: number, isGone: boolean): Promise<void> {
    const { carriers, reached } = this.#parts;
    const away = this.#away.get(shard);
    if (away === undefined) return;
    this.#away.delete(shard);
    away.link.home.lost = () => undefined;
    // Only this life's end makes that fail.
    if (
      !isGone &&
      !(await carriers.released(away.carrier).then(
        () => true,
        () => false,
      ))
    )
      return;
    if (this.#isSealing) return;
    reached.cameHome++;
    await this.#opensHere(shard);
  }

  /** Nothing is written any more, here or elsewhere, when it resolves; where others do not say so in time, their rows do. */
  async seal(): Promise<void> {
    this.#isSealing = true;
    await this.#moving;
    for (const [shard, away] of this.#away) this.#asksBack(shard, away);
    for (const shard of SHARDS) await this.#parts.hosts.seal(shard);
    for (let ms = 0; ms < SEALS_MS && this.#away.size > 0; ms += 20)
      await new Promise((resolve) => setTimeout(resolve, 20));
  }

  async close(): Promise<void> {
    for (const shard of SHARDS) await this.#parts.hosts.close(shard);
  }

  /** The process ends. */
  died(): void {
    for (const { link } of this.#away.values()) link.homeDied();
  }
}
