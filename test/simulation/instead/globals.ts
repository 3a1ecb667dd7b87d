/** Timers and clocks of the process, in the simulation those of the machine. */
import { machine, machineNow } from '#test/simulation/machine/machine.ts';
import { realImmediate } from '#test/simulation/machine/real.ts';
import type { Room } from '#test/simulation/machine/room.ts';
import type { World } from '#test/simulation/machine/world.ts';

/** When each machine is switched on: late in a day, so that some runs see the next one. */
const BEGAN_MS = Date.UTC(2026, 0, 1, 22);

class Timer {
  readonly #room: Room;
  readonly #run: () => void;
  readonly #ms: number;
  readonly #repeats: boolean;
  #cancel: () => void = () => undefined;

  constructor(run: () => void, ms: number, repeats: boolean) {
    this.#room = machine().world.here();
    this.#run = run;
    this.#ms = Math.max(1, ms);
    this.#repeats = repeats;
    this.refresh();
  }

  refresh(): this {
    this.#cancel();
    this.#cancel = machine().world.after(this.#ms / this.#room.rate, this.#room, 'timer', () => {
      if (this.#repeats) this.refresh();
      this.#run();
    });
    return this;
  }

  close(): void {
    this.#cancel();
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

type Run = (...args: unknown[]) => void;
type Loose = Record<string, unknown>;

const real = {
  setTimeout,
  setInterval,
  setImmediate: realImmediate,
  clearTimeout,
  clearInterval,
  now: Date.now,
  performance,
  hrtime: process.hrtime.bigint.bind(process.hrtime),
};

const timer =
  (theirs: unknown, repeats: boolean) =>
  (run: Run, ms = 1, ...args: unknown[]): unknown =>
    machineNow() === null ? (theirs as Run)(run, ms, ...args) : new Timer(() => run(...args), ms, repeats);

const clear =
  (theirs: unknown) =>
  (one: unknown): void => {
    if (one instanceof Timer) one.close();
    else (theirs as Run)(one);
  };

/** Of the clocks of the room that asks. */
const rateOf = ({ room }: World): number => room?.rate ?? 1;

/** Puts ours in the place of those of the process; outside of a run they do what those do. */
export function replaceGlobals(): void {
  Object.assign(globalThis as Loose, {
    setTimeout: timer(real.setTimeout, false),
    setInterval: timer(real.setInterval, true),
    clearTimeout: clear(real.clearTimeout),
    clearInterval: clear(real.clearInterval),
    setImmediate: (run: Run, ...args: unknown[]): unknown =>
      machineNow() === null ? real.setImmediate(run, ...args) : machine().world.immediate(() => run(...args)),
  });
  Date.now = () => {
    const present = machineNow();
    return present === null ? real.now() : BEGAN_MS + present.clockAheadMs + Math.floor(present.world.nowMs);
  };
  process.hrtime.bigint = () => {
    const present = machineNow();
    if (present === null) return real.hrtime();
    return BigInt(Math.floor((present.upMs + present.world.nowMs) * rateOf(present.world) * 1e6));
  };
  const now = (): number => {
    const world = machineNow()?.world;
    return world === undefined ? real.performance.now() : world.nowMs * rateOf(world);
  };
  Object.defineProperty(globalThis, 'performance', { value: { now }, configurable: true });
}
