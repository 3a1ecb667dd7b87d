/** Where a queue keeps its entries: in IndexedDB (W3C Indexed Database API 3.0), whose types programs of Node do not have. */
import { SkepError } from './errors.ts';
import { isFull, type Bounds, type Entry, type NewEntry } from './queue-entry.ts';

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
/** A release that changes what is stored counts this up, and asks `oldVersion` of the event which steps are missing. */
const VERSION = 1;

/** A database for each owner; undefined where there is no IndexedDB. Each step opens the database and closes it, so that no tab keeps a newer release from its upgrade. */
export function indexedStore(): QueueStore | undefined {
  const { indexedDB } = globalThis as { readonly indexedDB?: Factory };
  if (indexedDB === undefined) return undefined;

  async function step<T>(owner: string, mode: 'readonly' | 'readwrite', work: (rows: Rows) => Promise<T>): Promise<T> {
    let database: Database | undefined;
    try {
      database = await open(indexedDB!, owner);
      const one = database.transaction(ROWS, mode, { durability: 'strict' });
      const isWritten = ended(one, 'complete', 'abort');
      const [result] = await Promise.all([work(one.objectStore(ROWS)), isWritten]);
      return result;
    } catch (thrown) {
      throw notQueued((thrown as Error).name, String(thrown), thrown);
    } finally {
      database?.close();
    }
  }

  return {
    add: (entry, bounds) =>
      step(entry.owner, 'readwrite', async (rows) => {
        const held = await resultOf<Entry[]>(rows.getAll());
        return isFull(held, entry, bounds) ? null : resultOf<number>(rows.add(entry));
      }),
    all: (owner) => step(owner, 'readonly', (rows) => resultOf(rows.getAll())),
    put: (entry) =>
      step(entry.owner, 'readwrite', async (rows) => {
        const isThere = (await resultOf(rows.get(entry.number))) !== undefined;
        if (isThere) await resultOf(rows.put(entry));
        return isThere;
      }),
    remove: ({ owner, number }) => step(owner, 'readwrite', (rows) => resultOf(rows.delete(number))),
  };
}

function open(factory: Factory, owner: string): Promise<Database> {
  const opening = factory.open(`skep queue ${owner}`, VERSION) as Opening;
  opening.onupgradeneeded = () => opening.result.createObjectStore(ROWS, { keyPath: 'number', autoIncrement: true });
  return resultOf(opening);
}

/** A transaction goes on while what awaits one of its results asks it for the next. */
async function resultOf<T>(wish: Wish): Promise<T> {
  await ended(wish, 'success', 'error');
  return wish.result as T;
}

const ended = (what: Ending, well: string, badly: string): Promise<void> =>
  new Promise((resolve, reject) => {
    what.addEventListener(well, resolve);
    what.addEventListener(badly, () => reject(what.error));
  });

/** Of the API. */
interface Ending {
  readonly error: unknown;
  addEventListener(type: string, listener: () => void): void;
}
interface Wish extends Ending {
  readonly result: unknown;
}
interface Opening extends Wish {
  readonly result: Database;
  onupgradeneeded: (() => void) | null;
}
interface Factory {
  open(name: string, version: number): unknown;
}
interface Database {
  createObjectStore(name: string, options: object): unknown;
  transaction(name: string, mode: string, options: object): Transaction;
  close(): void;
}
interface Transaction extends Ending {
  objectStore(name: string): Rows;
}
interface Rows {
  add(row: NewEntry): Wish;
  put(row: Entry): Wish;
  get(key: number): Wish;
  delete(key: number): Wish;
  getAll(): Wish;
}
