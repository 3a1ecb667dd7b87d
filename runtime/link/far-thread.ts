/** A host that another node carries, as the node that serves sees it: a thread like its own, whose channel goes over a link. */
import { limits } from '#config/limits.ts';
import { createPulse } from '#actors/host/pulse.ts';
import { Channel } from '#actors/protocol/channel.ts';
import type { Flat } from '#actors/protocol/frame.ts';
import type { ChildRow } from '#runtime/supervisor/children.ts';
import type { CarriedThread } from '#runtime/supervisor/thread.ts';
import { checkReplies } from './check-replies.ts';
import { LinkFault, kindOf, textAt, wholeAt } from './frames.ts';
import type { LinkEnd } from './link-end.ts';
import {
  FAR_IDS_FROM,
  PLACE_BATCH,
  PLACE_BEGIN,
  PLACE_BEGUN,
  PLACE_GONE,
  PLACE_KILL,
  PLACE_LOAD,
  PLACE_READY,
  PLACE_RECALL,
  PLACE_START,
  PLACE_WORD,
  PULSE_CELLS,
  WordReader,
  batchIn,
  wordFrames,
} from './place-frames.ts';

const { loadMs } = limits.cluster.link;

export interface FarThreadPorts {
  readonly place: number;
  readonly row: ChildRow;
  readonly carrier: CarriedThread['carrier'];
  readonly end: Pick<LinkEnd, 'send' | 'sendBatch'>;
  /** Resolves when the carrier runs nothing for this node any more. */
  readonly released: () => Promise<void>;
  /** Monotonic, milliseconds. */
  readonly now: () => number;
}

/** Of threads that this process has had started elsewhere. */
let starts = 0;

export class FarThread implements CarriedThread {
  readonly start = ++starts;
  readonly row: ChildRow;
  readonly carrier: CarriedThread['carrier'];
  readonly channel: Channel;
  readonly gone: Promise<string>;
  readonly pulse = createPulse();
  /** Resolves with whether it has loaded its code. */
  readonly ready: Promise<boolean>;
  readonly #ports: FarThreadPorts;
  readonly #words = new WordReader();
  #hear: (message: unknown) => void = () => undefined;
  #isReady: (isReady: boolean) => void = () => undefined;
  #hasBegun: (hasBegun: boolean) => void = () => undefined;
  #isGone: (why: string) => void = () => undefined;
  /** Null while it is there; whether the other node has said that it is gone. */
  #over: { readonly isSaid: boolean } | null = null;
  /** As it was last told, when that was, and whether the thread went on since the time before. */
  #toldIdleMs = 0;
  #idleMs = 0;
  #toldAt: number;
  #goesOn = true;

  /** `checkouts`: of tenants, whose products it reads ahead. */
  constructor(ports: FarThreadPorts, checkouts: readonly string[]) {
    const { carrier, end, now, place, row } = ports;
    this.#ports = ports;
    this.row = row;
    this.carrier = carrier;
    this.#toldAt = now();
    const port = {
      postMessage: (message: unknown) => this.#post(message),
      on: (_event: 'message', listener: (message: unknown) => void) => (this.#hear = listener),
    };
    this.channel = new Channel(port, 'main', row.name, FAR_IDS_FROM);
    this.gone = new Promise((resolve) => (this.#isGone = resolve));
    this.ready = new Promise((resolve) => (this.#isReady = resolve));
    end.send([PLACE_START, place, this.start, ...checkouts]);
  }

  /** It grows while the thread goes on, by what the other node said last: between two of its words nothing is known. */
  get idleMs(): number {
    const sinceMs = this.#ports.now() - this.#toldAt;
    return this.#idleMs + (this.#goesOn ? Math.min(sinceMs, 2 * loadMs) : 0);
  }

  begin(shards: readonly number[]): Promise<boolean> {
    if (this.#over !== null) return Promise.resolve(false);
    const { end, place } = this.#ports;
    const begun = new Promise<boolean>((resolve) => (this.#hasBegun = resolve));
    end.send([PLACE_BEGIN, place, ...shards]);
    return begun;
  }

  recall(): void {
    if (this.#over === null) this.#ports.end.send([PLACE_RECALL, this.#ports.place]);
  }

  async kill(): Promise<void> {
    if (this.#over === null) this.#ports.end.send([PLACE_KILL, this.#ports.place]);
    await this.gone;
  }

  async released(): Promise<void> {
    await this.gone;
    if (this.#over?.isSaid !== true) await this.#ports.released();
  }

  /** Takes a frame about this place. Throws LinkFault for what a carrier does not send. */
  take(frame: Flat): void {
    if (frame[0] === PLACE_BATCH) this.#hear(replies(frame));
    else if (frame[0] === PLACE_WORD) this.#words.push(frame, (message) => this.#hear(message));
    else if (frame[0] === PLACE_LOAD) this.#load(frame);
    else if (frame[0] === PLACE_READY) this.#isReady(true);
    else if (frame[0] === PLACE_BEGUN) this.#hasBegun(true);
    else if (frame[0] === PLACE_GONE) this.#end(textAt(frame, 2), true);
    else throw new LinkFault(`a frame of kind ${kindOf(frame)} does not come from a node that carries hosts`);
  }

  /** The link is lost. */
  lost(why: string): void {
    this.#end(why, false);
  }

  #post(message: unknown): void {
    const { end, place } = this.#ports;
    if (this.#over !== null) return;
    if (Array.isArray(message)) end.sendBatch(message as Flat, [PLACE_BATCH, place]);
    else for (const frame of wordFrames(place, message)) end.send(frame);
  }

  #load(frame: Flat): void {
    const told = frame[2];
    if (typeof told !== 'number') throw new LinkFault('no time in the load of a host');
    let hasBeaten = false;
    for (let cell = 0; cell < PULSE_CELLS; cell++) {
      const value = wholeAt(frame, 3 + cell, Number.MIN_SAFE_INTEGER) | 0;
      if (this.pulse[cell] !== value) hasBeaten = true;
      this.pulse[cell] = value;
    }
    this.#idleMs = this.idleMs;
    this.#toldAt = this.#ports.now();
    this.#goesOn = hasBeaten || told > this.#toldIdleMs;
    this.#toldIdleMs = told;
  }

  #end(why: string, isSaid: boolean): void {
    if (this.#over !== null) return;
    this.#over = { isSaid };
    this.channel.close(`${this.row.name}: ${why}`);
    this.#isReady(false);
    this.#hasBegun(false);
    this.#isGone(why);
  }
}

function replies(frame: Flat): Flat {
  const batch = batchIn(frame);
  checkReplies(batch);
  return batch;
}
