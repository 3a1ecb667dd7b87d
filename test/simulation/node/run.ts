/** One run: clients ask a node for turns while it falls and comes back; in the end everything is held against the ledger. */
import { fallOf, type Machine } from '#test/simulation/machine/machine.ts';
import { Room } from '#test/simulation/machine/room.ts';
import { runOnMachine } from '#test/simulation/machine/run-on-machine.ts';
import type { Counts, Options, Outcome, SimulatedRun } from '#test/simulation/machine/run-on-machine.ts';
import type { World } from '#test/simulation/machine/world.ts';
import { Random } from '#test/kit/random.ts';
import type { ThreadName } from '#actors/protocol/topic.ts';
import type { Errand } from './errand.ts';
import { DATA_DIR } from './host.ts';
import type { Visitors } from './intake/visitors.ts';
import { Ledger } from './ledger.ts';
import type { Parts } from './parts.ts';
import { judgeLog } from './sealer.ts';
import { settingsOf, type Bounds, type Settings } from './settings.ts';
import { SimulatedNode } from './supervisor.ts';
import type { Customers } from './tenants/customers.ts';
import { Turns } from './turns.ts';

/** In all, a clock is not set so far forward that keys of idempotency expire. */
const CLOCK_STEP_MS_MAX = 4 * 60 * 60_000;

class Run implements SimulatedRun {
  readonly #settings: Settings;
  readonly #world: World;
  readonly #machine: Machine;
  readonly #parts: Parts;
  readonly #random: Random;
  readonly #outside = new Room('clients');
  readonly #ledger: Ledger;
  readonly #turns: Turns;
  readonly #visitors: Visitors | null;
  readonly #customers: Customers | null;
  #node: SimulatedNode | null = null;
  #asked = 0;
  /** What was asked for and is not answered. */
  #waiting = new Map<number, Errand>();
  #fallsLeft: number;
  #threadEnds = 0;
  /** How many couriers there were. */
  #couriers = 0;

  constructor(settings: Settings, world: World, machine: Machine, parts: Parts) {
    this.#settings = settings;
    this.#world = world;
    this.#machine = machine;
    this.#parts = parts;
    this.#random = new Random(settings.seed ^ 0xc11e);
    this.#fallsLeft = settings.falls;
    this.#ledger = new Ledger(settings.tenants);
    this.#turns = new Turns(settings, this.#random);
    const { rooms } = settings;
    this.#visitors = rooms.has('intake') ? new parts.visitors!(settings) : null;
    this.#customers = rooms.has('tenants') ? new parts.customers!() : null;
  }

