/**
 * The link of this node's doors to the node that serves: made when that one is known, made again when it is lost, and to another node when that one serves. Who serves is looked up in one place, by the beats
 * of this node; this file is told.
 */
import { connect } from 'node:tls';
import type { TLSSocket } from 'node:tls';
import { parseBind } from '#config/bind.ts';
import { limits } from '#config/limits.ts';
import type { CompiledRoute } from '#actors/host/call.ts';
import type { Log } from '#actors/host/activation.ts';
import { Seldom } from '#actors/kit/seldom.ts';
import { REPLIES, REPLY_STRIDE, STREAM, STREAM_STRIDE } from '#actors/protocol/frame.ts';
import type { Flat } from '#actors/protocol/frame.ts';
import { Desk } from '#runtime/door/desk.ts';
import { LinkFault, MOVED, checkStride, textAt, wholeAt, kindOf } from './frames.ts';
import { agreedIn, helloFrame, readHello, routeNames } from './hello.ts';
import type { Self } from './hello.ts';
import { LinkEnd } from './link-end.ts';
import { checkedAs, tlsOf } from './link-tls.ts';
import type { LinkConfig } from './link-tls.ts';

const { helloMs, requestsMax, retryMs, retryMsMax, unsentBytesMax } = limits.cluster.link;

/** The node that serves, as this one's beats see it. */
export interface Owner {
  readonly node: string;
  /** The id of its life. */
  readonly id: string;
  /** Where its link listens; null where it has none. */
  readonly link: string | null;
}

export interface OwnerLinkPorts {
  readonly self: Self;
  readonly config: LinkConfig;
  readonly routes: readonly CompiledRoute[];
  /** Takes batches of replies and of streams. */
  replies(batch: Flat): void;
  /** The link is lost: what waits at the desk gets no answer. */
  lost(desk: Desk): void;
  readonly log: Log;
}

export class OwnerLink {
  /** Where requests for the node that serves go; its outbox is null while there is no link. */
  readonly desk = new Desk('link');
  readonly #ports: OwnerLinkPorts;
  readonly #names: readonly string[];
  readonly #seldom = new Seldom();
  #owner: Owner | null = null;
  #end: LinkEnd | null = null;
  #socket: TLSSocket | null = null;
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
    const owner = this.#owner!;
    const at = parseBind(owner.link ?? '');
    if (at === null) {
      this.#failed(`node ${owner.node} has no cluster.link`);
      return;
    }
    let socket: TLSSocket;
    try {
      socket = connect({ ...tlsOf(config), ...at, checkServerIdentity: checkedAs(owner.node) });
    } catch (error) {
      this.#failed((error as Error).message);
      return;
    }
    this.#socket = socket;
    const late = setTimeout(() => end.end('it does not answer'), helloMs);
    let isGreeted = false;
    const end = new LinkEnd(socket, {
      take: (frame) => {
        if (isGreeted) this.#take(frame, end);
        else {
          this.#greeted(frame, end);
          isGreeted = true;
          clearTimeout(late);
        }
      },
      gone: (why) => {
        clearTimeout(late);
        if (this.#socket === socket) this.#gone(why, isGreeted);
      },
    });
    this.#end = end;
    socket.setNoDelay(true);
    socket.once('secureConnect', () => end.send(helloFrame(self, owner.id, this.#names)));
  }

  #greeted(frame: Flat, end: LinkEnd): void {
    if (frame[0] === MOVED) throw new LinkFault(textAt(frame, 1));
    const hello = readHello(frame, this.#ports.self);
    if (hello.life !== this.#owner?.id) throw new LinkFault('it is another life of that node');
    const protocol = agreedIn(hello, this.#ports.self, true);
    end.greeted();
    this.#failures = 0;
    this.#why = null;
    const channel = {
      onBatch: (_batch: Flat): void => undefined,
      sendBatch: (batch: Flat) => end.sendBatch(batch),
      sendPiece: end.sendPiece.bind(end),
    };
    this.desk.connect(channel, (batch) => this.#ports.replies(batch), Date.now());
    this.#onBatch = (batch) => channel.onBatch(batch);
    this.#ports.log.info(
      { node: hello.node, release: hello.release, protocol },
      'the doors of this node send to the one that serves',
    );
  }

  #onBatch: (batch: Flat) => void = () => undefined;

  #take(frame: Flat, end: LinkEnd): void {
    if (frame[0] === MOVED) {
      // What it took is still answered, and bodies under way go on; no further request is sent to it.
      this.#isMoved = true;
      this.#why = textAt(frame, 1);
      if (this.desk.inFlight === 0) end.end(textAt(frame, 1));
      return;
    }
    checkReplies(frame);
    this.#onBatch(frame);
  }

  /** The connection that was is of no use any more. */
  #drop(why: string): void {
    this.#socket = null;
    const end = this.#end;
    this.#end = null;
    end?.end(why);
    this.#lose();
  }

  #lose(): void {
    this.desk.outbox = null;
    this.#isMoved = false;
    this.#onBatch = () => undefined;
    this.#ports.lost(this.desk);
  }

  #gone(why: string, isGreeted: boolean): void {
    this.#socket = null;
    this.#end = null;
    this.#lose();
    if (isGreeted) this.#losses++;
    this.#failed(isGreeted ? `the link is lost: ${why}` : why);
  }

  #failed(why: string): void {
    const { log } = this.#ports;
    this.#why = why;
    const since = this.#seldom.leftOut(why, performance.now());
    if (since !== null)
      log.warn(
        { node: this.#owner?.node, why, since },
        'no link to the node that serves: requests at the doors of this one get 503',
      );
    this.#dialIn(Math.min(retryMs * 2 ** this.#failures++, retryMsMax) * (0.5 + Math.random() / 2));
  }
}

/** Throws LinkFault for what the node that serves does not send. */
function checkReplies(frame: Flat): void {
  if (frame[0] === STREAM) {
    checkStride(frame, STREAM_STRIDE);
    for (let at = 1; at < frame.length; at += STREAM_STRIDE) {
      wholeAt(frame, at);
      wholeAt(frame, at + 1, 1);
    }
    return;
  }
  if (frame[0] !== REPLIES)
    throw new LinkFault(`a frame of kind ${kindOf(frame)} does not come from a node that serves`);
  checkStride(frame, REPLY_STRIDE);
  for (let at = 1; at < frame.length; at += REPLY_STRIDE) {
    wholeAt(frame, at);
    wholeAt(frame, at + 1, 100);
    textAt(frame, at + 2);
  }
}
