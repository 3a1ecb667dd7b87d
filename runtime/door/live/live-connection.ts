/**
 * One WebSocket of `/data/live` (docs/contract/changes.md §7): the subscriptions that its messages open, and what ends it. It keeps a credential for as long as it
 * lives, since each subscription shows it anew; and of what is to be sent no more than the windows of its subscriptions (actors/protocol/stream.ts).
 */
import { limits } from '#config/limits.ts';
import type { Leaving } from '#actors/kit/unsent.ts';
import type { DoorState } from '../moving-visit.ts';
import type { VisitHandler } from '../port.ts';
import type { Transfer } from '../transfers.ts';
import { CLOSED } from './close-codes.ts';
import type { Closed } from './close-codes.ts';
import { channelAskOf, messagesOf, parseMessage, queryOf, refusedMessage } from './live-message.ts';
import type { LiveAsk } from './live-message.ts';
import { LiveVisit } from './live-visit.ts';
import type { LiveEvents, LiveHead } from './live-visit.ts';

const { liveAheadBytesMax, liveBurst, liveIdleMs, liveOpenMs, livePerSecond, liveSubscriptionsMax } = limits.changes;

/** The socket, as a server gives it. */
export interface LiveSocket {
  /** Sends texts, a message each. */
  send(texts: readonly string[]): void;
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
  /** Milliseconds of the monotonic clock. */
  readonly now: () => number;
}

interface Owed {
  readonly visit: LiveVisit;
  readonly bytes: number;
}

export class LiveConnection implements LiveEvents, LiveHead, Leaving, Transfer {
  readonly path: string;
  readonly ip: string;
  /** Which of its credentials counts now. */
  credentialNo = 0;
  moved = 0;
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
  #wasAccepted = false;
  #idleSince: number;
  #allowance: number = liveBurst;
  #allowedAt: number;

