/** The writes of one client that wait for the network: kept before they are sent, sent in their order, by one tab at a time. */
import { attempt, type Verdict } from './attempt.ts';
import type { Auth } from './create-client.ts';
import { errorFrom, failureOf, unauthorizedError, type SkepError } from './errors.ts';
import { underLock } from './locks.ts';
import { userLock } from './login.ts';
import { subjectOf } from './owner.ts';
import { dependsOn, isStale, nameOf, readyOf, type Bounds, type Entry } from './queue-entry.ts';
import { notQueued, type QueueStore } from './queue-store.ts';
import { queuedEntity, shown, type NewId, type QueuedEntity, type QueuedWrite, type Write } from './queued-write.ts';
import type { EntityName, SchemaTypes } from './schema.ts';
import { tabsOf, type Tabs } from './tabs.ts';
import { asError, newKey, type Answer, type Credential, type Transport } from './transport.ts';
import { backOffMs } from './wait.ts';

const UNTRIED = { triedAt: null, lastAt: null, faults: 0, state: 'pending', error: null } as const;
const FIRST_WAIT_MS = 1_000;
const WAIT_MS_MAX = 60_000;

export interface OfflineQueue<S extends SchemaTypes> {
  /** Why entries wait: `client.network`, 401 and the like. Null where nothing stopped them. */
  readonly stoppedBy: SkepError | null;
  from<E extends EntityName<S>>(entity: E): QueuedEntity<S, E>;
  /** The writes of the user of now that wait, in their order; those of other users are not told. */
  entries(): Promise<readonly QueuedWrite[]>;
  /** Calls `listener` with the entries after each change of them, in other tabs too; gives the function that ends that. */
  onChange(listener: (entries: readonly QueuedWrite[]) => void): () => void;
  /** Sends what can leave now, until it ends or fails. By itself that happens after each write, with the network, after a login, and after growing waits. */
  replay(): Promise<void>;
  /** Sends an entry that asks or was refused. One whose row has another version is sent without its condition. */
  keep(number: number): Promise<void>;
  /** Forgets an entry. */
  drop(number: number): Promise<void>;
  /** Ends this queue: entries stay for the next one. */
  close(): void;
}

interface QueueParts extends Bounds {
  readonly transport: Transport;
  readonly auth: Auth;
  readonly store: QueueStore;
  readonly as: string | undefined;
  readonly newId: NewId;
  /** How long a write waits for its answer until it is told as waiting. */
  readonly patienceMs: number;
}

/** Resolves with the answer; null where it waits, or was carried out without one. */
interface Waiter {
  resolve(answer: Answer | null): void;
  reject(error: SkepError): void;
}

export class Queue<S extends SchemaTypes> implements OfflineQueue<S> {
  readonly #parts: QueueParts;
  /** Under which the user of `as` was named. */
  readonly #loginId: string | null;
  readonly #listeners = new Set<(entries: readonly QueuedWrite[]) => void>();
  #tabs: Tabs | undefined;
  readonly #closing = new AbortController();
  /** By the names of their entries. */
  readonly #waiters = new Map<string, Waiter>();
  readonly #stopHearing: () => void;
  #running: Promise<void> | null = null;
  #isAsked = false;
  /** Changes that are not told yet. */
  #untold = 0;
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Before this the node wants no request, by the clock that is never set. */
  #heldUntilMs = 0;
  stoppedBy: SkepError | null = null;

