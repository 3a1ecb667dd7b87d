/**
 * One run of the rates: callers take tokens at gates of several threads while the keeper's thread sweeps, ends and starts again. What each was answered is held
 * against plain token buckets; in the end the table has to be empty.
 */
import { Channel } from '#actors/protocol/channel.ts';
import { createPulse } from '#actors/host/pulse.ts';
import { RateKeeper } from '#actors/rates/keeper.ts';
import { monotonicClock } from '#actors/rates/monotonic-clock.ts';
import { createRateTable } from '#actors/rates/table.ts';
import { profilesOf } from '#runtime/door/rates.ts';
import { runRateKeeper, type RateKeeperData } from '#runtime/threads/rate-keeper.ts';
import { Random } from '#test/kit/random.ts';
import { watchAtomics } from '#test/simulation/instead/atomics.ts';
import type { Machine } from '#test/simulation/machine/machine.ts';
import { Room } from '#test/simulation/machine/room.ts';
import { runOnMachine } from '#test/simulation/machine/run-on-machine.ts';
import type { Counts, Options, Outcome, SimulatedRun } from '#test/simulation/machine/run-on-machine.ts';
import type { World } from '#test/simulation/machine/world.ts';
import { portsBetween } from '#test/simulation/node/ports.ts';
import type { Bounds } from '#test/simulation/node/settings.ts';
import { AGAIN_MS, PlainRates } from './model.ts';
import { ratesSettingsOf, type RatesSettings } from './settings.ts';
import { TableThreads, type ThreadPorts, type Wish } from './threads.ts';

const TENANTS = 2;
const END_MS = 2 ** 40;
/** Where the monotonic clock begins: anywhere in what a machine may be up. */
const UP_MS_MAX = 1e10;

class RatesRun implements SimulatedRun {
  readonly #settings: RatesSettings;
  readonly #world: World;
  readonly #machine: Machine;
  readonly #random: Random;
  readonly #outside = new Room('callers');
  readonly #main: Room;
  readonly #models: readonly (PlainRates | null)[];
  readonly #limited: readonly number[];
  readonly #table: SharedArrayBuffer;
  readonly #threads: TableThreads;
  readonly #ports: ThreadPorts;
  readonly #recent: Wish[] = [];
  #channel: Channel | null = null;
  #left: number;
  #isDrained = false;
  #keeperEnds = 0;
  #refused = 0;