  /** `path`: that of the feed on this listener. `fields`: those of the handshake that a request of its subscriptions has, too. */
  constructor(path: string, ip: string, fields: ReadonlyMap<string, string>, ports: LivePorts) {
    this.path = path;
    this.ip = ip;
    this.#fields = fields;
    this.#ports = ports;
    this.#authorization = fields.get('authorization') ?? '';
    this.#idleSince = ports.now();
    this.#allowedAt = this.#idleSince;
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
    else if (!this.#mayAsk()) this.#end('tooMany');
    else this.#obey(parseMessage(Buffer.from(bytes).toString()));
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
    this.#left = 0;
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

  begun({ id, path }: LiveVisit): void {
    this.#wasAccepted = true;
    // A channel tells of itself that it was joined.
    if (path !== this.path) return;
    this.#send([`{"id":${JSON.stringify(id)},"type":"subscribed"}`]);
  }

  events(visit: LiveVisit, bytes: Uint8Array): void {
    const { byteLength } = bytes;
    const texts = messagesOf(visit.id, Buffer.from(bytes.buffer, bytes.byteOffset, byteLength).toString());
    free(bytes);
    this.#send(texts);
    if (this.#left > liveAheadBytesMax) this.#owed.push({ visit, bytes: byteLength });
    else visit.taken(byteLength);
    if (texts.at(-1)?.endsWith('"type":"end","reason":"session"}') === true) this.#unproven(visit);
  }

  done({ id }: LiveVisit): void {
    this.#wasAccepted = true;
    this.#send([`{"id":${JSON.stringify(id)},"type":"sent"}`]);
  }

  refused(visit: LiveVisit, status: number, headers: string, body: string): void {
    this.#send([refusedMessage(visit.id, status, headers, body)]);
    if (status === 401) this.#unproven(visit);
  }

  over(visit: LiveVisit, broken: boolean): void {
    if (broken) this.#send([`{"id":${JSON.stringify(visit.id)},"type":"end","reason":"fault"}`]);
    this.#forget(visit);
    if (this.#isClosing && this.#visits.size === 0) this.#end('leaving');
  }

  cutUnsent(): void {
    this.#socket?.destroy();
  }

  keep(): void {
    // The addon's own clock is that of its pings.
  }

  expire(): void {
    this.#ports.door.onSlow();
    this.#socket?.destroy();
  }

  #obey(asked: ReturnType<typeof parseMessage>): void {
    switch (asked.type) {
      case 'fault':
        this.#end('malformed', asked.fault);
        break;
      case 'auth':
        this.#authorization = `Bearer ${asked.token}`;
        this.credentialNo++;
        break;
      case 'subscribe':
        this.#ask(asked.id, { method: 'GET', path: this.path, query: queryOf(asked), body: '' });
        break;
      case 'unsubscribe':
        this.#unsubscribe(asked.id, 'unsubscribed');
        break;
      case 'join':
      case 'send':
      case 'state':
        this.#ask(asked.id, channelAskOf(asked, this.path));
        break;
      case 'leave':
        this.#unsubscribe(asked.id, 'left');
        break;
      case 'ping':
        this.#send(['{"type":"pong"}']);
    }
  }

  #ask(id: string, asked: LiveAsk): void {
    if (this.#visits.has(id)) return this.#end('taken');
    if (this.#visits.size >= liveSubscriptionsMax) {
      const error = `{"error":"a connection has at most ${liveSubscriptionsMax} subscriptions at once","code":"v2.changes_full"}`;
      return this.#send([refusedMessage(id, 429, 'Retry-After: 1', error)]);
    }
    if (this.#isClosing) return this.#end('leaving');
    const visit = new LiveVisit(id, asked, this, this, this.#ports.door.drain);
    this.#visits.set(id, visit);
    try {
      this.#ports.handler(visit);
    } catch (error) {
      this.#ports.door.onFault(error);
      visit.answer(500, '', '');
    }
  }

  #unsubscribe(id: string, type: 'unsubscribed' | 'left'): void {
    const visit = this.#visits.get(id);
    if (visit === undefined) return;
    visit.leave();
    this.#forget(visit);
    this.#send([`{"id":${JSON.stringify(id)},"type":"${type}"}`]);
  }

  /** The credential of a subscription does not count: where a later message has shown another one, the connection stays. */
  #unproven({ credentialNo }: LiveVisit): void {
    if (credentialNo === this.credentialNo) this.#end('unauthorized');
  }

  #forget(visit: LiveVisit): void {
    this.#visits.delete(visit.id);
    this.#owed = this.#owed.filter((owed) => owed.visit !== visit);
    // What was only ever refused does not lengthen the time to the first that is accepted.
    if (this.#wasAccepted) this.#idleSince = this.#ports.now();
  }

  /** A token bucket (docs/contract/changes.md §7.4). */
  #mayAsk(): boolean {
    const now = this.#ports.now();
    this.#allowance = Math.min(liveBurst, this.#allowance + ((now - this.#allowedAt) * livePerSecond) / 1000);
    this.#allowedAt = now;
    if (this.#allowance < 1) return false;
    this.#allowance--;
    return true;
  }

  #send(texts: readonly string[]): void {
    const socket = this.#socket;
    if (socket === null || texts.length === 0) return;
    for (const text of texts) this.#sentBytes += Buffer.byteLength(text);
    socket.send(texts);
    this.#note();
  }

  /** Counts what the caller has not taken, among all answers of the node and against the pace of slow callers. */
  #note(): void {
    if (this.#socket === null) return;
    this.#left = this.#socket.unsent;
    this.moved = this.#sentBytes - this.#left;
    const { unsent, transfers } = this.#ports.door;
    unsent.note(this, this.#left);
    if (this.#left > 0 === this.#isSlow) return;
    this.#isSlow = !this.#isSlow;
    if (this.#isSlow) transfers.watchAnswer(this);
    else transfers.forget(this);
  }

  #end(why: Closed, more = ''): void {
    const { code, reason } = CLOSED[why];
    this.#socket?.end(code, more === '' ? reason : `${reason}: ${more}`);
  }
}

/** The garbage collector would free bytes of another thread only after dozens of megabytes. */
function free({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
