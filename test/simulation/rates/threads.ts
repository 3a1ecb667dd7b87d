/** The threads of a run that have the table: gates and the keeper, how they come between one another's steps, and what each has done to the model. */
import { RateGate } from '#actors/rates/gate.ts';
import type { CompiledProfile } from '#actors/rates/profile.ts';
import { RateKeeper } from '#actors/rates/keeper.ts';
import { monotonicClock } from '#actors/rates/monotonic-clock.ts';
import { blockOf, OVERFLOWED, OVERFLOW_TAT } from '#actors/rates/table.ts';
import { watchAtomics, type Watcher } from '#test/simulation/instead/atomics.ts';
import type { Machine } from '#test/simulation/machine/machine.ts';
import type { Room } from '#test/simulation/machine/room.ts';
import type { Random } from '#test/kit/random.ts';
import type { PlainRates } from './model.ts';

/** Somebody who wants a token. */
export interface Wish {
  readonly gate: number;
  readonly profile: number;
  readonly tenant: number;
  readonly ip: string;
}

/** The thread ends in the middle of a step. */
class Ended extends Error {}

/** What a thread does right now. */
interface Frame {
  readonly room: Room;
  readonly wish: Wish | null;
  isShared: boolean;
  hasTaken: boolean;
}

const DEPTH_MAX = 3;
/** A thread that waits for a lock takes a thousand steps. */
const MEETINGS_MAX = 4;
/** Of the steps of a gate, and of the keeper, which looks at many cells and changes few. */
const BETWEEN = { gate: 0.03, keeper: 0.005, keeperChange: 0.3 };
const SWEEP_SHARE = 0.1;
const END_SHARE = 0.003;
/** A keeper ends in the middle of a pass so often. */
const KEEPER_END_SHARE = 0.0003;

export interface ThreadPorts {
  readonly machine: Machine;
  readonly random: Random;
  readonly profiles: readonly CompiledProfile[];
  readonly models: readonly (PlainRates | null)[];
  readonly gates: number;
  /** Whether threads come between one another's steps. */
  interleaves: boolean;
  /** Threads that may still end. */
  endsLeft: number;
  anyWish(): Wish;
  keeperEnded(): void;
}

export class TableThreads implements Watcher {
  readonly buffer: SharedArrayBuffer;
  readonly #ports: ThreadPorts;
  readonly #gates: { room: Room; gate: RateGate }[];
  /** Another pass of the keeper, which comes between the steps of a gate. */
  #pass: RateKeeper;
  readonly #frames: Frame[] = [];
  keeperRoom: Room | null = null;
  /** In the event that runs. */
  #met = 0;
  #event = 0;
  /** How often a thread came between the steps of another one, and how often one ended between its own. */
  meetings = 0;
  ends = 0;

  constructor(buffer: SharedArrayBuffer, ports: ThreadPorts) {
    this.buffer = buffer;
    this.#ports = ports;
    this.#gates = Array.from({ length: ports.gates }, () => this.#newGate());
    this.#pass = new RateKeeper(buffer, ports.profiles, monotonicClock);
    watchAtomics(this);
  }

  roomOf(gate: number): Room {
    return this.#gates[gate]!.room;
  }

  #newGate(): { room: Room; gate: RateGate } {
    return {
      room: this.#ports.machine.start('gate'),
      gate: new RateGate(this.buffer, this.#ports.profiles, monotonicClock),
    };
  }

  /** Takes a token as a gate does, and holds the answer against the model; the milliseconds to wait, or null where the thread has ended. `isBeside`: between the steps of another gate, or of the keeper. */
  take(wish: Wish, isBeside = false): number | null {
    const { room, gate } = this.#gates[wish.gate]!;
    const frame: Frame = { room, wish, isShared: false, hasTaken: false };
    const model = this.#ports.models[wish.profile]!;
    const caller = callerOf(wish);
    this.#frames.push(frame);
    try {
      const waitMs = gate.take(wish.profile, wish.tenant, wish.ip);
      const nowMs = this.#nowMs;
      if (frame.isShared) model.sentAway(caller, isBeside, nowMs);
      if (frame.hasTaken !== (waitMs === 0)) throw new Error(`${caller} was charged otherwise than it was answered`);
      if (waitMs > 0) model.refused(caller, frame.isShared, waitMs, nowMs);
      return waitMs;
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
      this.#gates[wish.gate] = this.#newGate();
      return null;
    } finally {
      this.#frames.pop();
    }
  }

