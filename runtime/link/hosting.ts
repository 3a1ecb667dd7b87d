/**
 * The hosts that this node, which stands by, carries for the one that serves. They live as long as the link over which they were asked for: when it is lost, or this node may not carry any more, all of them
 * end, and this node follows the log of their shards again.
 */
import { limits } from '#config/limits.ts';
import type { Log } from '#actors/host/activation.ts';
import type { Flat } from '#actors/protocol/frame.ts';
import { Serial } from '#actors/kit/serial.ts';
import type { Carrying } from '#runtime/cluster/carrying.ts';
import { LinkFault, textAt, wholeAt } from './frames.ts';
import { movedFrame, otherThan, type Hello, type Self } from './hello.ts';
import type { Desk } from '#runtime/door/desk.ts';
import { HostedDesk } from './hosted-desk.ts';
import { Hosted, type BridgedThread, type OwnDoor } from './hosted.ts';
import { heardTime, timeFrame, type LinkClock } from './link-clock.ts';
import type { LinkEnd } from './link-end.ts';
import { PLACE_BEGIN, PLACE_KEYS, PLACE_START, placeIn } from './place-frames.ts';

const { loadMs } = limits.cluster.link;

export interface HostingPorts {
  readonly self: Self;
  /** Names of the routes of this node. */
  readonly routes: readonly string[];
  /** How many hosts it has room for: places are shared out by it. */
  readonly room: number;
  /** The life that serves, as the beats of this node see it; null where none does. */
  readonly serving: () => string | null;
  /** Starts a thread. */
  readonly spawn: () => BridgedThread;
  readonly door: OwnDoor;
  /** Why the files of that life's tenants are not where this node looks for them; null where they are. */
  readonly unshared: (life: string) => string | null;
  /** Whether this node still has its place among the others, by a round to the log that begins now. */
  readonly confirm: () => Promise<boolean>;
  /** Calls `then` when a thread of this node wants the keys of the trusted issuer; gives what stops that. */
  readonly hearKeys: (then: () => void) => () => void;
  readonly clock: LinkClock;
  readonly log: Log;
}

type End = Pick<LinkEnd, 'send' | 'sendBatch' | 'endWith'>;

export class Hosting {
  readonly #ports: HostingPorts;
  /** Beginnings and ends are told one after the other. */
  readonly #words = new Serial();
  #carrying: Carrying | null = null;
  #session: Session | null = null;
  #isClosed = false;

  constructor(ports: HostingPorts) {
    this.#ports = ports;
  }

