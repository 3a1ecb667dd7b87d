/** What goes wrong in a run, at moments of the seed: several of these are under way at once. */
import { heirOf } from '#runtime/cluster/hand-over.ts';
import type { NodeSight } from '#storage/log-engine/nodes-port.ts';
import { OutcomeUnknown } from '#storage/log-engine/port.ts';
import { Link, WAYS } from './link.ts';
import type { ClusterPorts, SimulatedNode } from './node.ts';
import type { Theme } from './settings.ts';

/** So many faults for each fall of the bounds. */
const TIMES = 3;
const GAP_MS = 1500;

export class Faults {
  readonly #ports: ClusterPorts;
  readonly #nodes: readonly SimulatedNode[];
  readonly #operator: Link;
  #left: number;
  #isHealed = false;
  ends = 0;
  readonly reached = { still: 0, cut: 0, failOvers: 0, standbyAway: 0, storesLost: 0, gone: 0, fences: 0, told: 0 };

  constructor(ports: ClusterPorts, nodes: readonly SimulatedNode[]) {
    const { database, settings, world } = ports;
    this.#ports = ports;
    this.#nodes = nodes;
    this.#operator = new Link(world, database.room, settings.leaseMs);
    this.#left = settings.falls * (settings.theme === 'network' ? 2 * nodes.length : TIMES);
  }

  get isDone(): boolean {
    return this.#left <= 0;
  }

  begin(): void {
    if (this.#ports.settings.theme === 'network') for (const node of this.#nodes) this.#wanders(node);
    else this.#next();
  }

  #next(): void {
    const { outside, world } = this.#ports;
    if (this.#left === 0) return;
    world.after(world.random.next() * GAP_MS, outside, 'fault', () => {
      this.#left--;
      this.#one();
      this.#next();
    });
  }

  /** One way follows another, without a break. */
  #wanders(node: SimulatedNode): void {
    const { outside, world } = this.#ports;
    const { random } = world;
    if (this.#left <= 0) return;
    this.#left--;
    const ms = this.#ms(2.2);
    // What happens to the one that serves is what a lease is for; the others mostly see it.
    const isTroubled = random.chance(node.host === null ? 0.25 : 0.8);
    const isStill = isTroubled && random.chance(0.2);
    node.link.way = isTroubled && !isStill ? random.pick(WAYS) : 'well';
    if (isStill) this.#standsStill(node, ms);
    if (node.link.way !== 'well') this.reached.cut++;
    world.note(`${node.name} is ${node.link.way} for ${ms.toFixed(0)} ms`);
    if (random.chance(0.1)) this.#rarely(node);
    world.after(ms, outside, `${node.name} goes on`, () => {
      node.link.way = 'well';
      this.#wanders(node);
    });
  }

  /** In the middle of what the network does. */
  #rarely(node: SimulatedNode): void {
    if (this.#ports.world.random.chance(0.5)) this.#kills(node);
    else this.#failsOver();
  }

  /** No more of them, and what they did is over, but for machines that are gone. */
  heal(): void {
    const { database } = this.#ports;
    this.#isHealed = true;
    database.calm();
    for (const node of this.#nodes) {
      node.link.way = 'well';
      for (const room of node.rooms) room.stillUntilMs = 0;
      node.startLater(1);
    }
  }

  #one(): void {
    const { database, settings, world } = this.#ports;
    const { random } = world;
    const serving = this.#nodes.filter(({ host }) => host !== null);
    const node = random.pick(serving.length > 0 && random.chance(0.5) ? serving : this.#nodes);
    if (!database.hasBackup && settings.isPutBack && random.chance(0.3)) database.backUp();
    const kinds: Readonly<Record<Exclude<Theme, 'network'>, readonly (() => void)[]>> = {
      database: [
        () => this.#losesStandby(),
        () => this.#losesStandby(),
        () => this.#failsOver(),
        () => this.#cuts(node),
      ],
      ends: [
        () => this.#kills(node),
        () => this.#kills(node),
        () => this.#tellsToHandOver(),
        () => this.#fences(),
        () => this.#standsStill(node),
      ],
      all: [
        () => this.#kills(node),
        () => this.#standsStill(node),
        () => this.#cuts(node),
        () => this.#failsOver(),
        () => this.#losesStandby(),
        () => this.#tellsToHandOver(),
        () => this.#fences(),
      ],
    };
    random.pick(kinds[settings.theme as Exclude<Theme, 'network'>])();
  }

  /** So long as some leases, at most. */
  #ms(leases: number): number {
    const { settings, world } = this.#ports;
    return world.random.next() * leases * settings.leaseMs;
  }

