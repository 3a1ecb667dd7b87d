/**
 * The link of this node's doors to another one, that serves or carries hosts: made when that one is known, made again when it is lost, and to another node when that one takes its part. Who serves is looked up
 * in one place, by the beats of this node; this file is told.
 */
import { limits } from '#config/limits.ts';
import type { CompiledRoute } from '#actors/host/call.ts';
import type { Log } from '#actors/host/activation.ts';
import { Seldom } from '#actors/kit/seldom.ts';
import type { Flat } from '#actors/protocol/frame.ts';
import { Desk } from '#runtime/door/desk.ts';
import { checkReplies } from './check-replies.ts';
import { dial, retryAfter, type Mate } from './dial.ts';
import { MOVED, textAt } from './frames.ts';
import { routeNames, type Hello, type Self } from './hello.ts';
import type { LinkEnd } from './link-end.ts';
import type { LinkConfig } from './link-tls.ts';

const { requestsMax, unsentBytesMax } = limits.cluster.link;

/** The node that serves, as this one's beats see it. */
export type Owner = Mate;

export interface OwnerLinkPorts {
  readonly self: Self;
  readonly config: LinkConfig;
  readonly routes: readonly CompiledRoute[];
  /** Takes batches of replies and of streams. */
  readonly replies: (batch: Flat) => void;
  /** The link is lost: what waits at the desk gets no answer. */
  readonly lost: (desk: Desk) => void;
  /** Whether a frame was none of a thread, and is done with. May throw LinkFault. */
  heard?(frame: Flat): boolean;
  /** The other node gives its part up, or is gone: what it said counts no more. */
  over?(): void;
  /** What the log says of a link that is there, and of one that is not. */
  readonly words?: LinkWords;
  readonly log: Log;
}

export interface LinkWords {
  readonly up: string;
  readonly down: string;
}

const WORDS: LinkWords = {
  up: 'the doors of this node send to the one that serves',
  down: 'no link to the node that serves: requests at the doors of this one get 503',
};

export class OwnerLink {
  /** Where requests for the node that serves go; its outbox is null while there is no link. */
  readonly desk = new Desk('link');
  readonly #ports: OwnerLinkPorts;
  readonly #names: readonly string[];
  readonly #seldom = new Seldom();
  #owner: Owner | null = null;
  #end: LinkEnd | null = null;
  /** The node on the other end has said that it gives its place up. */
  #isMoved = false;
  #failures = 0;
  #timer: NodeJS.Timeout | null = null;
  #losses = 0;
  #why: string | null = null;

  constructor(ports: OwnerLinkPorts) {
    this.#ports = ports;
    this.#names = routeNames(ports.routes);
  }

  /** Whether requests can be sent. */
  get isUp(): boolean {
    return this.desk.outbox !== null && !this.#isMoved;
  }

  /** Links that were made and then lost, since the start. A node that gives its place up in order ends its link, too. */
  get losses(): number {
    return this.#losses;
  }

  /** Why there is no link, as of the last try; null while there is one, or none was tried. */
  get fault(): string | null {
    return this.isUp ? null : this.#why;
  }

  /** Whether one more request would wait for too many others, or for bytes that the other node does not take. */
  get isFull(): boolean {
    return this.desk.inFlight >= requestsMax || (this.#end?.unsentBytes ?? 0) > unsentBytesMax;
  }

  /** Names the node that serves; null where none does, or where this node itself does. To be called with each look. */
  follow(owner: Owner | null): void {
    if (owner?.id === this.#owner?.id && owner?.link === this.#owner?.link) return;
    this.#owner = owner;
    this.#failures = 0;
    this.#why = null;
    this.#drop(owner === null ? 'no other node serves' : `node ${owner.node} serves`);
    this.#dialIn(0);
  }

  stop(): void {
    this.follow(null);
  }

  #dialIn(ms: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#owner === null) return;
    this.#timer = setTimeout(() => this.#dial(), ms).unref();
  }

  #dial(): void {
    const { config, self } = this.#ports;
    let end: LinkEnd;
    try {
      end = dial(this.#owner!, {
        self,
        config,
        routes: this.#names,
        purpose: 'doors',
        greeted: (hello, greeted) => this.#greeted(hello, greeted),
        take: (frame, from) => this.#take(frame, from),
        gone: (why, wasGreeted) => {
          if (this.#end === end) this.#gone(why, wasGreeted);
        },
      });
    } catch (error) {
      this.#failed((error as Error).message);
      return;
    }
    this.#end = end;
  }

  #greeted(hello: Hello, end: LinkEnd): void {
    this.#failures = 0;
    this.#why = null;
    const channel = {
      onBatch: (_batch: Flat): void => undefined,
      sendBatch: (batch: Flat) => end.sendBatch(batch),
      sendPiece: end.sendPiece.bind(end),
    };
    this.desk.connect(channel, (batch) => this.#ports.replies(batch), Date.now());
    this.#onBatch = (batch) => channel.onBatch(batch);
    const { log, words = WORDS } = this.#ports;
    log.info({ node: hello.node, release: hello.release, protocol: hello.protocol }, words.up);
  }

  #onBatch: (batch: Flat) => void = () => undefined;

  #take(frame: Flat, end: LinkEnd): void {
    if (frame[0] === MOVED) {
      // What it took is still answered, and bodies under way go on; no further request is sent to it.
      this.#isMoved = true;
      this.#why = textAt(frame, 1);
      this.#ports.over?.();
      if (this.desk.inFlight === 0) end.end(textAt(frame, 1));
      return;
    }
    if (this.#ports.heard?.(frame) === true) return;
    checkReplies(frame);
    this.#onBatch(frame);
  }

  /** Sends a frame beside requests; false where there is no link. */
  tell(frame: Flat): boolean {
    if (!this.isUp) return false;
    this.#end!.send(frame);
    return true;
  }

  /** The connection that was is of no use any more. */
  #drop(why: string): void {
    const end = this.#end;
    this.#end = null;
    end?.end(why);
    this.#lose();
  }

  #lose(): void {
    this.desk.outbox = null;
    this.#isMoved = false;
    this.#onBatch = () => undefined;
    this.#ports.over?.();
    this.#ports.lost(this.desk);
  }

  #gone(why: string, isGreeted: boolean): void {
    this.#end = null;
    this.#lose();
    if (isGreeted) this.#losses++;
    this.#failed(isGreeted ? `the link is lost: ${why}` : why);
  }

  #failed(why: string): void {
    const { log, words = WORDS } = this.#ports;
    this.#why = why;
    const since = this.#seldom.leftOut(why, performance.now());
    if (since !== null) log.warn({ node: this.#owner?.node, why, since }, words.down);
    this.#dialIn(retryAfter(this.#failures++));
  }
}
