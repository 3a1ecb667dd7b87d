/** The writes of one client that wait for the network: kept before they are sent, sent in their order, by one tab at a time. */
import { attempt } from './attempt.ts';
import type { Verdict } from './attempt.ts';
import type { Auth } from './create-client.ts';
import { SkepError } from './errors.ts';
import { underLock } from './locks.ts';
import { userLock } from './login.ts';
import { subjectOf } from './owner.ts';
import { dependsOn, isStale, readyOf } from './queue-entry.ts';
import type { Bounds, Entry, NewEntry, StoredError } from './queue-entry.ts';
import { notQueued } from './queue-store.ts';
import type { QueueStore } from './queue-store.ts';
import { asError, newKey } from './transport.ts';
import type { Answer, Credential, Transport } from './transport.ts';
import { backOffMs } from './wait.ts';

const UNTRIED = { triedAt: null, lastAt: null, faults: 0, state: 'pending', error: null } as const;
const FIRST_WAIT_MS = 1_000;
const WAIT_MS_MAX = 60_000;

/** What a write is before it is an entry of somebody. */
export type Write = Pick<
  NewEntry,
  'entity' | 'method' | 'path' | 'query' | 'body' | 'headers' | 'key' | 'ids' | 'isMade'
>;

export interface QueueParts {
  readonly transport: Transport;
  readonly auth: Auth;
  readonly store: QueueStore;
  readonly bounds: Bounds;
  readonly as: string | undefined;
  /** How long a write waits for its answer until it is told as waiting. */
  readonly patienceMs: number;
}

/** Resolves with the answer; null where it waits, or was carried out without one. */
interface Waiter {
  resolve(answer: Answer | null): void;
  reject(error: SkepError): void;
}

export class Queue {
  readonly #parts: QueueParts;
  /** Under which the user of `as` was named. */
  readonly #loginId: string | null;
  readonly #changed: () => void;
  readonly #closing = new AbortController();
  readonly #waiters = new Map<number, Waiter>();
  readonly #stopHearing: readonly (() => void)[];
  #running: Promise<void> | null = null;
  #isAsked = false;
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Before this the node wants no request, by the clock that is never set. */
  #heldUntilMs = 0;
  /** Why the entries wait; null where none does, or nothing was tried yet. */
  stoppedBy: SkepError | null = null;

  constructor(parts: QueueParts, changed: () => void) {
    this.#parts = parts;
    this.#changed = changed;
    this.#loginId = parts.auth.loginId;
    const page = globalThis as Page;
    const heard = (): void => this.nudge();
    page.addEventListener?.('online', heard);
    this.#stopHearing = [parts.auth.onChange(heard), () => page.removeEventListener?.('online', heard)];
  }

