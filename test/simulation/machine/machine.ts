/** The machine that the modules of `instead/` work on: one at a time in a process. */
import type { Random } from '#test/kit/random.ts';
import type { Style } from '#test/crash/images/pick.ts';
import { SimulatedDisk } from './disk.ts';
import { Receiver } from './receiver.ts';
import { Room } from './room.ts';
import type { World } from './world.ts';

/** How a machine falls. `power`: the disk has what is durable and a part of the rest. `kill`: the process ends, the kernel keeps what was written. */
export type Fall = { readonly kind: 'power'; readonly style: Style } | { readonly kind: 'kill' };

export function fallOf(random: Random): Fall {
  if (random.chance(0.3)) return { kind: 'kill' };
  return { kind: 'power', style: random.pick(['least', 'most', 'mixed', 'mixed'] as const) };
}

export interface Plan {
  /** After so many changes of the disk the machine falls; Infinity for never. */
  afterChanges: number;
  readonly fall: Fall;
}

export class Machine {
  readonly world: World;
  readonly receiver: Receiver;
  disk: SimulatedDisk;
  /** Rooms of the process. What lives outside of it is none of them. */
  readonly rooms = new Set<Room>();
  /** Calls to the disk that change it, since the machine was switched on. */
  changes = 0;
  /** Syncs until one fails with EIO. */
  syncsUntilFault = Infinity;
  /** Whether a sync has failed in the process that runs. */
  hasFault = false;
  /** How many have failed. */
  faults = 0;
  /** How often it fell. */
  falls = 0;
  /** By how much its wall clock has been set forward. */
  clockAheadMs = 0;
  /** What its monotonic clock showed when it was switched on. */
  upMs = 0;
  #plan: Plan | null = null;
  readonly #random: Random;

  constructor(world: World, random: Random, ignores: (path: string) => boolean = () => false) {
    this.world = world;
    this.#random = random;
    this.receiver = new Receiver(world, random);
    this.disk = SimulatedDisk.empty(ignores);
    world.admits = () => this.changing(null);
  }

  plan(plan: Plan | null): void {
    this.#plan = plan;
  }

  /** From here on nothing falls, and no sync fails. */
  rest(): void {
    this.#plan = null;
    this.syncsUntilFault = Infinity;
  }

  start(name: string): Room {
    const room = new Room(name);
    // What a dead room starts is dead.
    if (this.world.room?.alive === false) room.alive = false;
    else this.rooms.add(room);
    return room;
  }

  /** Whether the room that runs may change the disk now: nothing that a dead one does reaches it. `line`: for the trace. */
  changing(line: string | null): boolean {
    const { world } = this;
    if (world.room?.alive === false) return false;
    if (line !== null) world.note(line);
    this.changes++;
    const plan = this.#plan;
    if (plan === null || --plan.afterChanges > 0) return true;
    this.#plan = null;
    this.fall(plan.fall);
    return false;
  }

  /** The process ends here and now. */
  fall(how: Fall): void {
    const { world } = this;
    this.falls++;
    this.#plan = null;
    this.syncsUntilFault = Infinity;
    this.hasFault = false;
    world.note(how.kind === 'kill' ? 'KILL' : `POWER CUT, ${how.style}`);
    world.end(this.rooms);
    this.rooms.clear();
    if (how.kind === 'power') this.disk = this.disk.afterPowerCut(how.style, this.#random);
  }

  /** The process ends itself (exit code 70), as only a fault of its disk may make it do. */
  giveUp(error: Error): void {
    const { world } = this;
    if (world.room?.alive === false) return;
    if (!this.hasFault) world.fail(new Error('the node gave up', { cause: error }));
    this.fall({ kind: 'power', style: 'mixed' });
  }

  /** One thread ends, and the others live on. */
  endThread(room: Room): void {
    this.world.note(`END OF ${room.name}`);
    this.world.end([room]);
    this.rooms.delete(room);
  }

  /** Whether this sync fails. */
  syncFails(): boolean {
    const fails = --this.syncsUntilFault === 0;
    if (fails) {
      this.hasFault = true;
      this.faults++;
    }
    return fails;
  }

  /** Whether a commit of an environment succeeds, and whether it is there afterwards: one that fails may be there, too. */
  commits(): { readonly isGood: boolean; readonly isDone: boolean } {
    const isGood = !this.syncFails();
    return { isGood, isDone: isGood || this.#random.chance(0.5) };
  }
}

let present: Machine | null = null;

export function setMachine(machine: Machine | null): void {
  present = machine;
}

/** Null outside of a run: then modules of `instead/` do what those do in whose place they are. */
export const machineNow = (): Machine | null => present;

/** Throws outside of a run. */
export function machine(): Machine {
  if (present === null) throw new Error('there is no simulated machine');
  return present;
}
