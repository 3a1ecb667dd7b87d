/**
 * One run of the door: callers send, stall, read slowly, go and come again, while threads and processes end and hosts stand still. What each was answered is
 * held against the model; in the end nothing is in use any more, and what was acknowledged is on the disk.
 */
import { findJournals, nextEpoch } from '#storage/journal/directories.ts';
import { limits } from '#config/limits.ts';
import { Random } from '#test/kit/random.ts';
import { fallOf, type Machine } from '#test/simulation/machine/machine.ts';
import { Room } from '#test/simulation/machine/room.ts';
import { runOnMachine } from '#test/simulation/machine/run-on-machine.ts';
import type { Counts, Options, Outcome, SimulatedRun } from '#test/simulation/machine/run-on-machine.ts';
import type { World } from '#test/simulation/machine/world.ts';
import type { Bounds } from '#test/simulation/node/settings.ts';
import type { Company } from './company.ts';
import { openSimulatedArchive } from './host-room.ts';
import { DoorModel, type Asked } from './model.ts';
import { DoorNode } from './node.ts';
import { SimulatedResponse } from './response.ts';
import { ordersIn } from './service.ts';
import { DATA_DIR, doorSettingsOf, type DoorSettings } from './settings.ts';
import { whereOf } from './tenants.ts';
import { wishOf, type Wish } from './wish.ts';

/** After the last answer something may still happen that must not; and within the longer time suspensions and hosts on their way come to an end. */
const REST_MS = 15_000;
const REST_MS_MAX = 300_000;

/** What goes on beside the door in one run (`whole/`). */
export interface Beside extends Company {
  /** The node serves for the first time: nothing falls while this runs. */
  begin(): Promise<void>;
  /** The process has fallen. */
  fell(): void;
  /** Main of the process that runs; null while none does. */
  node: DoorNode | null;
  /** Whether all is asked and answered; called again and again. */
  isDone(): boolean;
  /** Whether everything has arrived where it goes. */
  readonly isQuiet: boolean;
  /** All is answered, and nothing falls any more. */
  judgeServing(): Promise<void>;
  /** Everything is closed. */
  judgeClosed(): Promise<void>;
  counts(): Counts;
}

export class DoorRun implements SimulatedRun {
  readonly #settings: DoorSettings;
  readonly #world: World;
  readonly #machine: Machine;
  readonly #random: Random;
  readonly #outside = new Room('callers');
  readonly #model: DoorModel;
  /** Requests without an end. */
  readonly #open = new Map<number, Asked>();
  readonly #reached: Record<string, number> = {};
  #node: DoorNode | null = null;
  #main: Room | null = null;
  readonly #beside: Beside | null;
  #fallsLeft: number;
  #threadEnds = 0;
  #sent = 0;

  constructor(settings: DoorSettings, world: World, machine: Machine, beside: Beside | null = null) {
    this.#settings = settings;
    this.#beside = beside;
    this.#model = new DoorModel(settings.writes);
    this.#world = world;
    this.#machine = machine;
    this.#random = new Random(settings.seed ^ 0xca11);
    this.#fallsLeft = settings.falls;
    world.endMs = 3_600_000;
  }

  counts(): Counts {
    const { acknowledged, asked } = this.#model;
    const reached: Record<string, number> = { ...this.#reached, syncsFailed: this.#machine.faults };
    for (const { end, answer } of asked) {
      const what = answer === null ? (end ?? 'unended') : `answered${answer.status}`;
      reached[what] = (reached[what] ?? 0) + 1;
    }
    const beside = this.#beside?.counts();
    return {
      threadEnds: this.#threadEnds + (beside?.threadEnds ?? 0),
      acknowledged: acknowledged + (beside?.acknowledged ?? 0),
      undone: beside?.undone ?? 0,
      reached: { ...reached, ...beside?.reached },
    };
  }

  async all(): Promise<void> {
    this.#machine.disk.install(DATA_DIR);
    this.#switchOn();
    await this.#until(() => this.#node?.isOpen === true);
    if (this.#beside !== null) {
      this.#machine.rest();
      await this.#beside.begin();
      this.#planFall();
    }
    for (let no = 0; no < this.#settings.connections; no++) this.#next();
    this.#endHostSometime();
    if (this.#settings.suspends) this.#suspendSometime(false);
    await this.#until(
      () => this.#sent >= this.#settings.turns && this.#open.size === 0 && this.#beside?.isDone() !== false,
    );
    this.#machine.rest();
    await this.#rest();
    await this.#beside?.judgeServing();
    const { inUse } = this.#node!;
    if (inUse !== null) throw new Error(`all is answered, and this is left: ${inUse}`);
    this.#in(this.#main!, 'close', () => this.#node!.close());
    await this.#world.run(() => this.#node!.isClosed);
    await this.#judge();
  }

  /** Runs on; a process that has fallen is started again. */
  async #until(done: () => boolean): Promise<void> {
    await this.#world.run(() => {
      if (this.#machine.rooms.size === 0) this.#fellDown();
      return done();
    });
  }

