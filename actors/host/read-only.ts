/**
 * Calls of a read-only tenant: what they stage is judged where it would be kept, whichever handler staged it. Only tables that a login or a
 * read needs are written (`whileReadOnly` of storage/catalogue.ts); a table that does not say so, and every entity, is not.
 * The node's own work, an operator's verbs among it, is not judged. Spec: docs/contract/tenants.md §1.3.
 */
import { TABLES, type TableRow } from '#storage/catalogue.ts';
import type { Bytes, Entry, Turn } from '#storage/port.ts';

/** A call would have written to a tenant that is read-only: nothing of its turn is kept. */
export class TenantReadOnly extends Error {
  override readonly name = 'TenantReadOnly';

  constructor() {
    super('the tenant is read-only');
  }
}

const WRITABLE: ReadonlySet<number> = new Set(
  Object.values(TABLES).flatMap((row: TableRow) => (row.whileReadOnly === true ? [row.no] : [])),
);

const tableOf = (key: Bytes): number => (key.charCodeAt(0) << 8) | key.charCodeAt(1);

/** A turn whose commit throws TenantReadOnly when something was staged that a read-only tenant does not take. */
export class ReadOnlyTurn implements Turn {
  readonly #turn: Turn;
  #isRefused = false;

  constructor(turn: Turn) {
    this.#turn = turn;
  }

  get(key: Bytes): Uint8Array | undefined {
    return this.#turn.get(key);
  }

  range(from: Bytes, to: Bytes, reverse?: boolean): IterableIterator<Entry> {
    return this.#turn.range(from, to, reverse);
  }

  decoded<T extends object>(key: Bytes, decode: (value: Uint8Array) => T): T | undefined {
    return this.#turn.decoded(key, decode);
  }

  put(key: Bytes, value: Uint8Array, decoded?: object): void {
    this.#judge(key);
    this.#turn.put(key, value, decoded);
  }

  del(key: Bytes): void {
    this.#judge(key);
    this.#turn.del(key);
  }

  get dirty(): boolean {
    return this.#turn.dirty;
  }

  get newest(): number {
    return this.#turn.newest;
  }

  get owner(): object | null {
    return this.#turn.owner;
  }

  set owner(owner: object | null) {
    this.#turn.owner = owner;
  }

  get frees(): boolean {
    return this.#turn.frees;
  }

  set frees(frees: boolean) {
    this.#turn.frees = frees;
  }

  prepare(): ReturnType<Turn['prepare']> {
    return this.#turn.prepare();
  }

  commit(): void {
    if (this.#isRefused) {
      this.#turn.abort();
      throw new TenantReadOnly();
    }
    this.#turn.commit();
  }

  abort(): void {
    this.#turn.abort();
  }

  #judge(key: Bytes): void {
    if (!WRITABLE.has(tableOf(key))) this.#isRefused = true;
  }
}
