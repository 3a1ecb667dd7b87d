/** One WebSocket with the subscriptions of all tabs (docs/contract/changes.md §7). */
import type { Change } from './change.ts';
import { GOES_ON } from './changes.ts';
import type { SkepCode } from './errors.ts';
import type { Feeding } from './share-message.ts';
import { isPassingStatus, type Transport } from './transport.ts';

/** What the node says (docs/contract/changes.md §7.3). */
interface Said {
  readonly id?: string;
  readonly type: string;
  readonly change?: Extract<Change<unknown>, { type: 'change' }>;
  readonly after?: number;
  readonly reason?: string;
  readonly status?: number;
  readonly retry_after?: number;
  readonly error?: { readonly error?: string; readonly code?: SkepCode; readonly details?: Record<string, unknown> };
}

export interface LiveEnd {
  /** Whether the handshake passed. */
  readonly opened: boolean;
  /** The credential does not count. */
  readonly unauthorized: boolean;
  /** Whether the node has told anything. */
  readonly served: boolean;
}

/** How often the connection is looked at: nothing within two of these, though the node was asked, and it is given up. */
const LOOK_MS = 20_000;
const AGAIN_MS = 2_000;

export class Live {
  /** Resolves when the connection has ended. */
  readonly ended: Promise<LiveEnd>;
  readonly #socket: WebSocket;
  readonly #feeding: Feeding;
  readonly #idOf = new Map<string, string>();
  readonly #keyOf = new Map<string, string>();
  /** Queries that the node takes later. */
  readonly #waiting = new Set<string>();
  readonly #timer: ReturnType<typeof setInterval>;
  #count = 0;
  #silent = 0;
  #opened = false;
  #unauthorized = false;
  #served = false;

  constructor({ base, headers }: Transport, token: string | null, feeding: Feeding) {
    this.#feeding = feeding;
    const position = Object.values(headers).join(':');
    const query = position && `?${new URLSearchParams({ position })}`;
    const socket = new WebSocket(`${base.replace(/^http/, 'ws')}/data/live${query}`);
    this.#socket = socket;
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    socket.addEventListener('open', () => {
      this.#opened = true;
      if (token !== null) this.#say({ type: 'auth', token });
      this.sync();
    });
    socket.addEventListener('message', ({ data }) => this.#hear(String(data)));
    this.ended = new Promise((resolve) => {
      socket.addEventListener('close', () => {
        clearInterval(this.#timer);
        resolve({ opened: this.#opened, unauthorized: this.#unauthorized, served: this.#served });
      });
    });
  }

  close(): void {
    // Nothing that still comes is told.
    this.#keyOf.clear();
    this.#socket.close();
  }

  /** Subscribes to what is wanted now, and to nothing else. */
  sync(): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    const { wanted } = this.#feeding;
    for (const [key, id] of this.#idOf) {
      if (wanted.has(key)) continue;
      this.#forget(id, key);
      this.#say({ type: 'unsubscribe', id });
    }
    for (const [key, { after }] of wanted) {
      if (this.#idOf.has(key) || this.#waiting.has(key)) continue;
      const id = String(++this.#count);
      this.#idOf.set(key, id);
      this.#keyOf.set(id, key);
      const { entity, ...where } = Object.fromEntries(new URLSearchParams(key));
      this.#say({ type: 'subscribe', id, entity, after, where });
    }
  }

  #hear(text: string): void {
    this.#silent = 0;
    const said = JSON.parse(text) as Said;
    const key = said.id === undefined ? undefined : this.#keyOf.get(said.id);
    if (key === undefined) return;
    const { change, after } = said;
    if (said.type !== 'error') {
      this.#served = true;
      this.#feeding.live(true);
    }
    if (said.type === 'change') this.#feeding.told(key, change!.seq, { ...change!, type: 'change' }, text.length);
    else if (said.type === 'idle') this.#feeding.told(key, after!, null, 0);
    else if (said.type !== 'subscribed') this.#end(said, key);
  }

  /** Of one subscription: `reset`, `end` or `error`. */
  #end(said: Said, key: string): void {
    this.#forget(said.id!, key);
    const { type, status = 0, error = {} } = said;
    if (type === 'reset') return this.#feeding.lost(key);
    if (type === 'end' && GOES_ON.has(said.reason!)) return this.#socket.close();
    if (status === 401) {
      this.#unauthorized = true;
      return this.#socket.close();
    }
    if (isPassingStatus(status)) return this.#later(key, Math.max(AGAIN_MS, (said.retry_after ?? 0) * 1000));
    const { error: message = `the node ended the stream of changes: ${said.reason}` } = error;
    const { code = type === 'end' ? 'client.stream_ended' : 'client.unexpected' } = error;
    this.#feeding.ended(key, { status, code, message, details: error.details ?? { reason: said.reason ?? type } });
  }

  #later(key: string, ms: number): void {
    this.#waiting.add(key);
    setTimeout(() => {
      this.#waiting.delete(key);
      this.sync();
    }, ms);
  }

  #forget(id: string, key: string): void {
    this.#idOf.delete(key);
    this.#keyOf.delete(id);
  }

  #look(): void {
    if (++this.#silent > 2) this.#socket.close();
    else if (this.#socket.readyState === WebSocket.OPEN) this.#say({ type: 'ping' });
  }

  #say(message: object): void {
    this.#socket.send(JSON.stringify(message));
  }
}
