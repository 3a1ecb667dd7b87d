/** Writes that outlive the network and the page: `offlineQueue(client)`. */
import type { Client } from './create-client.ts';
import { Entity } from './entity.ts';
import { SkepError } from './errors.ts';
import { readyOf } from './queue-entry.ts';
import type { Entry } from './queue-entry.ts';
import { Queue } from './queue.ts';
import { indexedStore } from './queue-store.ts';
import type { QueueStore } from './queue-store.ts';
import type { Create, EntityName, Field, Row, SchemaTypes, Update } from './schema.ts';
import { newKey } from './transport.ts';
import type { Answer, Ask, Transport } from './transport.ts';
import { newUlid } from './ulid.ts';

export interface OfflineOptions {
  /**
   * The user of the login of now, where its token cannot be read: in cookies, and with a `token` that is not of Skep. It holds until the next login or logout; then close this queue and make
   * another one.
   */
  readonly as?: string;
  /** Where entries are kept: IndexedDB unless set. */
  readonly store?: QueueStore;
  /** The most entries of a user that wait: 1,000 unless set. */
  readonly entriesMax?: number;
  /** The most bytes of them together: 4 MiB unless set. */
  readonly bytesMax?: number;
  /** The id of a new row: a ULID unless set. Null leaves it to the node. */
  readonly newId?: (entity: string) => string | null;
  /** A write that has no answer by then is told as waiting: 5,000 ms unless set. */
  readonly patienceMs?: number;
}

/** What became of a write: its rows, as the node has them; null while it waits, or where its answer was lost. */
export interface Written<R> {
  /** The ids of the rows, as far as they are known before the answer. */
  readonly ids: readonly string[];
  readonly rows: readonly R[] | null;
}

/** A write that waits. */
export interface QueuedWrite extends Pick<Entry, 'number' | 'entity' | 'method' | 'ids' | 'at'> {
  /** The row or the changes that leave, or the rows. */
  readonly body: unknown;
  /** `pending`: for the network, the login, or those before it. `held`: for your decision about an earlier one. `asks` and `refused`: for `keep` or `drop`. */
  readonly state: 'pending' | 'held' | 'asks' | 'refused';
  /** The refusal. With `asks` what the node said, null where its key is too old to ask. */
  readonly error: SkepError | null;
}

/** As of `skep.from(entity)`, for writes that may wait. */
export interface QueuedEntity<S extends SchemaTypes, E extends EntityName<S>> {
  create(rows: Create<S, E> | readonly Create<S, E>[]): Promise<Written<Row<S, E>>>;
  upsert(rows: readonly Create<S, E>[], on: readonly Field<S, E>[]): Promise<Written<Row<S, E>>>;
  update(
    id: string,
    changes: Update<S, E>,
    options?: { readonly version?: number | undefined },
  ): Promise<Written<Row<S, E>>>;
  delete(
    id: string,
    options?: { readonly version?: number | undefined; readonly purge?: boolean },
  ): Promise<Written<Row<S, E>>>;
  restore(id: string): Promise<Written<Row<S, E>>>;
}

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

const ENTRIES_MAX = 1_000;
const BYTES_MAX = 4 * 1024 * 1024;
const PATIENCE_MS = 5_000;

/** Gives the queue of this client, and begins to send what waits in it. */
export function offlineQueue<S extends SchemaTypes>(
  { transport, auth }: Client<S>,
  options: OfflineOptions = {},
): OfflineQueue<S> {
  const { as, store = indexedStore(), newId = newUlid, patienceMs = PATIENCE_MS } = options;
  const bounds = { entries: options.entriesMax ?? ENTRIES_MAX, bytes: options.bytesMax ?? BYTES_MAX };
  if (store === undefined) throw new TypeError('there is no IndexedDB here: name a `store`');
  if (as === undefined && transport.credential?.inCookies === true)
    throw new TypeError('no script can read whose a login in cookies is: name its user as `as`');
  const listeners = new Set<(entries: readonly QueuedWrite[]) => void>();
  const tabs = between(`skep queue ${transport.place}`, () => void tell());
  const queue = new Queue({ transport, auth, store, bounds, as, patienceMs }, () => {
    tabs?.postMessage(0);
    void tell();
  });
  const entries = async (): Promise<readonly QueuedWrite[]> => shown(await queue.entries());
  let isTelling = false;
  let isLate = false;
  /** What changes while the entries are read is read again. */
  async function tell(): Promise<void> {
    isLate = true;
    if (isTelling || listeners.size === 0) return;
    isTelling = true;
    while (isLate) {
      isLate = false;
      const now = await entries().catch(() => []);
      listeners.forEach((listener) => listener(now));
    }
    isTelling = false;
  }
  queue.nudge();
  return {
    get stoppedBy() {
      return queue.stoppedBy;
    },
    from: (entity) => rowsOf(queue, transport, entity, newId),
    entries,
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    replay: () => queue.replay(),
    keep: (number) => queue.keep(number),
    drop: (number) => queue.drop(number),
    close: () => {
      queue.close();
      tabs?.close();
    },
  };
}

