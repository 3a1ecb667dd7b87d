/** One host that this node carries for the one that serves: its thread here, whose messages go over the link. */
import { CONTROL, type Flat } from '#actors/protocol/frame.ts';
import { limits } from '#config/limits.ts';
import type { Desk } from '#runtime/door/desk.ts';
import type { Thread } from '#runtime/supervisor/thread.ts';
import { checkRequests } from './check-requests.ts';
import { LinkFault, kindOf } from './frames.ts';
import { HostedDesk } from './hosted-desk.ts';
import { timeFrame, type LinkClock } from './link-clock.ts';
import type { LinkEnd } from './link-end.ts';
import {
  FAR_IDS_FROM,
  PLACE_BATCH,
  PLACE_BEGUN,
  PLACE_GONE,
  PLACE_KILL,
  PLACE_LOAD,
  PLACE_READY,
  PLACE_RECALL,
  PLACE_WORD,
  PULSE_CELLS,
  WordReader,
  batchIn,
  wordFrames,
} from './place-frames.ts';

/** A thread of this node whose messages may go elsewhere than to main. */
export interface BridgedThread extends Thread {
  bridge(first: (message: unknown) => boolean): void;
  post(message: unknown): void;
}

/** This node's own door, as hosts answer it. */
export interface OwnDoor {
  /** Takes batches of replies and of streams. */
  readonly replies: (batch: Flat) => void;
  /** A host is gone: what waits at its desk gets no answer. */
  readonly lost: (desk: Desk) => void;
}

export interface HostedPorts {
  readonly place: number;
  /** Of the node that serves: which start of a thread for this place it is. */
  readonly start: number;
  readonly door: OwnDoor;
  readonly thread: BridgedThread;
  readonly end: Pick<LinkEnd, 'send' | 'sendBatch'>;
  /** Whether this node may open these shards. */
  readonly begin: (shards: readonly number[]) => Promise<boolean>;
  /** Whether this node still has its place among the others, by a round to the log that begins now. */
  readonly confirm: () => Promise<boolean>;
  readonly clock: LinkClock;
}

export class Hosted {
  readonly place: number;
  /** Resolves when the thread is gone. */
  readonly gone: Promise<string>;
  /** Those that it was given, whether or not it has opened them. */
  shards: readonly number[] = [];
  readonly #ports: HostedPorts;
  readonly #words = new WordReader();
  #desk: HostedDesk | null = null;
  #hasBegun = false;
  #isEnding = false;

  /** `checkouts`: of tenants whose products it reads ahead. */
  constructor(ports: HostedPorts, checkouts: readonly string[]) {
    const { clock, end, place, thread } = ports;
    this.place = place;
    this.#ports = ports;
    this.gone = thread.gone;
    thread.channel.answer('cluster.confirm', () => ports.confirm());
    void this.#warm(checkouts);
    void thread.gone.then((why) => {
      if (this.#desk !== null) {
        this.#desk.gone();
        ports.door.lost(this.#desk.desk);
      }
      end.send(timeFrame(clock)); // a thread of the other node opens its shards next
      end.send([PLACE_GONE, place, why.split('\n')[0]!]);
    });
  }

  /** Where this node's own door hands requests in, as long as they are taken; null otherwise, and for another start of the place. */
  deskOf(start: number): Desk | null {
    return start === this.#ports.start && this.#desk?.isOpen === true ? this.#desk.desk : null;
  }

  /** Says how the thread is. */
  tellLoad(): void {
    const { end, place, thread } = this.#ports;
    end.send([PLACE_LOAD, place, thread.idleMs, ...thread.pulse.subarray(0, PULSE_CELLS)]);
  }

  /** These shards are its own from now on, if this node may carry them. */
  async begin(shards: readonly number[]): Promise<void> {
    if (this.shards.length > 0) throw new LinkFault(`place ${this.place} was begun before`);
    this.shards = shards;
    const { begin, end, place, thread } = this.#ports;
    const mayOpen = await begin(shards).catch(() => false);
    if (!mayOpen || this.#isEnding) return void thread.kill();
    this.#hasBegun = true;
    const { door } = this.#ports;
    this.#desk = new HostedDesk({ place, post: (message) => thread.post(message), replies: door.replies });
    thread.bridge((message) => this.#send(message));
    end.send([PLACE_BEGUN, place]);
  }

  /** Takes a frame about this place. Throws LinkFault for what the node that serves does not send. */
  take(frame: Flat): void {
    const { thread } = this.#ports;
    if (frame[0] === PLACE_KILL) return void thread.kill();
    if (!this.#hasBegun) throw new LinkFault(`a frame of kind ${kindOf(frame)} before place ${this.place} was begun`);
    if (frame[0] === PLACE_RECALL) this.#desk?.desk.close();
    else if (frame[0] === PLACE_BATCH) thread.post(checkRequests(batchIn(frame)));
    else if (frame[0] === PLACE_WORD) this.#words.push(frame, (message) => thread.post(message));
    else throw new LinkFault(`a frame of kind ${kindOf(frame)} does not come from a node that serves`);
  }

  /** The node that serves is gone, or this one may not carry any more: ends in order within a bound of time, else at once. What was answered is durable. */
  async end(): Promise<void> {
    const { thread } = this.#ports;
    if (this.#isEnding) return void (await this.gone);
    this.#isEnding = true;
    this.#desk?.desk.close();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => (timer = setTimeout(resolve, limits.cluster.carriedEndMs)));
    const drained = thread.channel.ask('thread.drain', null).catch(() => undefined);
    await Promise.race([drained, late, this.gone]);
    clearTimeout(timer);
    await thread.kill();
    await this.gone;
  }

  async #warm(checkouts: readonly string[]): Promise<void> {
    const { end, place, thread } = this.#ports;
    try {
      await thread.channel.ask('thread.await', checkouts);
      await thread.channel.ask('thread.soon', null);
      end.send([PLACE_READY, place]);
    } catch {
      await thread.kill();
    }
  }

  /** Whether a message of the thread was for the node that serves; what it asks of the log is answered here. */
  #send(message: unknown): boolean {
    const { end, place, thread } = this.#ports;
    if (Array.isArray(message)) {
      const batch = this.#desk!.take(message as Flat);
      if (batch !== null) end.sendBatch(batch, [PLACE_BATCH, place]);
      return true;
    }
    if (isForHere(message)) return false;
    try {
      for (const frame of wordFrames(place, message)) end.send(frame);
    } catch {
      // Of a word that is too long its asker would wait for ever.
      void thread.kill();
    }
    return true;
  }
}

/** What the thread asks of the log, and its answers to what this node asked of it. */
function isForHere(message: unknown): boolean {
  const { id, kind, part, topic } = message as { readonly [K in 'id' | 'kind' | 'part' | 'topic']: unknown };
  if (kind !== CONTROL) return true;
  return part === 'ask' || part === 'tell' ? topic === 'cluster.confirm' : Number(id) < FAR_IDS_FROM;
}