  /** Holds what a gate says of a caller's tokens against the model. */
  look(wish: Wish): void {
    if (this.#frames.length > 0) return;
    const [least, most] = this.#ports.models[wish.profile]!.remaining(callerOf(wish), this.#nowMs);
    const endsLeft = this.#ports.endsLeft;
    this.#ports.endsLeft = 0;
    watchAtomics(null);
    const found = this.#gates[wish.gate]!.gate.remaining(wish.profile, wish.tenant, wish.ip);
    watchAtomics(this);
    this.#ports.endsLeft = endsLeft;
    if (found < least || found > most)
      throw new Error(`${callerOf(wish)} has ${found} tokens, and should have ${least} to ${most}`);
  }

  before(isChange: boolean): void {
    const { interleaves, machine, random } = this.#ports;
    if (this.#event !== machine.world.events) [this.#event, this.#met] = [machine.world.events, 0];
    const frame = this.#frames.at(-1);
    const room = frame?.room ?? this.keeperRoom;
    if (room?.alive === false) throw new Ended();
    if (!interleaves || this.#frames.length >= DEPTH_MAX || this.#met >= MEETINGS_MAX) return;
    const isGate = frame !== undefined && frame.wish !== null;
    const dice = random.next();
    if (dice < (isGate ? END_SHARE : KEEPER_END_SHARE)) this.#end(room, isGate);
    if (dice < 1 - (isGate ? BETWEEN.gate : isChange ? BETWEEN.keeperChange : BETWEEN.keeper)) return;
    this.meetings++;
    this.#met++;
    if (isGate && random.chance(SWEEP_SHARE)) this.#sweepBetween();
    else this.take(this.#otherWish(frame), true);
  }

  added(index: number): void {
    const frame = this.#frames.at(-1);
    if (frame?.wish !== undefined && frame.wish !== null && index === blockOf(frame.wish.profile) + OVERFLOWED)
      frame.isShared = true;
  }

  exchanged(index: number, next: number | bigint): void {
    const frame = this.#frames.at(-1);
    const wish = frame?.wish ?? null;
    if (frame === undefined || wish === null) return;
    const isCell = typeof next === 'bigint';
    if (!isCell && index !== blockOf(wish.profile) + OVERFLOW_TAT) return;
    frame.hasTaken = true;
    this.#ports.models[wish.profile]!.took(callerOf(wish), !isCell, this.#nowMs);
  }

  get #nowMs(): number {
    return this.#ports.machine.world.nowMs;
  }

  /** A gate whose thread stands still in the middle of a step takes nothing. */
  #otherWish(frame: Frame | undefined): Wish {
    const { gates, random } = this.#ports;
    const wish = this.#ports.anyWish();
    const busy = new Set(this.#frames.flatMap((one) => one.wish?.gate ?? []));
    const free = Array.from({ length: gates }, (_, no) => no).filter((no) => !busy.has(no));
    const gate = free.length === 0 ? this.#moreGates() : random.pick(free);
    // Often the same caller, or one of the same profile.
    if (frame?.wish != null && random.chance(0.6)) return { ...frame.wish, gate };
    return { ...wish, gate };
  }

  /** Every gate is busy: there is one more. */
  #moreGates(): number {
    return this.#gates.push(this.#newGate()) - 1;
  }

  #sweepBetween(): void {
    const room = this.keeperRoom;
    if (room?.alive !== true) return;
    const frame: Frame = { room, wish: null, isShared: false, hasTaken: false };
    this.#frames.push(frame);
    try {
      this.#pass.sweep();
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
      this.#pass = new RateKeeper(this.buffer, this.#ports.profiles, monotonicClock);
    } finally {
      this.#frames.pop();
    }
  }

  #end(room: Room | null, isGate: boolean): void {
    const ports = this.#ports;
    if (ports.endsLeft === 0 || room === null) return;
    ports.endsLeft--;
    this.ends++;
    ports.machine.endThread(room);
    for (const model of ports.models) model?.threadEnded(this.#nowMs, isGate);
    if (!isGate) ports.keeperEnded();
    throw new Ended();
  }
}

const callerOf = ({ tenant, ip }: Wish): string => `${tenant} ${ip}`;
