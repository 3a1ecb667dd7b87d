/**
 * One run of nodes on one log: clients write and read at whichever node takes their calls, while processes end and stand still, links are slow or cut, and the database loses what its standby does not have. In the end all
 * is well again: a node has to serve, the log has to be one log with all that was answered, and each store has to come to its state.
 */
import { Random } from '#test/kit/random.ts';
import type { Machine } from '#test/simulation/machine/machine.ts';
import { Room } from '#test/simulation/machine/room.ts';
import { runOnMachine } from '#test/simulation/machine/run-on-machine.ts';
import type { Counts, Options, Outcome, SimulatedRun } from '#test/simulation/machine/run-on-machine.ts';
import type { World } from '#test/simulation/machine/world.ts';
import type { Bounds } from '#test/simulation/node/settings.ts';
import { SimulatedDatabase } from './database.ts';
import type { Hosting } from './carriers.ts';
import { Faults } from './faults.ts';
import { judgeStore, replay } from './judge.ts';
import { Ledger } from './ledger.ts';
import { SimulatedNode, type ClusterPorts } from './node.ts';
import { putBackAll, settles } from './put-back.ts';
import { carrierSettingsOf, clusterSettingsOf, SHARDS, type ClusterSettings } from './settings.ts';
import { cellsOf, Copies } from './stores.ts';

/** What a start behind all faults may take: a lease by the slowest clock, and calls that wait for their time. */
const SERVES_MS = 120_000;

class ClusterRun implements SimulatedRun {
  readonly #ports: ClusterPorts;
  readonly #nodes: SimulatedNode[];
  readonly #faults: Faults;
  readonly #random: Random;
  #left: number;
  #undone = 0;

  constructor(settings: ClusterSettings, world: World, machine: Machine) {
    const outside = new Room('outside');
    this.#random = new Random(settings.seed ^ 0x71e5);
    const opened = { served: 0, moved: 0, cameHome: 0 };
    const reached = { ...opened, fenced: 0, lost: 0, handedOver: 0, followed: 0, gaps: 0, trimsRefused: 0 };
    const hostings = new Map<string, Hosting>();
    const [ledger, copies] = [new Ledger(), new Copies()];
    const database = new SimulatedDatabase(world, settings);
    this.#ports = { settings, world, machine, database, ledger, copies, outside, hostings, reached };
    this.#nodes = settings.rates.map((_, no) => new SimulatedNode(this.#ports, no));
    this.#faults = new Faults(this.#ports, this.#nodes);
    this.#left = settings.turns;
  }

  counts(): Counts {
    const { copies, database, ledger, reached } = this.#ports;
    const { lostCommits, cancelledWaits } = database.log.counts;
    return {
      threadEnds: this.#faults.ends,
      acknowledged: ledger.acknowledged,
      undone: this.#undone,
      reached: {
        ...reached,
        ...ledger.reached,
        ...this.#faults.reached,
        lostCommits,
        cancelledWaits,
        copies: copies.made,
        copiesUsed: copies.used,
      },
    };
  }

