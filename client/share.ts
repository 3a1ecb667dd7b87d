/** One connection for the changes that all tabs of a browser follow: `shareChanges(client)`. */
import type { Change, Subscription } from './change.ts';
import { follow } from './changes.ts';
import type { Auth } from './create-client.ts';
import { SkepError } from './errors.ts';
import type { Inbox } from './inbox.ts';
import { locksHere, type Locks } from './locks.ts';
import type { ChangesPage } from './polls.ts';
import { Seat } from './seat.ts';
import { asError, newKey, passingMs, type Sender, type Transport } from './transport.ts';
import { backOffMs, pause } from './wait.ts';

export interface ShareOptions {
  /** Of a client with a `token` of its own: the same text in all tabs whose tokens are of the same user. Without it such a tab shares with itself alone. */
  readonly as?: string;
}

type Changes = AsyncGenerator<Change<unknown>, void>;

/**
 * From now on all loops over `changes()` of this client share one connection, also with those of other tabs that share its login. Gives the function that ends that
 * for loops that begin later. Where the browser has no Web Locks, BroadcastChannel or WebSocket, each loop keeps a stream of its own.
 */
export function shareChanges(
  { transport, auth }: Sender & { readonly auth: Auth },
  { as }: ShareOptions = {},
): () => void {
  const locks = locksHere();
  const page = globalThis as { readonly BroadcastChannel?: unknown; readonly WebSocket?: unknown };
  if (locks === undefined || page.BroadcastChannel === undefined || page.WebSocket === undefined)
    return () => undefined;
  const share = new Share(transport, auth, locks, as ?? newKey());
  auth.onChange(() => share.heed());
  transport.shared = (subscription) =>
    subscription.query.toString().length > QUERY_CHARS_MAX
      ? follow(transport, subscription)
      : share.follow(subscription);
  return () => {
    transport.shared = null;
  };
}

/** Longer ones do not fit a message of the WebSocket: they keep a stream of their own. */
const QUERY_CHARS_MAX = 12_000;
const WAIT_MS_MAX = 15_000;

/** Where a loop is. */
interface Place {
  position: number | null;
}

class Share {
  readonly #transport: Transport;
  readonly #auth: Auth;
  readonly #locks: Locks;
  readonly #as: string;
  /** Of the login that it names; null while no loop runs. */
  #seat: { readonly login: string | null; readonly at: Seat } | null = null;

  constructor(transport: Transport, auth: Auth, locks: Locks, as: string) {
    this.#transport = transport;
    this.#auth = auth;
    this.#locks = locks;
    this.#as = as;
  }

  /** A seat is one login's: with another one, or without any, everything that is open ends. */
  heed(): void {
    if (this.#seat === null || this.#seat.login === this.#auth.loginId) return;
    this.#seat.at.close(loginEnded());
    this.#seat = null;
  }

  async *follow(subscription: Subscription): Changes {
    const { loginId: login } = this.#auth;
    const mine = (): void => {
      if (this.#auth.loginId !== login) throw loginEnded();
    };
    const place: Place = { position: subscription.after };
    let isFirst = true;
    for (;;) {
      if (place.position === null && subscription.snapshot) {
        if (!isFirst) yield { type: 'reset', after: null };
        yield* guarded(this.#snapshot(subscription, place), mine);
      }
      isFirst = false;
      yield* guarded(this.#pages(subscription, place), mine);
      if (place.position === null) continue;
      mine();
      yield* guarded(this.#shared(subscription, place, login), mine);
    }
  }

  /** The rows, by a stream that is closed when they are whole. */
  async *#snapshot(subscription: Subscription, place: Place): Changes {
    // The stream ends with the last row: the changes behind it are live once the leading tab tells them.
    for await (const told of follow<unknown>(this.#transport, { ...subscription, onLive: undefined })) {
      yield told;
      if (told.type !== 'snapshot') continue;
      place.position = told.after;
      return;
    }
  }

  /** What has happened behind the position. It is null afterwards where a snapshot has to come again. */
  async *#pages({ path, query, snapshot, signal }: Subscription, place: Place): Changes {
    for (let failures = 0; ;) {
      const asked = new URLSearchParams(query);
      if (place.position !== null) asked.set('after', String(place.position));
      asked.set('limit', '1000');
      try {
        const { json } = await this.#transport.send({ method: 'GET', path, query: asked, signal });
        const { changes, after, more } = json as ChangesPage;
        for (const change of changes) {
          place.position = change.seq;
          yield { ...change, type: 'change' };
        }
        place.position = after;
        if (!more) return;
        failures = 0;
      } catch (thrown) {
        signal?.throwIfAborted();
        const error = asError(thrown);
        if (error.code === 'v2.changes_position_over') {
          place.position = snapshot ? null : (error.details as { readonly after: number }).after;
          if (snapshot) return;
          yield { type: 'reset', after: place.position };
        } else await pause(Math.max(passingMs(error, signal), backOffMs(++failures, 250, WAIT_MS_MAX)), signal);
      }
    }
  }

  /** Until what the leading tab tells is not whole. */
  async *#shared(subscription: Subscription, place: Place, login: string | null): Changes {
    const { at: seat } = (this.#seat ??= this.#seatOf(login));
    const inbox = seat.open(subscription.query.toString(), place.position!, subscription.onLive);
    try {
      while (!inbox.isLost) {
        if (inbox.isBehind) {
          inbox.isBehind = false;
          yield* this.#pages(subscription, place);
          if (place.position === null) return;
        }
        if (inbox.failure !== null) throw inbox.failure;
        yield* taken(inbox, place);
        await inbox.woken(subscription.signal);
      }
    } finally {
      inbox.leave();
      seat.drop(inbox);
      if (seat.size === 0 && this.#seat?.at === seat) {
        this.#seat = null;
        seat.close(loginEnded());
      }
    }
  }

  #seatOf(login: string | null): { readonly login: string | null; readonly at: Seat } {
    const mine = (): boolean => this.#auth.loginId === login;
    return { login, at: new Seat(this.#transport, this.#locks, this.#nameOf(login), mine) };
  }

  /** Of one node, one position and one login: what is told under one login no other one hears. */
  #nameOf(login: string | null): string {
    const { base, headers } = this.#transport;
    return ['skep changes', base, ...Object.values(headers), login ?? this.#as].join(' ');
  }
}

/** What is queued, but what the loop has read by pages meanwhile. */
function* taken(inbox: Inbox, place: Place): Generator<Change<unknown>, void> {
  for (let told = inbox.take(); told !== undefined; told = inbox.take()) {
    if (told.seq <= place.position!) continue;
    place.position = told.seq;
    if (told.change !== null) yield told.change;
    // Meanwhile more may have happened than the queue holds.
    if (inbox.isBehind || inbox.isLost) return;
  }
}

/** Nothing is told to another login than the one that has asked. */
async function* guarded(changes: Changes, mine: () => void): Changes {
  for await (const told of changes) {
    mine();
    yield told;
  }
}

function loginEnded(): SkepError {
  const message = 'the login is over';
  return new SkepError(0, 'client.stream_ended', { message, details: { reason: 'login' } });
}