  #kills(node: SimulatedNode): void {
    const { world } = this.#ports;
    const { random } = world;
    world.note(`${node.name} is killed`);
    const isPower = random.chance(0.3);
    node.end(isPower);
    this.ends++;
    if (random.chance(0.15)) {
      this.reached.storesLost++;
      node.losesStores();
    }
    // One is left at least.
    if (random.chance(0.15) && this.#nodes.filter(({ isGone }) => !isGone).length > 1) {
      this.reached.gone++;
      node.isGone = true;
    } else node.startLater(random.chance(0.5) ? 50 : this.#ms(2.5));
  }

  /** SIGSTOP, or one of its threads that waits for its disk. */
  #standsStill(node: SimulatedNode, ms = this.#ms(2)): void {
    const { world } = this.#ports;
    const { random } = world;
    const until = world.nowMs + ms;
    const all = node.rooms;
    for (const room of random.chance(0.7) ? all : all.slice(random.below(2))) room.stillUntilMs = until;
    world.note(`${node.name} stands still until ${until.toFixed(0)}`);
    this.reached.still++;
  }

  #cuts(node: SimulatedNode): void {
    const { outside, world } = this.#ports;
    const way = world.random.pick(WAYS);
    world.note(`${node.name} is ${way}`);
    node.link.way = way;
    this.reached.cut++;
    world.after(this.#ms(2.5), outside, `${node.name} is well`, () => {
      if (node.link.way === way) node.link.way = 'well';
    });
  }

  #failsOver(): void {
    this.reached.failOvers++;
    this.#ports.database.failOver();
  }

  /** Waits may be ended meanwhile, and the standby that comes back may take over with what it has. */
  #losesStandby(): void {
    const { database, outside, settings, world } = this.#ports;
    const { random } = world;
    this.reached.standbyAway++;
    const takesOver = random.chance(0.5);
    const ms = this.#ms(0.7);
    const cancels = random.below(5);
    for (let i = 0; i < cancels; i++)
      world.after(random.next() * ms, outside, 'waits are ended', () => {
        if (this.#isHealed) return;
        database.log.counts.cancelledWaits += database.log.primary.unseen;
        database.log.cancelWaits();
        database.log.wake();
      });
    database.withoutStandby(Math.min(ms, settings.leaseMs), () => {
      if (takesOver && !this.#isHealed) this.#failsOver();
    });
  }

  /** `skep cluster drain`, at the life that serves. */
  #tellsToHandOver(): void {
    const { database, outside, world } = this.#ports;
    const { nodes, serving } = database.log.primary.table;
    const from = nodes.get(serving ?? '');
    const waiting = [...nodes.values()].filter((life) => life.id !== serving && !life.isFenced);
    if (from === undefined || !waiting.some(isReady)) return;
    // Lives that ended may be told as well: each stands for a place of its own.
    const heir = heirOf(waiting.map((life) => ({ ...life, place: life.id, silentMs: 0, serves: false, linked: null })));
    this.reached.told++;
    world.after(
      0,
      outside,
      `${from.id} is told to hand over to ${heir.id}`,
      () => void database.nodes(this.#operator, 1000).handOver(from.id, heir.id).catch(unlessUnknown),
    );
  }

  /** `skep cluster fence`: of a life that is dead; of one that lives, too, where reads are confirmed. */
  #fences(): void {
    const { database, outside, settings, world } = this.#ports;
    const living = new Set(this.#nodes.map(({ life }) => life));
    const lives = [...database.log.primary.table.nodes.values()].filter(
      ({ id, isFenced }) => !isFenced && (settings.reads === 'confirmed' || !living.has(id)),
    );
    if (lives.length === 0) return;
    const { id, beat } = world.random.pick(lives);
    this.reached.fences++;
    world.after(
      0,
      outside,
      `${id} is fenced`,
      () => void database.nodes(this.#operator, 1000).condemn(id, beat).catch(unlessUnknown),
    );
  }
}

const isReady = ({ follows }: NodeSight): boolean => follows !== null && (follows.ageMs ?? Infinity) <= 5000;

function unlessUnknown(error: unknown): void {
  if (!(error instanceof OutcomeUnknown)) throw error;
}