  constructor(parts: QueueParts) {
    this.#parts = parts;
    this.#tabs = tabsOf(`skep queue ${parts.transport.place}`, () => void this.#tell());
    this.#loginId = parts.auth.loginId;
    const heard = (): void => this.nudge();
    (globalThis as Page).addEventListener?.('online', heard, this.#closing);
    this.#stopHearing = parts.auth.onChange(heard);
  }

  from<E extends EntityName<S>>(entity: E): QueuedEntity<S, E> {
    const { transport, newId } = this.#parts;
    return queuedEntity(transport, entity, newId, (write) => this.#write(write));
  }

  /** Keeps a write, and tries to send it behind those before it. Throws `client.not_queued`, and any refusal. */
  async #write(write: Write): Promise<Answer | null> {
    const { store, patienceMs } = this.#parts;
    const owner = await this.owner();
    if (owner === null) throw unauthorizedError('log in, or name the user as `as`');
    const number = await store.add({ ...write, ...UNTRIED, owner, at: Date.now() }, this.#parts);
    if (number === null) throw notQueued('full', 'too many writes wait');
    const name = nameOf({ owner, number });
    const waiting = new Promise<Answer | null>((resolve, reject) => this.#waiters.set(name, { resolve, reject }));
    const timer = setTimeout(() => this.#settle(name, null), patienceMs);
    this.#changed();
    this.nudge();
    return waiting.finally(() => clearTimeout(timer));
  }

  /** Of the login of now: null without one. */
  async owner(): Promise<string | null> {
    const { credential } = this.#parts.transport;
    return this.#ownerOf(credential === null ? null : (credential.held ?? (await credential.bearer())));
  }

  #ownerOf(token: string | null): string | null {
    const { transport, auth, as } = this.#parts;
    if (token === null || (as !== undefined && auth.loginId !== this.#loginId)) return null;
    const subject = as ?? subjectOf(token);
    return subject && `${transport.place} ${subject}`;
  }

  /** Sends what can leave, unless the browser says that there is no network, or the node that it wants no request. */
  nudge(): void {
    const { onLine } = (globalThis as Page).navigator ?? {};
    if (onLine === false || performance.now() < this.#heldUntilMs) this.#settleAll();
    else void this.replay();
  }

  replay(): Promise<void> {
    this.#isAsked = true;
    this.#running ??= this.#run();
    return this.#running;
  }

  async #run(): Promise<void> {
    // What is written while this runs may have come too late for its reading.
    while (this.#isAsked && !this.#closing.signal.aborted) {
      this.#isAsked = false;
      clearTimeout(this.#timer);
      this.stoppedBy = await this.#drain().catch(asError);
      if (this.stoppedBy === null) this.#failures = 0;
      else this.#waitAfter(this.stoppedBy);
      this.#changed();
    }
    this.#running = null;
    this.#settleAll();
  }

  #waitAfter({ retryAfterMs }: SkepError): void {
    const heldMs = retryAfterMs ?? 0;
    this.#heldUntilMs = performance.now() + heldMs;
    const waitMs = Math.max(heldMs + 1, backOffMs(++this.#failures, FIRST_WAIT_MS, WAIT_MS_MAX));
    if (!this.#closing.signal.aborted) this.#timer = setTimeout(() => this.nudge(), waitMs);
  }

  /** Gives what stopped it; null where nothing is left that could leave. */
  async #drain(): Promise<SkepError | null> {
    const { store } = this.#parts;
    const { signal } = this.#closing;
    const owner = await this.owner();
    if (owner === null) return null;
    return underLock(`skep queue ${owner}`, { signal }, async () => {
      for (;;) {
        const entries = await store.all(owner);
        const ready = readyOf(entries, Date.now());
        if (ready.length === 0)
          return errorFrom(entries.find(({ state, error }) => state === 'pending' && error)?.error);
        for (const entry of ready) {
          const verdict = await this.#tried(entry);
          if (verdict?.type === 'later' && verdict.isAlone !== true) return verdict.error;
          // What depends on it waits from now on.
          if (verdict?.type === 'later' || (verdict && (await this.#kept(entry, verdict, entries)))) break;
        }
      }
    });
  }

  /** Null where it was dropped meanwhile. */
  async #tried(entry: Entry): Promise<Verdict | null> {
    const { transport, store } = this.#parts;
    const now = Date.now();
    const stale = isStale(entry, now);
    // Written before it leaves: an attempt whose page crashed is one. What is stale stays so, wherever the clock goes.
    const tried = { ...entry, triedAt: stale ? 0 : (entry.triedAt ?? now), lastAt: now, error: null };
    if (!(await store.put(tried))) return null;
    const speaker = { transport, credential: this.#credentialOf(entry.owner), signal: this.#closing.signal };
    const work = (): Promise<Verdict> => attempt(speaker, entry, stale);
    const verdict = await underLock(userLock(transport), { mode: 'shared' }, work);
    if (verdict.type !== 'later') this.#failures = 0;
    else if (verdict.isFault === true) await store.put({ ...tried, faults: entry.faults + 1 });
    else if (verdict.isAlone === true) await store.put({ ...tried, error: failureOf(verdict.error) });
    return verdict;
  }

  /** Whether the entry stays, and waits for the user. */
  async #kept(entry: Entry, verdict: Exclude<Verdict, { type: 'later' }>, all: readonly Entry[]): Promise<boolean> {
    const { store } = this.#parts;
    const name = nameOf(entry);
    if (verdict.type === 'done') {
      await store.remove(entry);
      this.#settle(name, verdict.answer);
      return false;
    }
    const { type: state, error } = verdict;
    const waiter = this.#waiters.get(name);
    if (error !== null) waiter?.reject(error);
    this.#settle(name, null);
    const stays =
      waiter === undefined ||
      state === 'asks' ||
      all.some((later) => later.number > entry.number && dependsOn(later, entry));
    await (stays ? store.put({ ...entry, state, error: error && failureOf(error) }) : store.remove(entry));
    return stays;
  }

  /** The client's own, and nothing once it is another user's. */
  #credentialOf(owner: string): Credential {
    const real = this.#parts.transport.credential!;
    const same = (token: string | null): string => {
      if (token !== null && this.#ownerOf(token) === owner) return token;
      throw unauthorizedError('these writes are of another user');
    };
    return {
      inCookies: real.inCookies ?? false,
      bearer: async (signal) => same(await real.bearer(signal)),
      renew: async (stale, signal) => same(await real.renew(stale, signal)),
    };
  }

  async #own(): Promise<readonly Entry[]> {
    const owner = await this.owner();
    return owner === null ? [] : this.#parts.store.all(owner);
  }

  async entries(): Promise<readonly QueuedWrite[]> {
    return shown(await this.#own());
  }

  onChange(listener: (entries: readonly QueuedWrite[]) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #changed(): void {
    this.#tabs?.postMessage(0);
    void this.#tell();
  }

  /** What changes while the entries are read is read again. */
  async #tell(): Promise<void> {
    if (this.#listeners.size === 0 || this.#untold++ > 0) return;
    for (let known = 0; known !== this.#untold;) {
      known = this.#untold;
      const now = await this.entries().catch(() => []);
      this.#listeners.forEach((listener) => listener(now));
    }
    this.#untold = 0;
  }

  keep(number: number): Promise<void> {
    return this.#decide(number, async (entry) => {
      if (entry.state === 'pending') return;
      const { 'If-Match': _, ...others } = entry.headers;
      const headers = entry.error?.status === 412 ? { ...others, 'Idempotency-Key': newKey() } : entry.headers;
      await this.#parts.store.put({ ...entry, headers, ...UNTRIED });
    });
  }

  drop(number: number): Promise<void> {
    return this.#decide(number, (entry) => this.#parts.store.remove(entry));
  }

  async #decide(number: number, act: (entry: Entry) => Promise<void>): Promise<void> {
    const entry = (await this.#own()).find((one) => one.number === number);
    if (entry === undefined) return;
    await act(entry);
    this.#changed();
    this.nudge();
  }

  close(): void {
    this.#closing.abort();
    this.#tabs?.close();
    this.#tabs = undefined;
    clearTimeout(this.#timer);
    this.#stopHearing();
    this.#settleAll();
  }

  #settle(name: string, answer: Answer | null): void {
    this.#waiters.get(name)?.resolve(answer);
    this.#waiters.delete(name);
  }

  #settleAll(): void {
    this.#waiters.forEach((_, name) => this.#settle(name, null));
  }
}

interface Page {
  readonly navigator?: { readonly onLine?: boolean };
  addEventListener?(type: 'online', listener: () => void, options: { readonly signal: AbortSignal }): void;
}