  /** From here on hosts may be carried. */
  open(carrying: Carrying): void {
    this.#carrying = carrying;
    carrying.onOver((why) => void this.#over(why));
  }

  /** No host is carried any more: this node serves next, or stops. Resolves when each is gone and the others know. */
  async close(why: string): Promise<void> {
    this.#isClosed = true;
    await this.#over(why);
    await this.#words.idle();
  }

  /** How many it carries. */
  get count(): number {
    return this.#session?.count ?? 0;
  }

  get room(): number {
    return this.#ports.room;
  }

  /** The desk of a host that takes requests of this node's own door; null where there is none of that start. */
  deskOf(place: number, start: number): Desk | null {
    return this.#session?.deskOf(place, start) ?? null;
  }

  /** Whether a desk is one of these. */
  isHere(desk: Desk): boolean {
    return HostedDesk.isOne(desk);
  }

  /** Why that node's hosts cannot run here; null where they can. */
  refusal(hello: Hello): string | null {
    const { routes, self, serving, unshared } = this.#ports;
    if (this.#carrying === null || this.#isClosed) return 'this node carries no hosts';
    if (hello.to !== self.life) return 'this is another life of the node';
    if (hello.life !== serving()) return 'it does not serve, as this node sees it';
    // What the link before left is ended first.
    if (this.#session !== null) return 'hosts of another link are here';
    return otherThan(self, routes, hello) ?? unshared(hello.life);
  }

  /** A link of the node that serves, which was greeted. */
  enter(end: End, { life }: Hello): Session {
    const session = new Session(end, life, {
      ...this.#ports,
      begin: (shards) => this.#begin(life, shards),
      free: (shards) => this.#words.run(async () => this.#carrying?.end(shards)),
      over: () => {
        if (this.#session === session) this.#session = null;
      },
    });
    this.#session = session;
    return session;
  }

  #begin(life: string, shards: readonly number[]): Promise<boolean> {
    return this.#words.run(async () => (await this.#carrying?.begin(life, shards)) ?? false);
  }

  async #over(why: string): Promise<void> {
    const session = this.#session;
    if (session === null) return;
    this.#ports.log.warn({ why, hosts: session.count }, 'the hosts that this node carries end');
    await session.stop(why);
  }
}

interface SessionPorts extends Pick<HostingPorts, 'clock' | 'confirm' | 'door' | 'hearKeys' | 'log' | 'spawn'> {
  readonly begin: (shards: readonly number[]) => Promise<boolean>;
  /** The hosts of these shards are gone. */
  readonly free: (shards: readonly number[]) => Promise<unknown>;
  /** Nothing of this link is here any more. */
  readonly over: () => void;
}

/** What one link asked for. */
class Session {
  readonly #end: End;
  readonly #ports: SessionPorts;
  readonly #hosts = new Map<number, Hosted>();
  readonly #timer: NodeJS.Timeout;
  readonly #life: string;
  #stopHearing: () => void = () => undefined;
  #stopped: Promise<void> | null = null;

  constructor(end: End, life: string, ports: SessionPorts) {
    this.#end = end;
    this.#life = life;
    this.#ports = ports;
    this.#timer = setInterval(() => {
      this.#end.send(timeFrame(ports.clock));
      for (const hosted of this.#hosts.values()) hosted.tellLoad();
    }, loadMs).unref();
    this.#hearKeys();
  }

  get count(): number {
    return this.#hosts.size;
  }

  deskOf(place: number, start: number): Desk | null {
    return this.#hosts.get(place)?.deskOf(start) ?? null;
  }

  /** Takes a frame of the node that serves. Throws LinkFault for what it does not send. */
  take(frame: Flat): void {
    if (this.#stopped !== null || heardTime(frame, this.#ports.clock)) return;
    const place = placeIn(frame);
    const hosted = this.#hosts.get(place);
    if (frame[0] === PLACE_START) {
      if (hosted !== undefined) throw new LinkFault(`place ${place} has a thread here`);
      this.#start(
        place,
        wholeAt(frame, 2),
        frame.slice(3).map((_, at) => textAt(frame, at + 3)),
      );
    } else if (frame[0] === PLACE_BEGIN) void hosted?.begin(frame.slice(2).map((_, at) => wholeAt(frame, at + 2)));
    // What still comes for a host that is gone is dropped: the other node learns of that.
    else hosted?.take(frame);
  }

  /** The link is lost. */
  lost(): void {
    void this.stop('the link to the node that serves is lost');
  }

  /** Ends the hosts, and then the link. Resolves when the others know that they are gone. */
  stop(why: string): Promise<void> {
    this.#stopped ??= this.#stop(why);
    return this.#stopped;
  }

  async #stop(why: string): Promise<void> {
    clearInterval(this.#timer);
    this.#stopHearing();
    const hosts = [...this.#hosts.values()];
    await Promise.all(hosts.map((hosted) => hosted.end()));
    this.#end.endWith(movedFrame(why), why);
    const shards = hosts.flatMap((hosted) => hosted.shards);
    if (shards.length > 0) await this.#ports.free(shards);
    this.#ports.over();
  }

  #start(place: number, start: number, checkouts: readonly string[]): void {
    const { begin, clock, confirm, door, free, log, spawn } = this.#ports;
    const ports = { place, start, thread: spawn(), end: this.#end, door, begin, confirm, clock };
    const hosted = new Hosted(ports, checkouts);
    this.#hosts.set(place, hosted);
    log.info({ host: place, life: this.#life }, 'this node starts a host for the one that serves');
    void hosted.gone.then(async (why) => {
      if (this.#stopped !== null) return;
      this.#hosts.delete(place);
      log.info({ host: place, why }, 'a host that this node carried is over');
      if (hosted.shards.length > 0) await free(hosted.shards);
    });
  }

  #hearKeys(): void {
    this.#stopHearing = this.#ports.hearKeys(() => {
      this.#end.send([PLACE_KEYS]);
      const again = setTimeout(() => this.#hearKeys(), loadMs).unref();
      this.#stopHearing = () => clearTimeout(again);
    });
  }
}
