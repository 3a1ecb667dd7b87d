/** Writes that outlive the network and the page: `offlineQueue(client)`. */
import type { Client } from './create-client.ts';
import { Queue, type OfflineQueue } from './queue.ts';
import { indexedStore, type QueueStore } from './queue-store.ts';
import type { NewId } from './queued-write.ts';
import type { SchemaTypes } from './schema.ts';
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
  readonly newId?: NewId;
  /** A write that has no answer by then is told as waiting: 5,000 ms unless set. */
  readonly patienceMs?: number;
}

const MOST = { entriesMax: 1_000, bytesMax: 4 * 1024 * 1024, patienceMs: 5_000 };

/** Gives the queue of this client, and begins to send what waits in it. */
export function offlineQueue<S extends SchemaTypes>(
  { transport, auth }: Client<S>,
  options: OfflineOptions = {},
): OfflineQueue<S> {
  const { as, store = indexedStore() } = options;
  if (store === undefined) throw new TypeError('no IndexedDB: name a `store`');
  if (as === undefined && transport.credential?.inCookies === true) throw new TypeError('name the user as `as`');
  const queue = new Queue<S>({ transport, auth, newId: newUlid, ...MOST, ...options, as, store });
  queue.nudge();
  return queue;
}
