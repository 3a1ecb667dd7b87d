/**
 * One WebSocket (docs/contract/changes.md §7, §10.4): the requests that its messages open, here called its subscriptions, and what ends it. What its messages mean
 * its dialect says. It keeps a credential for as long as it lives, since each subscription shows it anew; and of what is to be sent no more than the windows of its
 * subscriptions (actors/protocol/stream.ts), and the whole answers that its dialect makes one message of.
 */
import { limits } from '#config/limits.ts';
import type { Leaving } from '#actors/kit/unsent.ts';
import type { DoorState } from '../moving-visit.ts';
import type { VisitHandler } from '../port.ts';
import { freePiece } from '../free-piece.ts';
import type { Transfer } from '../transfers.ts';
import { CLOSED, type Closed } from './close-codes.ts';
import type { Asked, Dialect, Told } from './dialect.ts';
import type { LiveEnd, LiveFigures } from './live-figures.ts';
import { LiveVisit, type LiveEvents, type LiveHead } from './live-visit.ts';

const {
  liveAheadBytesMax,
  liveBurst,
  liveIdleMs,
  liveMessageBytesMax,
  liveOpenMs,
  livePerSecond,
  liveSubscriptionsMax,
} = limits.changes;

/** The socket, as a server gives it. */
export interface LiveSocket {
  /** Sends texts, a message each; false where the caller has left too much unread, and so the connection closes. */
  send(texts: readonly string[]): boolean;
  /** Bytes that the caller has not taken. */
  readonly unsent: number;
  /** Closes with a code (RFC 6455 §7.4). */
  end(code: number, reason: string): void;
  /** Closes without a word. */
  destroy(): void;
}

export interface LivePorts {
  readonly handler: VisitHandler;
  readonly door: DoorState;
  readonly figures: LiveFigures;
  /** Milliseconds of the monotonic clock. */
  readonly now: () => number;
}

interface Owed {
  readonly visit: LiveVisit;
  readonly bytes: number;
}

export class LiveConnection implements LiveEvents, LiveHead, Leaving, Transfer {
  readonly ip: string;
  /** Which of its credentials counts now. */
  credentialNo = 0;
  moved = 0;
  readonly #dialect: Dialect;
  readonly #fields: ReadonlyMap<string, string>;
  readonly #ports: LivePorts;
  readonly #visits = new Map<string, LiveVisit>();
  #socket: LiveSocket | null = null;
  #authorization: string;
  /** Events whose bytes wait until the caller has taken what is before them. */
  #owed: Owed[] = [];
  #sentBytes = 0;
  #left = 0;
  #isSlow = false;
  #isClosing = false;
  /** Why it closes, where the node closes it. */
  #closes: LiveEnd | null = null;
  #wasAccepted = false;
  #idleSince: number;
  #allowance: number = liveBurst;
  #allowedAt: number;

  /** `fields`: those of the handshake that a request of its subscriptions has, too. */
  constructor(dialect: Dialect, ip: string, fields: ReadonlyMap<string, string>, ports: LivePorts) {
    this.#dialect = dialect;
    this.ip = ip;
    this.#fields = fields;
    this.#ports = ports;
    this.#authorization = fields.get('authorization') ?? '';
    this.#idleSince = ports.now();
    this.#allowedAt = this.#idleSince;
    ports.figures.open[dialect.protocol]++;
  }

  get waits(): boolean {
    return this.#left > 0;
  }

  get subscriptions(): number {
    return this.#visits.size;
  }

  field(name: string): string {
    return name === 'authorization' ? this.#authorization : (this.#fields.get(name) ?? '');
  }

  fields(name: string): string {
    return this.field(name);
  }