  async all(): Promise<void> {
    const { world } = this.#ports;
    for (const node of this.#nodes) node.startLater(this.#random.below(500));
    await world.run(() => this.#nodes.some(({ host }) => host !== null));
    this.#faults.begin();
    this.#next();
    await world.run(() => this.#left === 0 && this.#faults.isDone);
    await this.#rests();
    await this.#judges();
    if (this.#ports.settings.isPutBack) await putBackAll(this.#ports, this.#nodes);
  }

  #next(): void {
    const { outside, settings, world } = this.#ports;
    world.after(this.#random.next() * 2 * settings.gapMs, outside, 'client', () => {
      if (settings.carries) this.#callPlace();
      else this.#call();
      this.#left = Math.max(this.#left - 1, 0);
      if (this.#left > 0 || !this.#faults.isDone) this.#next();
    });
  }

  /** Mostly writes find the node that serves, and reads one that was overtaken, where there is one: what such a node has written waits for good, and so does what reads it. */
  #call(): void {
    const random = this.#random;
    const { serving } = this.#ports.database.log.primary.table;
    const open = this.#nodes.filter(({ host }) => host !== null);
    if (open.length === 0) return;
    const dice = random.next();
    const isWrite = dice < 0.45;
    const wanted = open.filter(({ life }) => (life === serving) === isWrite);
    const node = random.pick(wanted.length > 0 && random.chance(0.85) ? wanted : open);
    const host = node.host!;
    const shard = random.pick(SHARDS);
    const holdMs = random.next() * (random.chance(0.8) ? 20 : 400);
    this.#ports.world.after(random.next() * 3, host.room, 'call', () => {
      if (isWrite && host.unanswered >= this.#ports.settings.unansweredMax) return;
      if (isWrite) for (const no of random.chance(0.4) ? SHARDS : [shard]) host.write(no);
      else if (dice < 0.95) host.reads(holdMs);
      else if (node.host === host) node.copies(shard);
    });
  }

  /** As `#call`, where each shard has a host of its own: mostly writes find the newest one, and reads one before it, where there is one. */
  #callPlace(): void {
    const random = this.#random;
    const shard = random.pick(SHARDS);
    const open = this.#nodes.flatMap((node) => node.hosts.map((host) => ({ node, host })));
    const there = open.filter(({ host }) => host.shards.includes(shard));
    const [dice, isUsual] = [random.next(), random.chance(0.85)];
    const holdMs = random.next() * (random.chance(0.8) ? 20 : 400);
    if (there.length === 0) return;
    const byAge = there.toSorted((a, b) => a.host.no - b.host.no);
    const isWrite = dice < 0.45;
    const { node, host } = isUsual ? byAge.at(isWrite ? -1 : 0)! : random.pick(there);
    this.#ports.world.after(random.next() * 3, host.room, 'call', () => {
      if (isWrite && host.unanswered < this.#ports.settings.unansweredMax) host.write(shard);
      else if (dice >= 0.45 && dice < 0.95) host.reads(holdMs);
      else if (dice >= 0.95 && node.hosts.includes(host)) node.copies(shard);
    });
  }

  /** All is well again: some node serves, and acknowledges a write to each shard. */
  async #rests(): Promise<void> {
    const { ledger, outside, world } = this.#ports;
    this.#faults.heal();
    const before = ledger.acknowledged;
    let isLate = false;
    world.after(SERVES_MS, outside, 'too late', () => (isLate = true));
    let tries = 0;
    const again = (): void => {
      for (const no of SHARDS) {
        const open = this.#nodes.flatMap(({ hosts }) => hosts).find(({ shards }) => shards.includes(no));
        if (open !== undefined) world.after(0, open.room, 'last call', () => open.write(no));
      }
      if (ledger.acknowledged < before + 2 * SHARDS.length && tries++ < 1000)
        world.after(500, outside, 'once more', again);
    };
    world.after(0, outside, 'last calls', again);
    await world.run(() => isLate || ledger.acknowledged >= before + 2 * SHARDS.length);
    if (isLate) throw new Error(`no node has served for ${SERVES_MS} ms, and nothing is wrong any more`);
    for (const node of this.#nodes) {
      node.isHalted = true;
      node.end();
    }
    await settles(this.#ports);
  }

  /** The log first, then each store, brought to its end. */
  async #judges(): Promise<void> {
    const { database, ledger } = this.#ports;
    for (const shard of SHARDS) this.#undone += ledger.judge(shard, replay(shard, database.entriesOf(shard)).ids);
    for (const node of this.#nodes.filter(({ isGone }) => !isGone)) await this.#audits(node);
    await this.#audits(new SimulatedNode(this.#ports, 0, 'a new one'));
  }

  async #audits(node: SimulatedNode): Promise<void> {
    const { database, outside, world } = this.#ports;
    let isDone = false;
    world.after(0, outside, 'audit', () => {
      node.audits().then(
        () => (isDone = true),
        (error: unknown) => world.fail(new Error(`the store of ${node.name} does not open`, { cause: error })),
      );
    });
    await world.run(() => isDone);
    for (const shard of SHARDS)
      judgeStore(
        `${node.name}, shard ${shard}`,
        cellsOf(node.dataDir, shard)!,
        replay(shard, database.entriesOf(shard)),
      );
  }
}

/** Runs a seed. Never throws: what is wrong is in the outcome. */
export function runClusterSeed(seed: number, bounds: Bounds, options: Options = {}): Promise<Outcome> {
  const settings = clusterSettingsOf(seed, bounds);
  return runOnMachine(seed, options, (world, machine) => new ClusterRun(settings, world, machine));
}

/** As `runClusterSeed`, of nodes that run hosts for each other. */
export function runCarriersSeed(seed: number, bounds: Bounds, options: Options = {}): Promise<Outcome> {
  const settings = carrierSettingsOf(seed, bounds);
  return runOnMachine(seed, options, (world, machine) => new ClusterRun(settings, world, machine));
}