/** What an entity throws where its write waits: there is no row to give. */
const WAITS = new Error('the write waits');

function rowsOf<S extends SchemaTypes, E extends EntityName<S>>(
  queue: Queue,
  transport: Transport,
  entity: E,
  newId: (entity: string) => string | null,
): QueuedEntity<S, E> {
  type Rows = Entity<S, E>;
  type Result = Row<S, E> | readonly Row<S, E>[];

  /** `isMade`: the ids were made here, and are of no other row. */
  async function written(
    ids: readonly string[],
    isMade: boolean,
    work: (rows: Rows) => Promise<Result>,
  ): Promise<Written<Row<S, E>>> {
    const send = async (ask: Ask): Promise<Answer> => {
      const { method, path, query, body, headers = {} } = ask;
      const text = body === undefined ? null : JSON.stringify(body);
      const about = { entity, ids, isMade, key: newKey() };
      const answer = await queue.write({ ...about, method, path, query: `${query ?? ''}`, body: text, headers });
      if (answer === null) throw WAITS;
      return answer;
    };
    try {
      const rows = [await work(new Entity(transport, entity, send))].flat() as Row<S, E>[];
      return { ids, rows };
    } catch (thrown) {
      if (thrown !== WAITS) throw thrown;
      return { ids, rows: null };
    }
  }

  return {
    create: (given) => {
      const all = [given].flat() as readonly { readonly id?: string }[];
      const named = all.map((row) => ({ ...row, id: row.id ?? newId(entity) ?? undefined }));
      const ids = named.flatMap(({ id }) => id ?? []);
      const isMade = ids.length > 0 && all.every((row, n) => row.id !== named[n]!.id);
      const rows = named as unknown as Create<S, E>[];
      return written(ids, isMade, (one) => (Array.isArray(given) ? one.create(rows) : one.create(rows[0]!)));
    },
    upsert: (given, on) =>
      written(given.flatMap(({ id }: { readonly id?: string }) => id ?? []), false, (rows) => rows.upsert(given, on)),
    update: (id, changes, { version } = {}) => written([id], false, (rows) => rows.update(id, changes, { version })),
    delete: (id, options) => written([id], false, (rows) => rows.delete(id, options)),
    restore: (id) => written([id], false, (rows) => rows.restore(id)),
  };
}

/** As the user is shown them. */
function shown(entries: readonly Entry[]): readonly QueuedWrite[] {
  const ready = readyOf(entries);
  return entries.map((entry) => {
    const { number, entity, method, ids, at, body, state, error } = entry;
    return {
      ...{ number, entity, method, ids, at },
      body: body === null ? null : (JSON.parse(body) as unknown),
      state: state === 'pending' && !ready.includes(entry) ? 'held' : state,
      error: error === null ? null : new SkepError(error.status, error.code, error),
    };
  });
}

interface Tabs {
  postMessage(message: unknown): void;
  close(): void;
  onmessage: (() => void) | null;
  /** Of Node: it keeps no process alive. */
  unref?(): void;
}

/** The other tabs of the browser; undefined where it cannot reach them. */
function between(name: string, heard: () => void): Tabs | undefined {
  const { BroadcastChannel } = globalThis as unknown as { readonly BroadcastChannel?: new (name: string) => Tabs };
  if (BroadcastChannel === undefined) return undefined;
  const tabs = new BroadcastChannel(name);
  tabs.onmessage = heard;
  tabs.unref?.();
  return tabs;
}
