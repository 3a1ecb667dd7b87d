/** What was signed last, kept where the log's directory cannot be rolled back with it. */
import { TABLES } from '../catalogue.ts';
import type { Environment } from '../environment.ts';
import { encodeRecord } from '../record.ts';
import { Table } from '../table.ts';
import type { Bytes } from '../port.ts';

/** A signed tree head: its size, its root in base64, the whole note, and what the writer wants to know again after a crash. */
export interface SignedHead {
  readonly size: number;
  readonly root: string;
  readonly note: string;
  readonly memo: Readonly<Record<string, number>>;
}

export interface HeadStore {
  get(logId: string): SignedHead | undefined;
  /** Puts `next` in the place of `before`, durably. Rejects with HeadMoved when another one stands there. */
  swap(logId: string, before: SignedHead | undefined, next: SignedHead): Promise<void>;
}

/** Another process has signed the log in between: this one may not publish anything any more. */
export class HeadMoved extends Error {}

const heads = new Table<SignedHead>('signed_head', TABLES.signed_head);

/** Heads of many logs over one environment: those that arrive while a commit runs share the next one. */
export class LmdbHeads implements HeadStore {
  readonly #database: Pick<Environment, 'get' | 'range' | 'commit'>;
  /** Heads of the commit under way and of the next one, by log id. */
  readonly #latest = new Map<string, SignedHead>();
  #next: [Bytes, Buffer][] = [];
  #running: Promise<void> | null = null;
  #following: Promise<void> | null = null;

  constructor(database: Pick<Environment, 'get' | 'range' | 'commit'>) {
    this.#database = database;
  }

  get(logId: string): SignedHead | undefined {
    return this.#latest.get(logId) ?? heads.get(this.#database, logId);
  }

  async swap(logId: string, before: SignedHead | undefined, next: SignedHead): Promise<void> {
    const present = this.get(logId);
    if (present?.size !== before?.size || present?.root !== before?.root)
      throw new HeadMoved(`${logId}: the signed size is ${present?.size ?? 0}, not ${before?.size ?? 0}`);
    this.#latest.set(logId, next);
    this.#next.push([heads.key(logId), encodeRecord(TABLES.signed_head.version, next)]);
    await this.#commitSoon();
    if (this.#latest.get(logId) === next) this.#latest.delete(logId);
  }

  #commitSoon(): Promise<void> {
    this.#following ??= (this.#running ?? Promise.resolve()).then(() => {
      this.#following = null;
      const writes = this.#next;
      this.#next = [];
      this.#running = this.#database.commit(writes).finally(() => (this.#running = null));
      return this.#running;
    });
    return this.#following;
  }
}
