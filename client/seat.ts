/**
 * One tab's place among those that share changes. A lock of the browser says which one leads; another one is each tab's own, by which the leading tab sees that
 * it is gone. They speak over a BroadcastChannel.
 *
 *   follows ── the lock is granted ──▶ leads ── the tab closes, or the lock is taken away ──▶ gone, or follows
 */
import { errorFrom } from './errors.ts';
import { Inbox } from './inbox.ts';
import type { Locks } from './locks.ts';
import { Leader } from './share-leader.ts';
import type { FromLeader, ShareMessage } from './share-message.ts';
import { newKey, type Transport } from './transport.ts';

/** How often a tab looks whether the leading one still answers. One that has not for two looks loses the lead: it hangs. */
const LOOK_MS = 15_000;

export class Seat {
  readonly #transport: Transport;
  readonly #locks: Locks;
  readonly #name: string;
  readonly #mine: () => boolean;
  readonly #tab = newKey();
  readonly #channel: InstanceType<typeof BroadcastChannel>;
  readonly #inboxes = new Map<number, Inbox>();
  readonly #over = new AbortController();
  readonly #timer: ReturnType<typeof setInterval>;
  #own: Leader | null = null;
  /** The `by` of the tab that leads. */
  #leader: string | null = null;
  #count = 0;
  #silent = 0;
  /** Whether the tab holds its own lock. */
  #isSeated = false;
  /** Ends the wait for the lock. */
  #waiting = new AbortController();
  #takes = false;

  /** `mine`: whether the login that the name stands for is still the client's. */
  constructor(transport: Transport, locks: Locks, name: string, mine: () => boolean) {
    this.#transport = transport;
    this.#locks = locks;
    this.#name = name;
    this.#mine = mine;
    this.#channel = new BroadcastChannel(name);
    this.#channel.addEventListener('message', (event) =>
      this.#hear((event as unknown as { readonly data: ShareMessage }).data),
    );
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    void this.#sit();
  }

  get size(): number {
    return this.#inboxes.size;
  }

  /** The changes of a query behind `after`. */
  open(key: string, after: number, onLive?: (isLive: boolean) => void): Inbox {
    const inbox = new Inbox(key, after, onLive);
    const id = ++this.#count;
    this.#inboxes.set(id, inbox);
    if (this.#leader !== null) this.#want(id, inbox);
    return inbox;
  }

  drop(inbox: Inbox): void {
    for (const [id, one] of this.#inboxes) {
      if (one !== inbox) continue;
      this.#inboxes.delete(id);
      this.#say({ t: 'drop', tab: this.#tab, id, key: inbox.key });
    }
  }

  /** Ends what is open with this error, and gives the lead away. */
  close(failure: Error): void {
    for (const inbox of this.#inboxes.values()) inbox.fail(failure);
    clearInterval(this.#timer);
    this.#over.abort();
    this.#waiting.abort();
    this.#resign();
    this.#channel.close();
  }

  /** The tab's own lock is there before anything is asked for: without it the tab would count as gone. */
  async #sit(): Promise<void> {
    const { signal } = this.#over;
    void this.#locks.request(`${this.#name} ${this.#tab}`, async () => {
      if (signal.aborted) return;
      this.#isSeated = true;
      this.#say({ t: 'ask' });
      await until(signal);
    });
    while (!signal.aborted) {
      this.#waiting = new AbortController();
      const how = this.#takes ? { steal: true } : { signal: this.#waiting.signal };
      this.#takes = false;
      // Rejected where the wait is ended, and where another tab takes the lock.
      await this.#locks.request(this.#name, how, () => this.#lead(signal)).catch(() => undefined);
      this.#resign();
    }
  }

  async #lead(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const gone = (tab: string): Promise<void> => this.#locks.request(`${this.#name} ${tab}`, async () => undefined);
    this.#own = new Leader(this.#transport, { post: (message) => this.#say(message), gone, mine: this.#mine });
    this.#own.hear({ t: 'ask' });
    await until(signal);
  }

  #resign(): void {
    const own = this.#own;
    this.#own = null;
    own?.close();
  }

  #look(): void {
    if (++this.#silent === 1) return;
    if (this.#silent === 2) return this.#say({ t: 'ask' });
    this.#silent = 0;
    if (this.#own !== null) return;
    this.#takes = true;
    this.#waiting.abort();
  }

  #say(message: ShareMessage): void {
    if (!this.#over.signal.aborted || message.t === 'gone') this.#channel.postMessage(message);
    // A channel does not speak to its own tab.
    this.#hear(message);
  }

  #hear(message: ShareMessage): void {
    if ('by' in message) this.#follow(message);
    else this.#own?.hear(message);
  }

  #follow(message: FromLeader): void {
    if (message.t === 'lead') {
      this.#silent = 0;
      if (this.#isSeated && message.by !== this.#leader) this.#join(message.by);
      return;
    }
    // What a tab tells that led before counts no more.
    if (message.by !== this.#leader) return;
    this.#silent = 0;
    if (message.t === 'gone') return this.#leaderless();
    if (message.t === 'at') {
      if (message.tab !== this.#tab) return;
      this.#inboxes.get(message.id)?.join(message.after);
      this.#inboxes.get(message.id)?.live(message.isLive);
      return;
    }
    for (const inbox of this.#inboxes.values()) {
      if (message.t === 'live') inbox.live(message.isLive);
      else if (inbox.key !== message.key) continue;
      else if (message.t === 'told') inbox.put(message.seq, message.change, message.chars);
      else if (message.t === 'lost') inbox.lose();
      else inbox.fail(errorFrom(message.failure)!);
    }
  }

  #join(by: string): void {
    this.#leader = by;
    for (const inbox of this.#inboxes.values()) inbox.leave();
    for (const [id, inbox] of this.#inboxes) this.#want(id, inbox);
  }

  #leaderless(): void {
    this.#leader = null;
    for (const inbox of this.#inboxes.values()) inbox.live(false);
    if (!this.#over.signal.aborted) this.#say({ t: 'ask' });
  }

  #want(id: number, inbox: Inbox): void {
    this.#say({ t: 'want', tab: this.#tab, id, key: inbox.key, after: inbox.last });
  }
}

const until = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
