/**
 * Keeps the node's clock on its floor (actors/kit/clock-floor.ts): looks once a second, writes `<dataDir>/clock` once a minute, never per request,
 * and tells the operator when the machine's clock is behind.
 */
import { join } from 'node:path';
import { limits } from '#config/limits.ts';
import { openSlotFile } from '#storage/slot-file.ts';
import type { SlotFile } from '#storage/slot-file.ts';
import { ClockFloor } from '#actors/kit/clock-floor.ts';
import { knowClockFloor, raiseClock, wallClock } from '#actors/kit/clock.ts';
import type { FineClock } from '#actors/kit/clock.ts';
import type { Degraded } from '#actors/protocol/degraded.ts';

export interface ClockFloorPorts {
  readonly dataDir: string;
  readonly degraded: Degraded;
  /** The machine's; another in tests. */
  readonly clock?: FineClock;
}

const NAME = 'clock';

export class ClockFloorKeeper {
  readonly #file: string;
  readonly #degraded: Degraded;
  readonly #clock: FineClock;
  readonly #slots: SlotFile;
  readonly #floor: ClockFloor;
  #writtenAt = Number.NEGATIVE_INFINITY;
  #writing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  /** The clock of every thread stands on the floor from here on. */
  constructor({ dataDir, degraded, clock = wallClock }: ClockFloorPorts) {
    this.#file = join(dataDir, NAME);
    this.#degraded = degraded;
    this.#clock = clock;
    this.#slots = openSlotFile(this.#file);
    this.#floor = new ClockFloor(this.#slots.found, clock.now(), clock.fine());
    knowClockFloor(this.#slots.found);
    this.look();
    this.#timer = setInterval(() => this.look(), limits.clock.lookMs).unref();
  }

  look(): void {
    const fine = this.#clock.fine();
    const { offsetMs, behindMs } = this.#floor.look(this.#clock.now(), fine);
    raiseClock(offsetMs);
    this.#tell(offsetMs, behindMs);
    if (fine - this.#writtenAt < limits.clock.writeMs) return;
    this.#writtenAt = fine;
    this.#write(fine);
  }

  async stop(): Promise<void> {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#write(this.#clock.fine());
    await this.#writing;
    this.#slots.close();
    raiseClock(0);
  }

  /** A floor that cannot be written stays as it was: a full disk has room for what lies there already. */
  #write(fine: number): void {
    try {
      this.#slots.write(this.#floor.at(fine));
    } catch {
      return;
    }
    this.#writing = this.#writing.then(() => this.#slots.sync()).catch(() => undefined);
  }

  #tell(offsetMs: number, behindMs: number): void {
    if (behindMs < limits.clock.tellMs) return this.#degraded.clear('clock', NAME);
    const behind = `the clock of this machine is ${wordsOf(behindMs)} behind the time at which this node has been at work`;
    const reason =
      offsetMs > 0
        ? `${behind}: expiry is judged by that time until the clock has caught up. Set the clock (chronyc makestep, timedatectl)`
        : `${behind}, too much to be believed: expired tokens and keys may count again. Set the clock; if it is right, stop the node and remove ${this.#file}`;
    this.#degraded.report({ scope: 'clock', name: NAME, reason, lasts: 'cleared' });
  }
}

/** Coarse, so that a figure that moves all the time is not a new reason each time. */
function wordsOf(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 2) return 'about a minute';
  if (minutes < 120) return `${minutes} minutes`;
  return `${Math.round(minutes / 60)} hours`;
}