  counts(): Counts {
    // Answers that promise something.
    const answered = (this.#visitors?.answered ?? 0) + (this.#customers?.answered ?? 0);
    const { acknowledgements, undone } = this.#ledger;
    return { threadEnds: this.#threadEnds, acknowledged: acknowledgements + answered, undone };
  }

  async all(): Promise<void> {
    this.#switchOn();
    for (let no = 0; no < this.#settings.clients; no++) this.#ask();
    this.#endSomeThread();
    await this.#world.run(() => this.#isDone());
    this.#machine.rest();
    this.#node!.close();
    await this.#world.run(() => this.#node!.isClosed);
    await this.#judge();
  }

  /** Everything is asked and answered, and has arrived where it goes; a machine that has fallen is switched on again. */
  #isDone(): boolean {
    if (this.#machine.rooms.size === 0) this.#fellDown();
    return this.#asked >= this.#settings.turns && this.#waiting.size === 0 && this.#node!.isQuiet;
  }

  #fellDown(): void {
    this.#waiting.clear();
    this.#switchOn();
    for (let no = 0; no < this.#settings.clients; no++) this.#ask();
  }

  #switchOn(): void {
    const random = this.#random;
    if (this.#machine.falls > 0) this.#fallsLeft--;
    if (this.#machine.falls === 0) this.#machine.disk.install(DATA_DIR);
    else if (random.chance(0.3)) this.#machine.clockAheadMs += random.below(CLOCK_STEP_MS_MAX);
    this.#couriers++;
    this.#node = new SimulatedNode(this.#machine, this.#settings, this.#ledger, this.#parts);
    if (this.#fallsLeft <= 0) return;
    // Often while it opens, and at last when it has worked for a while.
    const afterChanges = 1 + random.below(random.chance(0.3) ? 40 : 400);
    this.#machine.plan({ afterChanges, fall: fallOf(random) });
    if (this.#settings.hasDiskFaults) this.#machine.syncsUntilFault = 1 + random.below(60);
  }

  /** A client asks for its next turn, in a while. */
  #ask(): void {
    if (this.#asked >= this.#settings.turns) return;
    const thinkMs = this.#random.chance(0.5) ? 0 : this.#world.latencyMs();
    this.#world.after(thinkMs, this.#outside, 'client', () => this.#send());
  }

  #send(): void {
    if (this.#asked >= this.#settings.turns) return;
    const no = ++this.#asked;
    this.#begin(no, this.#errand(no));
  }

  #begin(no: number, errand: Errand): void {
    const node = this.#node!;
    const room = node.roomOf(errand.to);
    // One that has ended, which main does not know yet, answers nothing.
    if (room === null || !room.alive) {
      this.#waiting.set(no, errand);
      return void this.#world.after(20, this.#outside, 'client waits', () => {
        if (this.#waiting.get(no) === errand) this.#begin(no, errand);
      });
    }
    this.#waiting.set(no, errand);
    this.#world.after(this.#world.latencyMs(), room, errand.line, () => {
      // It closes only when all is answered.
      if (node.roomOf(errand.to) === room) errand.take(node, () => this.#reply(no));
    });
  }

  #reply(no: number): void {
    if (this.#world.room?.alive === false) return;
    this.#world.after(this.#world.latencyMs(), this.#outside, `reply ${no}`, () => {
      if (this.#waiting.delete(no)) this.#ask();
    });
  }

  #errand(no: number): Errand {
    const random = this.#random;
    const kinds = [this.#visitors, this.#customers].filter((one) => one !== null);
    if (kinds.length > 0 && random.chance(kinds.length / (kinds.length + 1)))
      return random.pick(kinds).errand(random, no);
    return this.#turns.errand(no);
  }

  /** A thread ends now and then, while the rest of the node lives. */
  #endSomeThread(): void {
    const random = this.#random;
    this.#world.after(random.below(400), this.#outside, 'a thread may end', () => {
      if (this.#threadEnds >= this.#settings.falls || this.#asked >= this.#settings.turns) return;
      const kind = random.pick(this.#kinds());
      if (!this.#node!.endThread(kind)) return this.#endSomeThread();
      this.#threadEnds++;
      if (kind === 'courier') this.#couriers++;
      const unanswered = [...this.#waiting].filter(([, { to }]) => to === kind);
      for (const [no] of unanswered) {
        this.#waiting.delete(no);
        this.#ask();
      }
      this.#endSomeThread();
    });
  }

  #kinds(): ThreadName[] {
    const { rooms } = this.#settings;
    return [
      'tenant-host',
      ...(rooms.has('audit') ? (['audit-sealer'] as const) : []),
      ...(rooms.has('intake') ? (['intake-writer'] as const) : []),
      ...(rooms.has('tenants') ? (['courier'] as const) : []),
    ];
  }

  async #judge(): Promise<void> {
    if (this.#machine.disk.find(`${DATA_DIR}/journal`)?.entries?.size !== 0)
      throw new Error('a node that was closed in order has left a journal');
    const judge = this.#machine.start('judge');
    let isJudged = false;
    const { events } = this.#ledger;
    this.#world.after(0, judge, 'judge', () => {
      Promise.all([...events.map((all, tenant) => judgeLog(tenant, all)), this.#judgeOthers()]).then(
        () => (isJudged = true),
        (error: unknown) => this.#world.fail(error as Error),
      );
    });
    await this.#world.run(() => isJudged);
  }

  async #judgeOthers(): Promise<void> {
    const { tenants } = this.#node!;
    await this.#visitors?.judge(tenants);
    this.#customers?.judge(tenants, this.#machine.receiver.arrivals, this.#couriers);
  }
}

/** Runs a seed. Never throws: what is wrong is in the outcome. */
export function runSeed(seed: number, bounds: Bounds, parts: Parts, options: Options = {}): Promise<Outcome> {
  const settings = settingsOf(seed, bounds, parts.rooms);
  return runOnMachine(seed, options, (world, machine) => new Run(settings, world, machine, parts));
}