  async #rest(): Promise<void> {
    let passed = 0;
    for (const ms of [REST_MS, REST_MS_MAX]) this.#world.after(ms, this.#outside, 'rest', () => passed++);
    await this.#until(
      () => this.#node?.isOpen === true && (passed === 2 || (passed === 1 && this.#node.inUse === null)),
    );
    if (this.#beside !== null) await this.#until(() => this.#node?.isOpen === true && this.#beside!.isQuiet);
  }

  #fellDown(): void {
    this.#fallsLeft--;
    this.#node = null;
    for (const asked of this.#open.values()) this.#over(asked, 'fell');
    this.#model.fell(this.#world.nowMs);
    this.#beside?.fell();
    this.#switchOn();
  }

  #switchOn(): void {
    const main = (this.#main = this.#machine.start('main'));
    this.#planFall();
    this.#in(main, 'start', () => {
      this.#node = new DoorNode(main, {
        machine: this.#machine,
        settings: this.#settings,
        // Also of one whose caller has gone meanwhile.
        counted: (requestId) => void this.#model.asked[Number(requestId.slice(1)) - 1]!.counted++,
        away: () => {
          this.#threadEnds++;
          this.#model.away(this.#world.nowMs);
        },
        back: () => this.#model.back(this.#world.nowMs),
        company: this.#beside,
      });
      if (this.#beside !== null) this.#beside.node = this.#node;
    });
  }

  #planFall(): void {
    const random = this.#random;
    if (this.#fallsLeft <= 0) return;
    if (random.chance(0.4))
      this.#machine.plan({ afterChanges: 20 + random.below(random.pick([60, 600])), fall: fallOf(random) });
    if (this.#settings.hasDiskFaults) this.#machine.syncsUntilFault = 1 + random.below(random.pick([20, 200]));
  }

  #endHostSometime(): void {
    const random = this.#random;
    this.#world.after(random.next() * 1500, this.#outside, 'a host may end', () => {
      if (this.#fallsLeft <= 0 || this.#sent >= this.#settings.turns) return;
      const node = this.#node;
      if (node?.isOpen === true && random.chance(0.5))
        this.#in(this.#main!, 'end a host', () => {
          if (node.endHost((hosts) => random.pick(hosts))) this.#fallsLeft--;
        });
      this.#endHostSometime();
    });
  }

  #suspendSometime(isSuspended: boolean): void {
    this.#world.after(this.#random.next() * 5000, this.#outside, 'an operator', () => {
      const isOver = this.#sent >= this.#settings.turns;
      const [entry] = this.#node?.entries ?? [];
      if (entry !== undefined && this.#main!.alive)
        this.#in(this.#main!, 'stand', () => {
          this.#model.suspended.add(entry.no);
          this.#node!.stand(entry, !isSuspended && !isOver);
        });
      if (!isOver) this.#suspendSometime(!isSuspended);
    });
  }

  #next(): void {
    const random = this.#random;
    const thinkMs = random.next() * random.pick([0, 5, 200, 3000]);
    this.#world.after(thinkMs, this.#outside, 'caller', () => {
      if (this.#sent >= this.#settings.turns) return;
      if (this.#node?.isOpen === true) this.#send(this.#node);
      else this.#next();
    });
  }

  #send(node: DoorNode): void {
    const no = ++this.#sent;
    const where = whereOf(this.#random, node.entries);
    const wish = wishOf(this.#settings, this.#random, no, where, this.#model.asked);
    const world = this.#world;
    const asked = this.#model.ask(wish, world.nowMs);
    const response = new SimulatedResponse({
      world,
      main: node.main,
      address: wish.address,
      reading: wish.reading,
      answered: (answer) => this.#over(asked, 'answered', answer),
      cut: () => this.#over(asked, 'cut'),
    });
    this.#open.set(no, asked);
    world.after(this.#model.visitMsOf(asked), this.#outside, 'late', () => {
      if (asked.end === null && (wish.reading !== null || response.isOpen))
        throw new Error(`request ${no} (${wish.method} ${wish.path}) has no end`);
    });
    world.after(world.latencyMs(), node.main, `${wish.method} ${wish.path} ${no}`, () => {
      node.arrived(wish, response);
      this.#body(wish, response, node.main);
      if (wish.leavesAfterMs !== null)
        world.after(wish.leavesAfterMs, node.main, `caller ${no} goes`, () => {
          if (response.isOver) return;
          this.#over(asked, 'left');
          response.leave();
        });
    });
  }

  /** The body comes in reads of the connection, and the first one with the head. */
  #body(
    { no, body, chunks: most, chunkMs, isChunked, stallsAfter }: Wish,
    response: SimulatedResponse,
    main: Room,
  ): void {
    if (body.byteLength === 0 && !isChunked) return;
    const chunkBytes = Math.max(1, Math.ceil(body.byteLength / most));
    const reads = Math.max(1, Math.ceil(body.byteLength / chunkBytes));
    const read = (at: number): void => {
      if (at === stallsAfter) return;
      const bytes = body.subarray(at * chunkBytes, (at + 1) * chunkBytes);
      const half = bytes.byteLength >> 1;
      const chunks = half > 0 && at % 2 === 1 ? [bytes.subarray(0, half), bytes.subarray(half)] : [bytes];
      response.came(chunks, at + 1 === reads);
      if (at + 1 < reads) this.#world.after(chunkMs, main, `body of ${no}`, () => read(at + 1));
    };
    // The addon tells of a body of which nothing has come, too.
    if (stallsAfter === 0) response.came([new Uint8Array(0)], false);
    else read(0);
  }

  /** A request has come to its end, as its caller sees it. */
  #over(asked: Asked, end: NonNullable<Asked['end']>, answer: Parameters<DoorModel['ended']>[2] = null): void {
    const { no } = asked.wish;
    this.#world.note(`request ${no} ${end} ${answer?.status ?? ''}`);
    this.#model.ended(asked, end, answer, this.#world.nowMs);
    if (this.#open.delete(no)) this.#next();
  }

  /** Everything that the disk has, as a host finds it. */
  async #judge(): Promise<void> {
    const judge = this.#machine.start('judge');
    let isJudged = false;
    this.#in(judge, 'judge', async () => {
      if (findJournals(DATA_DIR).length > 0) throw new Error('a node that was closed in order has left a journal');
      const { hosts, segmentBytes } = this.#settings;
      const shards = Array.from({ length: hosts * limits.storage.shardsPerHost }, (_, shard) => shard);
      const onFatal = (error: Error): void => this.#world.fail(error);
      const asked = { host: 0, epoch: nextEpoch(DATA_DIR), shards, replay: [] };
      const archive = await openSimulatedArchive({ segmentBytes, onFatal }, asked);
      const orders = new Map<number, readonly number[]>();
      for (const { no, shard } of this.#node!.entries) {
        const turn = archive.store(shard, no).begin();
        orders.set(no, ordersIn(turn));
        turn.abort();
      }
      this.#model.judge(orders);
      await this.#beside?.judgeClosed();
      isJudged = true;
    });
    await this.#world.run(() => isJudged);
  }

  /** Something happens in a room a little later; its failure is that of the run. */
  #in(room: Room, line: string, run: () => void | Promise<void>): void {
    const world = this.#world;
    world.after(world.latencyMs(), room, line, () => {
      Promise.resolve()
        .then(run)
        .catch((error: unknown) => {
          if (room.alive) world.fail(error as Error);
        });
    });
  }
}

/** Runs a seed. Never throws: what is wrong is in the outcome. */
export function runDoorSeed(seed: number, bounds: Bounds, options: Options = {}): Promise<Outcome> {
  const settings = doorSettingsOf(seed, bounds);
  return runOnMachine(seed, options, (world, machine) => new DoorRun(settings, world, machine));
}