  opened(socket: LiveSocket): void {
    this.#socket = socket;
    if (this.#isClosing) this.#end('leaving');
  }

  /** Takes a message of the caller. */
  take(bytes: ArrayBuffer, isBinary: boolean): void {
    if (this.#socket === null) return;
    if (isBinary) this.#end('binary');
    else if (!this.#mayAsk(bytes.byteLength)) this.#end('tooMany');
    else this.#obey(this.#dialect.asked(Buffer.from(bytes).toString()));
  }

  /** The caller has taken something. */
  drained(): void {
    this.#note();
    if (this.#left > liveAheadBytesMax) return;
    for (const { visit, bytes } of this.#owed.splice(0)) visit.taken(bytes);
  }

  /** The socket is gone. */
  closed(): void {
    this.#socket = null;
    this.#owed = [];
    this.#leave(0);
    this.#ports.figures.end(this.#dialect.protocol, this.#closes ?? 'gone');
    this.#ports.door.unsent.forget(this);
    this.#ports.door.transfers.forget(this);
    for (const visit of this.#visits.values()) visit.leave();
    this.#visits.clear();
  }

  /** Ends a connection that holds no subscription for too long. */
  look(): void {
    if (this.#visits.size > 0) return;
    const most = this.#wasAccepted ? liveIdleMs : liveOpenMs;
    if (this.#ports.now() - this.#idleSince >= most) this.#end('idle');
  }

  /** The door closes: once its subscriptions have ended, the connection does. */
  retire(): void {
    this.#isClosing = true;
    if (this.#visits.size === 0) this.#end('leaving');
  }

  begun({ id }: LiveVisit): void {
    this.#wasAccepted = true;
    this.#send(this.#dialect.begun(id));
  }

  events(visit: LiveVisit, bytes: Uint8Array): void {
    const { byteLength } = bytes;
    const told = this.#dialect.events(visit.id, bytes);
    freePiece(bytes);
    this.#tell(visit, told);
    if (told.ends) {
      visit.leave();
      this.over(visit, false);
    } else if (this.#left > liveAheadBytesMax) this.#owed.push({ visit, bytes: byteLength });
    else visit.taken(byteLength);
    this.#settle(visit, told);
  }

  answered(visit: LiveVisit, status: number, headers: string, body: string): void {
    if (status < 400) this.#wasAccepted = true;
    const told = this.#dialect.answered(visit.id, status, headers, body);
    this.#tell(visit, told);
    this.#settle(visit, told);
  }

  over(visit: LiveVisit, broken: boolean): void {
    const { texts, closes } = visit.isTold ? CALM : this.#dialect.over(visit.id, broken);
    this.#send(texts);
    this.#forget(visit);
    if (this.#isClosing && this.#visits.size === 0) this.#end('leaving');
    else if (closes !== null && !this.#isClosing) this.#end(closes);
  }

  cutUnsent(): void {
    this.#closes ??= 'unread';
    this.#socket?.destroy();
  }

  keep(): void {
    // The addon's own clock is that of its pings.
  }

  expire(): void {
    this.#tooSlow();
    this.#socket?.destroy();
  }

  #obey(asked: Asked): void {
    switch (asked.type) {
      case 'close':
        this.#end(asked.why, asked.more);
        break;
      case 'say':
        if (asked.authorization !== null) {
          this.#authorization = asked.authorization;
          this.credentialNo++;
        }
        this.#send(asked.texts);
        break;
      case 'subscribe':
        this.#subscribe(asked);
        break;
      case 'unsubscribe':
        this.#unsubscribe(asked.id);
    }
  }

  #subscribe({ id, request }: Extract<Asked, { readonly type: 'subscribe' }>): void {
    if (this.#visits.has(id)) return this.#end('taken');
    if (this.#visits.size >= liveSubscriptionsMax) {
      const error = `{"error":"a connection has at most ${liveSubscriptionsMax} subscriptions at once","code":"v2.changes_full"}`;
      return this.#send(this.#dialect.answered(id, 429, 'Retry-After: 1', error).texts);
    }
    if (this.#isClosing) return this.#end('leaving');
    const visit = new LiveVisit(id, request, this, this, this.#ports.door.drain);
    this.#visits.set(id, visit);
    try {
      this.#ports.handler(visit);
    } catch (error) {
      this.#ports.door.onFault(error);
      visit.answer(500, '', '');
    }
  }

  #unsubscribe(id: string): void {
    const visit = this.#visits.get(id);
    if (visit === undefined) return;
    visit.leave();
    const texts = this.#dialect.left(id);
    this.#forget(visit);
    this.#send(texts);
  }

  #tell(visit: LiveVisit, { texts, ends }: Told): void {
    if (ends) visit.isTold = true;
    this.#send(texts);
    this.#note();
  }

  /** The credential of a subscription does not count: where a later message has shown another one, the connection stays. */
  #settle({ credentialNo }: LiveVisit, { unproven }: Told): void {
    if (unproven && credentialNo === this.credentialNo) this.#end('unauthorized');
  }

  #forget(visit: LiveVisit): void {
    this.#visits.delete(visit.id);
    this.#owed = this.#owed.filter((owed) => owed.visit !== visit);
    // What was only ever refused does not lengthen the time to the first that is accepted.
    if (this.#wasAccepted) this.#idleSince = this.#ports.now();
    this.#note();
  }

  /** A token bucket (docs/contract/changes.md §7.4, §10.5). A long message takes several: this thread reads it. */
  #mayAsk(bytes: number): boolean {
    const now = this.#ports.now();
    this.#allowance = Math.min(liveBurst, this.#allowance + ((now - this.#allowedAt) * livePerSecond) / 1000);
    this.#allowedAt = now;
    const price = Math.max(1, Math.ceil(bytes / liveMessageBytesMax));
    if (this.#allowance < price) return false;
    this.#allowance -= price;
    return true;
  }

  #send(texts: readonly string[]): void {
    const socket = this.#socket;
    if (socket === null || texts.length === 0) return;
    for (const text of texts) this.#sentBytes += Buffer.byteLength(text);
    if (!socket.send(texts)) this.#tooSlow();
    this.#note();
  }

  /** Counts what the caller has not taken, among all answers of the node and against the pace of slow callers. */
  #note(): void {
    if (this.#socket === null) return;
    this.#leave(this.#socket.unsent);
    this.moved = this.#sentBytes - this.#left;
    const { unsent, transfers } = this.#ports.door;
    unsent.note(this, this.#left + this.#dialect.held);
    if (this.#left > 0 === this.#isSlow) return;
    this.#isSlow = !this.#isSlow;
    if (this.#isSlow) transfers.watchAnswer(this);
    else transfers.forget(this);
  }

  /** Its caller leaves so much unread. */
  #leave(bytes: number): void {
    this.#ports.figures.unsentBytes += bytes - this.#left;
    this.#left = bytes;
  }

  #tooSlow(): void {
    if (this.#closes === null) this.#ports.door.onSlow();
    this.#closes ??= 'slow';
  }

  #end(why: Closed, more = ''): void {
    this.#closes ??= why;
    const { code, reason } = CLOSED[why];
    this.#socket?.end(code, more === '' ? reason : `${reason}: ${more}`);
  }
}

const CALM = { texts: [], closes: null } as const;
