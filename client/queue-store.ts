/** Where a queue keeps its entries: in IndexedDB (W3C Indexed Database API 3.0), whose types programs of Node do not have. */
import { SkepError } from './errors.ts';
import { isFull } from './queue-entry.ts';
import type { Bounds, Entry, NewEntry } from './queue-entry.ts';

/** Entries of all owners. What resolves has been written durably. */
export interface QueueStore {
  /** Adds an entry under a number above those of all entries before it; null, and nothing added, where the bounds of its owner are reached. One step among all tabs. */
  add(entry: NewEntry, bounds: Bounds): Promise<number | null>;
  /** The entries of an owner, in the order of their numbers. */
  all(owner: string): Promise<readonly Entry[]>;
  /** Replaces the entry of this number; false where it is gone. */
  put(entry: Entry): Promise<boolean>;
  remove(entry: Entry): Promise<void>;
}

/** A write that the queue does not take: nothing was sent and nothing kept. */
export function notQueued(reason: string, message: string, cause?: unknown): SkepError {
  return new SkepError(0, 'client.not_queued', { message, details: { reason }, cause });
}

const ROWS = 'entries';
/** A release that changes what is stored counts this up, and brings the steps from each version before it to `upgrade`. */
const VERSION = 1;

function upgrade(database: Database, from: number): void {
  if (from < 1) database.createObjectStore(ROWS, { keyPath: 'number', autoIncrement: true });
}

/** A database for each owner; undefined where there is no IndexedDB. Each step opens the database and closes it, so that no tab keeps a newer release from its upgrade. */
export function indexedStore(): QueueStore | undefined {
  const { indexedDB } = globalThis as { readonly indexedDB?: Factory };
  if (indexedDB === undefined) return undefined;

  async function step<T>(
    owner: string,
    mode: 'readonly' | 'readwrite',
    work: (rows: Rows, give: (value: T) => void) => void,
  ): Promise<T> {
    let database: Database | undefined;
    try {
      const opened = (database = await open(indexedDB!, owner));
      return await new Promise<T>((resolve, reject) => {
        const one = opened.transaction(ROWS, mode, { durability: 'strict' });
        let given: T;
        one.oncomplete = () => resolve(given);
        one.addEventListener('abort', () => reject(one.error as Error));
        work(one.objectStore(ROWS), (value) => (given = value));
      });
    } catch (thrown) {
      throw notQueued((thrown as Error).name, String(thrown), thrown);
    } finally {
      database?.close();
    }
  }

  return {
    add: (entry, bounds) =>
      step(entry.owner, 'readwrite', (rows, give) => {
        const found = rows.getAll();
        found.onsuccess = () => {
          if (isFull(found.result as Entry[], entry, bounds)) return give(null);
          const added = rows.add(entry);
          added.onsuccess = () => give(added.result as number);
        };
      }),
    all: (owner) =>
      step(owner, 'readonly', (rows, give) => {
        const found = rows.getAll();
        found.onsuccess = () => give(found.result as Entry[]);
      }),
    put: (entry) =>
      step(entry.owner, 'readwrite', (rows, give) => {
        const found = rows.get(entry.number);
        found.onsuccess = () => {
          give(found.result !== undefined);
          if (found.result !== undefined) rows.put(entry);
        };
      }),
    remove: ({ owner, number }) => step(owner, 'readwrite', (rows) => void rows.delete(number)),
  };
}

function open(factory: Factory, owner: string): Promise<Database> {
  const opening = factory.open(`skep queue ${owner}`, VERSION) as Opening;
  return new Promise((resolve, reject) => {
    opening.onupgradeneeded = ({ oldVersion }) => upgrade(opening.result, oldVersion);
    opening.addEventListener('error', () => reject(opening.error as Error));
    opening.onsuccess = () => resolve(opening.result);
  });
}

interface Wish {
  readonly result: unknown;
  readonly error: unknown;
  onsuccess: (() => void) | null;
  addEventListener(type: 'error', listener: () => void): void;
}
interface Opening extends Wish {
  readonly result: Database;
  onupgradeneeded: ((event: { readonly oldVersion: number }) => void) | null;
}
interface Factory {
  open(name: string, version: number): unknown;
}
interface Database {
  createObjectStore(name: string, options: object): unknown;
  transaction(name: string, mode: string, options: object): Transaction;
  close(): void;
}
interface Transaction {
  readonly error: Error | null;
  oncomplete: (() => void) | null;
  addEventListener(type: 'abort', listener: () => void): void;
  objectStore(name: string): Rows;
}
interface Rows {
  add(row: NewEntry): Wish;
  put(row: Entry): Wish;
  get(key: number): Wish;
  delete(key: number): Wish;
  getAll(): Wish;
}