  constructor(settings: RatesSettings, world: World, machine: Machine) {
    this.#settings = settings;
    this.#world = world;
    this.#machine = machine;
    world.endMs = END_MS;
    const random = (this.#random = new Random(settings.seed ^ 0x7a7e));
    machine.upMs = random.next() * UP_MS_MAX;
    this.#main = machine.start('main');
    this.#left = settings.turns;
    const profiles = profilesOf(settings.platform);
    this.#models = profiles.map((profile, no) =>
      profile.off ? null : new PlainRates(settings.declared[no]!, profile),
    );
    this.#limited = profiles.flatMap((profile, no) => (profile.off ? [] : no));
    const seed = [random.below(2 ** 32), random.below(2 ** 32)] as const;
    this.#table = createRateTable({ profiles, seed });
    this.#ports = {
      machine,
      random,
      profiles,
      models: this.#models,
      gates: settings.gates,
      interleaves: settings.interleaves,
      endsLeft: settings.falls,
      anyWish: () => this.#wish(),
      keeperEnded: () => this.#keeperEnded(),
    };
    this.#threads = new TableThreads(this.#table, this.#ports);
  }

  counts(): Counts {
    const all = this.#models.filter((model) => model !== null);
    const sum = (what: 'granted' | 'overflowed'): number => all.reduce((total, model) => total + model[what], 0);
    const { ends, meetings } = this.#threads;
    const reached = { granted: sum('granted'), refused: this.#refused, overflowed: sum('overflowed'), meetings };
    return {
      threadEnds: this.#keeperEnds + ends,
      acknowledged: sum('granted') + this.#refused,
      undone: 0,
      reached: { ...reached, endsInSteps: ends },
    };
  }

  async all(): Promise<void> {
    const world = this.#world;
    try {
      world.after(0, this.#main, 'start', () => this.#startKeeper());
      this.#next();
      this.#endKeeperSometime();
      await world.run(() => this.#left === 0);
      this.#ports.endsLeft = 0;
      this.#ports.interleaves = false;
      await this.#rest();
      await this.#drain();
    } finally {
      watchAtomics(null);
    }
    const counts = new RateKeeper(this.#table, this.#ports.profiles, monotonicClock).counts();
    for (const [no, model] of this.#models.entries()) model?.judge(counts[no]!.entries);
  }

  /** Until every bucket has been full for its idle time. */
  async #rest(): Promise<void> {
    let isOver = false;
    const restMs = Math.max(...this.#models.map((model) => model?.restMs ?? 0));
    this.#world.after(restMs, this.#outside, 'rest', () => (isOver = true));
    await this.#world.run(() => isOver);
  }

  /** The node stops: its keeper answers. */
  async #drain(): Promise<void> {
    this.#world.after(0, this.#main, 'drain', () => {
      this.#channel!.ask('thread.drain', null).then(
        () => (this.#isDrained = true),
        (error: unknown) => this.#world.fail(error as Error),
      );
    });
    await this.#world.run(() => this.#isDrained);
  }

  #startKeeper(): void {
    const room = this.#machine.start('rate-keeper');
    const [near, port] = portsBetween(this.#world, this.#main, room);
    this.#channel = new Channel(near, 'main', 'rate-keeper');
    const { platform } = this.#settings;
    const data = { platform, rates: this.#table, pulse: createPulse() } as unknown as RateKeeperData;
    this.#world.after(this.#world.latencyMs(), room, 'open', () => runRateKeeper(port as never, data));
    this.#threads.keeperRoom = room;
  }

  /** As main does when a thread has ended. */
  #keeperEnded(): void {
    this.#channel?.close('the thread is gone');
    this.#world.after(this.#random.next() * AGAIN_MS, this.#main, 'start again', () => this.#startKeeper());
  }

  #endKeeperSometime(): void {
    this.#world.after(this.#random.next() * 200_000, this.#outside, 'the keeper may end', () => {
      const room = this.#threads.keeperRoom;
      if (this.#left === 0 || this.#ports.endsLeft === 0) return;
      if (room?.alive === true) {
        this.#ports.endsLeft--;
        this.#keeperEnds++;
        this.#machine.endThread(room);
        this.#keeperEnded();
      }
      this.#endKeeperSometime();
    });
  }

  #next(): void {
    this.#world.after(this.#pauseMs(), this.#outside, 'caller', () => this.#call());
  }

  #call(): void {
    const wish = this.#wish();
    const times = 1 + this.#random.below(6);
    const line = `${times} of profile ${wish.profile} by ${wish.tenant} ${wish.ip}`;
    this.#world.after(0, this.#threads.roomOf(wish.gate), line, () => {
      for (let i = 0; i < times; i++) this.#answered(wish, this.#threads.take(wish));
      this.#threads.look(wish);
    });
    // Outside of the gate, whose thread may end in this turn.
    this.#world.after(0, this.#outside, 'answered', () => {
      this.#left--;
      if (this.#left > 0) this.#next();
    });
  }

  #answered(wish: Wish, waitMs: number | null): void {
    this.#world.note(`answer ${waitMs}`);
    if (waitMs === null || waitMs === 0) return;
    this.#refused++;
    // It may come again when it was told to.
    if (this.#random.chance(0.2))
      this.#world.after(waitMs, this.#outside, 'again', () => {
        if (this.#left > 0) this.#threads.take({ ...wish, gate: this.#random.below(this.#settings.gates) });
      });
  }

  #pauseMs(): number {
    const random = this.#random;
    const dice = random.next();
    if (dice < 0.4) return random.next() * 10;
    if (dice < 0.7) return random.next() * 10_000;
    return random.next() * (dice < 0.9 ? 120_000 : 900_000);
  }

  #wish(): Wish {
    const random = this.#random;
    if (this.#recent.length > 0 && random.chance(0.5)) return random.pick(this.#recent);
    const wish = {
      gate: random.below(this.#settings.gates),
      profile: random.pick(this.#limited),
      tenant: random.below(TENANTS),
      ip: `10.0.0.${random.below(this.#settings.addresses)}`,
    };
    this.#recent.push(wish);
    if (this.#recent.length > 12) this.#recent.shift();
    return wish;
  }
}

/** Runs a seed. Never throws: what is wrong is in the outcome. */
export function runRatesSeed(seed: number, bounds: Bounds, options: Options = {}): Promise<Outcome> {
  const settings = ratesSettingsOf(seed, bounds);
  return runOnMachine(seed, options, (world, machine) => new RatesRun(settings, world, machine));
}
