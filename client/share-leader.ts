/** What the tab that leads does for all: it asks the node for what any tab wants, over one connection, and tells all tabs what comes. */
import type { Change } from './change.ts';
import { Live } from './live.ts';
import { failureOf, SkepError, unauthorizedError, type Failure } from './errors.ts';
import { poll } from './polls.ts';
import type { Feeding, FromLeader, ToLeader } from './share-message.ts';
import { newKey, type Transport } from './transport.ts';
import { backOffMs, pause } from './wait.ts';

const FIRST_MS = 250;
const WAIT_MS_MAX = 15_000;
/** So many handshakes without an answer, and pages are asked for in place of a WebSocket, so long. */
const HANDSHAKES_MAX = 2;
const POLLED_MS = 60_000;

export interface Tabs {
  post(message: FromLeader): void;
  /** Resolves once a tab is gone. */
  gone(tab: string): Promise<void>;
  /** Whether the login of these tabs is still that of the client. */
  mine(): boolean;
}

interface Wanted {
  /** What was told last. */
  after: number;
  readonly by: Set<string>;
}

export class Leader implements Feeding {
  readonly by: string = newKey();
  readonly wanted: Map<string, Wanted> = new Map();
  readonly #transport: Transport;
  readonly #tabs: Tabs;
  readonly #over = new AbortController();
  readonly #watched = new Set<string>();
  #live: Live | null = null;
  #isLive = false;
  #wake: () => void = () => undefined;

  constructor(transport: Transport, tabs: Tabs) {
    this.#transport = transport;
    this.#tabs = tabs;
    void this.#feed();
  }

  hear(message: ToLeader): void {
    if (message.t === 'ask') return this.#tabs.post({ t: 'lead', by: this.by });
    const { t, tab, id, key } = message;
    if (t === 'drop') return this.#drop(`${tab} ${id}`, key);
    const wanted = this.wanted.get(key) ?? { after: message.after, by: new Set() };
    this.wanted.set(key, wanted);
    wanted.by.add(`${tab} ${id}`);
    this.#watch(tab);
    this.#tabs.post({ t: 'at', by: this.by, tab, id, after: wanted.after, isLive: this.#isLive });
    this.#sync();
  }

  told(key: string, seq: number, change: Change<unknown> | null, chars: number): void {
    const wanted = this.wanted.get(key);
    // What came under another login, which this tab has seen before its neighbours.
    if (wanted === undefined || seq <= wanted.after || !this.#tabs.mine()) return;
    wanted.after = seq;
    this.#tabs.post({ t: 'told', by: this.by, key, seq, change, chars });
  }

  lost(key: string): void {
    if (this.wanted.delete(key)) this.#tabs.post({ t: 'lost', by: this.by, key });
  }

  ended(key: string, failure: Failure): void {
    if (this.wanted.delete(key)) this.#tabs.post({ t: 'ended', by: this.by, key, failure });
  }

  live(isLive: boolean): void {
    if (isLive === this.#isLive) return;
    this.#isLive = isLive;
    this.#tabs.post({ t: 'live', by: this.by, isLive });
  }

  close(): void {
    this.#over.abort();
    this.#live?.close();
    this.#tabs.post({ t: 'gone', by: this.by });
  }

  /** A tab that crashes drops nothing: its lock says that it is gone. */
  #watch(tab: string): void {
    if (this.#watched.has(tab)) return;
    this.#watched.add(tab);
    void this.#tabs.gone(tab).then(() => {
      this.#watched.delete(tab);
      for (const [key, { by }] of this.wanted)
        for (const one of by) if (one.startsWith(`${tab} `)) this.#drop(one, key);
    });
  }

  #drop(one: string, key: string): void {
    const wanted = this.wanted.get(key);
    wanted?.by.delete(one);
    if (wanted?.by.size === 0) this.wanted.delete(key);
    this.#sync();
  }

  #sync(): void {
    this.#wake();
    this.#live?.sync();
  }

  async #feed(): Promise<void> {
    const { signal } = this.#over;
    const state = { failures: 0, handshakes: 0 };
    while (!signal.aborted) {
      if (this.wanted.size === 0) {
        await this.#woken(signal);
        continue;
      }
      await this.#connect(state, signal).catch((error: unknown) => this.#failed(error));
      await pause(backOffMs(++state.failures, FIRST_MS, WAIT_MS_MAX), signal).catch(() => undefined);
    }
  }

  /** From a connection's beginning to its end. */
  async #connect(state: { failures: number; handshakes: number }, signal: AbortSignal): Promise<void> {
    if (state.handshakes >= HANDSHAKES_MAX) await poll(this.#transport, this, Date.now() + POLLED_MS, signal);
    const { credential } = this.#transport;
    const token = (await credential?.bearer(signal)) ?? null;
    if (signal.aborted || !this.#tabs.mine()) return;
    state.handshakes++;
    this.#live = new Live(this.#transport, credential?.inCookies === true ? null : token, this);
    const { opened, unauthorized, served } = await this.#live.ended;
    this.#live = null;
    this.live(false);
    if (opened) state.handshakes = 0;
    if (served) state.failures = 0;
    if (!unauthorized || (token !== null && (await credential!.renew(token, signal)) !== null)) return;
    throw unauthorizedError('the login is over');
  }

  /** Everything else passes by itself. */
  #failed(error: unknown): void {
    if (!(error instanceof SkepError) || error.status !== 401) return;
    for (const key of this.wanted.keys()) this.ended(key, failureOf(error));
  }

  async #woken(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}
