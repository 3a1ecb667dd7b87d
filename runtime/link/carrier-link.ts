/** The link to one node that may carry hosts, at the node that serves: made again when it is lost, until it is stopped. */
import { limits } from '#config/limits.ts';
import type { Log } from '#actors/host/activation.ts';
import { Seldom } from '#actors/kit/seldom.ts';
import type { Flat } from '#actors/protocol/frame.ts';
import type { ChildRow } from '#runtime/supervisor/children.ts';
import { dial, retryAfter, type Mate } from './dial.ts';
import { FarThread } from './far-thread.ts';
import { MOVED, textAt } from './frames.ts';
import type { Hello, Self } from './hello.ts';
import { heardTime, timeFrame, type LinkClock } from './link-clock.ts';
import type { LinkEnd } from './link-end.ts';
import type { LinkConfig } from './link-tls.ts';
import { PLACE_KEYS, placeIn } from './place-frames.ts';

const { loadMs } = limits.cluster.link;

export interface CarrierLinkPorts {
  readonly self: Self;
  readonly config: LinkConfig;
  /** Names of the routes of this node. */
  readonly routes: readonly string[];
  /** Of tenant hosts. */
  readonly row: ChildRow;
  /** Resolves when that life runs nothing for this one any more. */
  readonly released: (id: string) => Promise<void>;
  /** A thread there wants the keys of the trusted issuer to be fetched. */
  readonly wantsKeys: () => void;
  /** Monotonic, milliseconds. */
  readonly now: () => number;
  readonly clock: LinkClock;
  readonly log: Log;
}

export class CarrierLink {
  readonly mate: Mate;
  readonly #ports: CarrierLinkPorts;
  readonly #threads = new Map<number, FarThread>();
  readonly #seldom = new Seldom();
  #end: LinkEnd | null = null;
  #room = 0;
  #failures = 0;
  #timer: NodeJS.Timeout | null = null;
  #times: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(mate: Mate, ports: CarrierLinkPorts) {
    this.mate = mate;
    this.#ports = ports;
    this.#dialIn(0);
  }

  /** How many hosts that node has room for; 0 while there is no link to it. */
  get room(): number {
    return this.#room;
  }

  /** Starts a thread there for a place that has none; null where there is no link. */
  start(place: number, checkouts: readonly string[]): FarThread | null {
    const [end, { now, released, row }] = [this.#end, this.#ports];
    if (this.#room === 0 || end === null || this.#threads.has(place)) return null;
    const { id, link, node } = this.mate;
    const ports = { place, row, carrier: { id, node, link: link! }, end, released: () => released(id), now };
    const thread = new FarThread(ports, checkouts);
    this.#threads.set(place, thread);
    void thread.gone.then(() => this.#threads.delete(place));
    return thread;
  }

  /** Threads there are lost to this node. */
  stop(why: string): void {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#end === null) return;
    this.#end.end(why);
  }

  #dialIn(ms: number): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => this.#dial(), ms).unref();
  }

  #dial(): void {
    const { config, routes, self } = this.#ports;
    try {
      this.#end = dial(this.mate, {
        self,
        config,
        routes,
        purpose: 'hosts',
        greeted: (hello, end) => this.#greeted(hello, end),
        take: (frame) => this.#take(frame),
        gone: (why) => this.#gone(why),
      });
    } catch (error) {
      this.#gone((error as Error).message);
    }
  }

  #greeted({ node, room }: Hello, end: LinkEnd): void {
    const { clock } = this.#ports;
    this.#failures = 0;
    end.send(timeFrame(clock));
    this.#times = setInterval(() => end.send(timeFrame(clock)), loadMs).unref();
    this.#room = room;
    this.#ports.log.info({ node, room }, 'a node that stands by carries hosts of this one');
  }

  #take(frame: Flat): void {
    if (frame[0] === MOVED) this.#end?.end(textAt(frame, 1));
    else if (frame[0] === PLACE_KEYS) this.#ports.wantsKeys();
    else if (!heardTime(frame, this.#ports.clock)) this.#threads.get(placeIn(frame))?.take(frame);
  }

  #gone(why: string): void {
    this.#end = null;
    this.#room = 0;
    clearInterval(this.#times);
    for (const thread of this.#threads.values()) thread.lost(`the link to ${this.mate.node} is lost: ${why}`);
    if (this.#isStopped) return;
    const since = this.#seldom.leftOut(why, performance.now());
    if (since !== null)
      this.#ports.log.warn({ node: this.mate.node, why, since }, 'a node that stands by carries no hosts of this one');
    this.#dialIn(retryAfter(this.#failures++));
  }
}