  /** Keeps a write, and tries to send it behind those before it. Throws `client.not_queued`, and any refusal. */
  async write(write: Write): Promise<Answer | null> {
    const { store, bounds, patienceMs } = this.#parts;
    if (this.#closing.signal.aborted) throw notQueued('closed', 'the queue is closed');
    const owner = await this.owner();
    if (owner === null) throw new SkepError(401, 'unauthorized', { message: 'a write waits for its user: log in first' });
    const number = await store.add({ ...write, ...UNTRIED, owner, at: Date.now() }, bounds);
    if (number === null) throw notQueued('full', `at most ${bounds.entries} entries and ${bounds.bytes} bytes wait`);
    const waiting = new Promise<Answer | null>((resolve, reject) => this.#waiters.set(number, { resolve, reject }));
    const timer = setTimeout(() => this.#settle(number, null), patienceMs);
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
    if (subject === null) throw new TypeError('whose token this is cannot be read: name its user as `as`');
    return `${transport.place} ${subject}`;
  }

  /** Sends what can leave, unless the browser says that there is no network, or the node that it wants no request. */
  nudge(): void {
    const { onLine } = (globalThis as Page).navigator ?? {};
    if (onLine === false || performance.now() < this.#heldUntilMs) this.#settleAll();
    else void this.replay();
  }

  /** Sends what can leave now, until the first failure. Never rejects. */
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
    const waitMs = Math.max(heldMs, backOffMs(++this.#failures, FIRST_WAIT_MS, WAIT_MS_MAX));
    if (!this.#closing.signal.aborted) this.#timer = setTimeout(() => this.nudge(), waitMs + 1);
  }

  /** Gives what stopped it; null where nothing is left that could leave. */
  async #drain(): Promise<SkepError | null> {
    const { store } = this.#parts;
    const { signal } = this.#closing;
    const owner = await this.owner();
    if (owner === null || (await store.all(owner)).length === 0) return null;
    return underLock(`skep queue ${owner}`, { signal }, async () => {
      for (;;) {
        const entries = await store.all(owner);
        const ready = readyOf(entries);
        if (ready.length === 0) return null;
        for (const entry of ready) {
          const verdict = await this.#tried(entry);
          if (verdict?.type === 'later') return verdict.error;
          // What depends on it waits from now on.
          if (verdict !== null && (await this.#kept(entry, verdict, entries))) break;
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
    const tried = { ...entry, triedAt: stale ? 0 : (entry.triedAt ?? now), lastAt: now };
    if (!(await store.put(tried))) return null;
    const speaker = { transport, credential: this.#credentialOf(entry.owner), signal: this.#closing.signal };
    const work = (): Promise<Verdict> => attempt(speaker, entry, stale);
    const { inCookies } = speaker.credential;
    const verdict = await (inCookies === true
      ? underLock(userLock(transport), { mode: 'shared' }, work)
      : work());
    if (verdict.type !== 'later') this.#failures = 0;
    else if (verdict.isFault === true) await store.put({ ...tried, faults: entry.faults + 1 });
    return verdict;
  }

  /** Whether the entry stays, and waits for the user. */
  async #kept(entry: Entry, verdict: Exclude<Verdict, { type: 'later' }>, all: readonly Entry[]): Promise<boolean> {
    const { store } = this.#parts;
    const { number } = entry;
    if (verdict.type === 'done') {
      await store.remove(number);
      this.#settle(number, verdict.answer);
      return false;
    }
    const { type: state, error } = verdict;
    const isTold = error !== null && this.#waiters.has(number);
    if (isTold) this.#waiters.get(number)!.reject(error);
    this.#settle(number, null);
    if (isTold && state === 'refused' && !all.some((later) => later.number > number && dependsOn(later, entry))) {
      await store.remove(number);
      return false;
    }
    await store.put({ ...entry, state, error: error === null ? null : storedOf(error) });
    return true;
  }

  /** The client's own, and nothing once it is another user's. */
  #credentialOf(owner: string): Credential {
    const real = this.#parts.transport.credential!;
    const same = (token: string | null): string => {
      if (token !== null && this.#ownerOf(token) === owner) return token;
      throw new SkepError(401, 'unauthorized', { message: 'these writes wait for a login of their user' });
    };
    return {
      held: null,
      inCookies: real.inCookies === true,
      bearer: async (signal) => same(await real.bearer(signal)),
      renew: async (stale, signal) => same(await real.renew(stale, signal)),
    };
  }

  /** The entries of the user of now. */
  async entries(): Promise<readonly Entry[]> {
    const owner = await this.owner();
    return owner === null ? [] : this.#parts.store.all(owner);
  }

  /** The user wants the entry to be sent, whatever is unknown: after another version without its condition. */
  async keep(number: number): Promise<void> {
    const entry = (await this.entries()).find((one) => one.number === number);
    if (entry === undefined || entry.state === 'pending') return;
    const { 'If-Match': _, ...headers } = entry.headers;
    const anew = entry.error?.status === 412 ? { headers, key: newKey() } : {};
    await this.#parts.store.put({ ...entry, ...anew, ...UNTRIED });
    this.#changed();
    this.nudge();
  }

  /** Forgets an entry. One that is under way may be carried out all the same. */
  async drop(number: number): Promise<void> {
    if (!(await this.entries()).some((one) => one.number === number)) return;
    await this.#parts.store.remove(number);
    this.#changed();
    this.nudge();
  }

  /** Sends nothing any more. The entries stay, for the next queue. */
  close(): void {
    this.#closing.abort();
    clearTimeout(this.#timer);
    this.#stopHearing.forEach((stop) => stop());
    this.#settleAll();
  }

  #settle(number: number, answer: Answer | null): void {
    this.#waiters.get(number)?.resolve(answer);
    this.#waiters.delete(number);
  }

  #settleAll(): void {
    for (const number of [...this.#waiters.keys()]) this.#settle(number, null);
  }
}

const storedOf = ({ status, code, message, details }: SkepError): StoredError => ({
  ...{ status, code, message },
  details: { ...details },
});

interface Page {
  readonly navigator?: { readonly onLine?: boolean };
  addEventListener?(type: 'online', listener: () => void): void;
  removeEventListener?(type: 'online', listener: () => void): void;
}
