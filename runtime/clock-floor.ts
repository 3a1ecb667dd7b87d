/**
 * Keeps the node's clock from falling below its floor (actors/kit/clock-floor.ts): compares once a second, writes `<dataDir>/clock` once a
 * minute, never per request, and reports when the machine's clock is behind.
 */
import { join } from 'node:path';
import { limits } from '#config/limits.ts';
import { openSlotFile, type SlotFile } from '#storage/slot-file.ts';
import { ClockFloor } from '#actors/kit/clock-floor.ts';
import { knowClockFloor, raiseClock, wallClock, type FineClock } from '#actors/kit/clock.ts';
import { Serial } from '#actors/kit/serial.ts';
import type { Degraded } from '#actors/protocol/degraded.ts';

export interface ClockFloorPorts {
  readonly dataDir: string;
  readonly degraded: Degraded;
  /** Of this node, which its threads read (`createClockFloor`). */
  readonly memory: SharedArrayBuffer;
  /** An instant that is known from elsewhere, milliseconds since 1970: of a log in a database, which another machine may have written. */
  readonly known?: number;
  /** The machine's clock unless a test passes one. */
  readonly clock?: FineClock;
}

const NAME = 'clock';

export class ClockFloorKeeper {
  readonly #file: string;
  readonly #degraded: Degraded;
  readonly #memory: SharedArrayBuffer;
  readonly #clock: FineClock;
  readonly #slots: SlotFile;
  #floor: ClockFloor;
  #known: number;
  #writtenAt = Number.NEGATIVE_INFINITY;
  readonly #writes = new Serial();
  #timer: NodeJS.Timeout | undefined;

  /** From here on no thread's clock reads less than the floor. */
  constructor({ dataDir, degraded, memory, known = 0, clock = wallClock }: ClockFloorPorts) {
    this.#file = join(dataDir, NAME);
    this.#degraded = degraded;
    this.#memory = memory;
    this.#clock = clock;
    this.#slots = openSlotFile(this.#file);
    this.#known = Math.max(this.#slots.found, known);
    this.#floor = new ClockFloor(this.#known, clock.now(), clock.fine());
    knowClockFloor(memory, this.#known);
    this.look();
    this.#timer = setInterval(() => this.look(), limits.clock.lookMs).unref();
  }

  /** An instant that has become known behind the start: of a log that another machine wrote while this one waited. To be called before anything that reads it begins. */
  know(ms: number): void {
    if (ms <= this.#known) return;
    this.#known = ms;
    knowClockFloor(this.#memory, ms);
    const fine = this.#clock.fine();
    if (ms > this.#floor.at(fine)) this.#floor = new ClockFloor(ms, this.#clock.now(), fine);
    this.look();
  }

  /** Another node is that far at this moment, which runs hosts together with this one: what it issued counts here at once. */
  reach(ms: number): void {
    const fine = this.#clock.fine();
    if (ms <= Math.max(this.#floor.at(fine), this.#clock.now())) return;
    this.#floor = new ClockFloor(ms, this.#clock.now(), fine);
    this.look();
  }

  look(): void {
    const fine = this.#clock.fine();
    const { offsetMs, behindMs } = this.#floor.look(this.#clock.now(), fine);
    raiseClock(this.#memory, offsetMs);
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
    await this.#writes.idle();
    this.#close();
    raiseClock(this.#memory, 0);
  }

  /** Also where the disk does not take the last floor: the older one stays, and a stop is none the worse for it. */
  #close(): void {
    try {
      this.#slots.close();
    } catch {
      return;
    }
  }

  /** Overwrites a slot of the file, which needs no room on a full disk; where even that fails, the older floor stays. */
  #write(fine: number): void {
    try {
      this.#slots.write(this.#floor.at(fine));
    } catch {
      return;
    }
    this.#writes.run(() => this.#slots.sync()).catch(() => undefined);
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

/** Rounded, so that the reason stays the same text while the figure changes. */
function wordsOf(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 2) return 'about a minute';
  if (minutes < 120) return `${minutes} minutes`;
  return `${Math.round(minutes / 60)} hours`;
}
