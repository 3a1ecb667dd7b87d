/**
 * A machine of its own in one thread: one seed decides what happens next. Its clock, its timers, answers of its disk and messages between its rooms are
 * events; nothing of it waits for real time. Two runs of one seed have the same trace.
 *
 *   pick the earliest event ─▶ run it in its room ─▶ let every promise go on ─▶ look whether the machine fell meanwhile ─▶ …
 */
import { Random } from '#test/kit/random.ts';
import { EventQueue, type Event } from './event-queue.ts';
import { realImmediate } from './real.ts';
import { Room } from './room.ts';

const END_MS = 600_000;
const KEPT_LINES = 400;
const IMMEDIATE_MS = 0.001;
const FNV = 0x01000193;

/** Resolves when every promise that can go on has gone on. */
const drained = (): Promise<void> => new Promise((resolve) => void realImmediate(resolve));

export class World {
  readonly random: Random;
  /** Milliseconds since the machine was switched on. */
  nowMs = 0;
  /** The room whose event runs; null between events. */
  room: Room | null = null;
  /** No answer within this time, in simulated milliseconds, is a fault of its own. */
  endMs = END_MS;
  /** How many events have run. */
  events = 0;
  /** The newest lines of the trace. */
  readonly lines: string[] = [];
  readonly #told: ((line: string) => void) | null;
  readonly #queue = new EventQueue();
  #failure: Error | null = null;
  #hash = 0x811c9dc5;
  #numbers = 0;

  /** `told` gets each line of the trace. */
  constructor(seed: number, told: ((line: string) => void) | null = null) {
    this.random = new Random(seed);
    this.#told = told;
  }

  /** A number of everything that has happened. */
  get traceHash(): string {
    return (this.#hash >>> 0).toString(16).padStart(8, '0');
  }

  note(line: string): void {
    let hash = this.#hash;
    for (let i = 0; i < line.length; i++) hash = Math.imul(hash ^ line.charCodeAt(i), FNV);
    this.#hash = hash;
    // Timers and measurements that repeat would fill the end of a trace in which nothing more happens.
    if (line === 'timer' || line.startsWith('statfs')) return;
    const text = `${this.nowMs.toFixed(3).padStart(12)} ${this.room?.name ?? ''} ${line}`;
    if (this.lines.push(text) > KEPT_LINES) this.lines.shift();
    this.#told?.(text);
  }

  /** The first failure counts; what a dead room does is nothing that anybody sees. */
  fail(error: Error): void {
    if (this.room?.alive !== false) this.#failure ??= error;
  }

  /** Runs what follows from something that a room has waited for, unless the room is dead by now; a failure is that of the run. */
  guard(run: () => void): void {
    if (this.room?.alive === false) return;
    try {
      run();
    } catch (error) {
      this.fail(error as Error);
    }
  }

  get failure(): Error | null {
    return this.#failure;
  }

  /** Something happens in a room after so many milliseconds. Gives the function that calls it off. */
  after(ms: number, room: Room, line: string, run: () => void): () => void {
    return this.#add({ atMs: this.nowMs + ms, no: ++this.#numbers, room, line, act: null, run });
  }

  /** Whether the operating system still does what it was asked for: the machine may fall just then. */
  admits: () => boolean = () => true;

  /** The operating system does `act` after a while, and tells the room that asked for it, if it lives: what is asked for may also be done when that dies. */
  answer<T>(line: string, act: () => T, then: (error: Error | null, value?: T) => void): void {
    const room = this.here();
    const run = (): void => {
      if (!this.admits()) return;
      const outcome = attempt(act);
      if ('error' in outcome) then(outcome.error);
      else then(null, outcome.value);
    };
    this.#add({ atMs: this.nowMs + this.latencyMs(), no: ++this.#numbers, room, line, act, run });
  }

  /** As setImmediate: in order, after what is due. */
  immediate(run: () => void): () => void {
    const room = this.here();
    room.immediateMs = Math.max(this.nowMs, room.immediateMs) + IMMEDIATE_MS;
    return this.after(room.immediateMs - this.nowMs, room, 'immediate', run);
  }

  #add(event: Event): () => void {
    if (event.room.alive) this.#queue.push(event);
    return () => void (event.room = GONE);
  }

  /** The room whose event runs. Throws where code runs that no event began: it waited for something real. */
  here(): Room {
    if (this.room === null) throw new Error('something outside of the simulation has called a room');
    return this.room;
  }

  /** How long a disk or a message takes: mostly little, now and then long, so that all orders come up. */
  latencyMs(): number {
    const { random } = this;
    const dice = random.next();
    return random.next() * (dice < 0.7 ? 0.3 : dice < 0.95 ? 5 : 200);
  }

  /** Rooms end where they are. What they have asked the operating system for is done or not, as the seed says. */
  end(rooms: Iterable<Room>): void {
    const ended = new Set(rooms);
    for (const room of ended) room.alive = false;
    for (const { act, room } of this.#queue.inOrder())
      if (ended.has(room) && act !== null && this.random.chance(0.5)) attempt(act);
    this.#queue.dropDead();
  }

  /** Runs until `done`. Throws the first failure. */
  async run(done: () => boolean): Promise<void> {
    while (!done() && this.#failure === null) {
      const event = this.#queue.pop();
      if (event === undefined) throw new Error('nothing is left that could happen, and not all is done');
      if (!event.room.alive) continue;
      if (event.room.stillUntilMs > event.atMs) {
        event.atMs = event.room.stillUntilMs;
        this.#queue.push(event);
        continue;
      }
      this.nowMs = Math.max(this.nowMs, event.atMs);
      if (this.nowMs > this.endMs) throw new Error(`not done after ${this.endMs} simulated milliseconds`);
      this.events++;
      this.room = event.room;
      this.note(event.line);
      try {
        event.run();
      } catch (error) {
        this.fail(error as Error);
      }
      await drained();
      this.room = null;
    }
    if (this.#failure !== null) throw this.#failure;
  }
}

/** The room of events that were called off. */
const GONE = new Room('gone');
GONE.alive = false;

function attempt<T>(act: () => T): { readonly value: T } | { readonly error: Error } {
  try {
    return { value: act() };
  } catch (error) {
    return { error: error as Error };
  }
}
