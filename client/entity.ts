/** The rows of one entity: read, paged, written (docs/contract/data.md §4 to §6). */
import type { Change } from './change.ts';
import { follow } from './changes.ts';
import { matching, queryOf } from './parameters.ts';
import { parametersOf, setConditions, wireOf, type Asked, type ListQuery, type SingleQuery } from './query.ts';
import type { Create, EntityName, Field, Row, RowWith, SchemaTypes, Update, Where } from './schema.ts';
import type { Answer, Ask, Transport } from './transport.ts';

/** Of one write. */
export interface WriteOptions {
  /** Keeps its answer for a day, so that the same write is carried out once; the client makes one for each write unless it is set. */
  readonly key?: string;
  readonly signal?: AbortSignal;
}

export interface ChangeOptions extends WriteOptions {
  /** The version that the row must have: 412 `v2.precondition_failed` where it has another. */
  readonly version?: number | undefined;
}

export interface DeleteOptions extends ChangeOptions {
  /** Removes the row for good, where it would else be marked as deleted. */
  readonly purge?: boolean;
}

export interface Page<R> {
  readonly rows: R[];
  /** Where the next page goes on; null at the end. */
  readonly next: string | null;
  /** How many rows there are in all; null where that is not known. */
  readonly total: number | null;
}

interface Envelope {
  readonly data: readonly unknown[];
  readonly total?: number;
  readonly page?: { readonly has_next_page: boolean; readonly end_cursor: string | null };
}

/** Longer query strings do not pass every proxy: such conditions travel in the body of a search. */
const QUERY_CHARS_MAX = 4_000;

const versions = new WeakMap<object, number>();

/**
 * The version of a row that `get`, `create`, `update` or `restore` gave: what a change of it names as `version`, so that no change of somebody else is lost.
 * Undefined for rows of lists, which do not tell it.
 */
export function versionOf(row: object): number | undefined {
  return versions.get(row);
}

/** Changes of which rows are told, and from when on. */
export interface ChangesQuery<S extends SchemaTypes, E extends EntityName<S>, F extends string> {
  /** Only changes behind this position, which an earlier subscription told; without it those from now on. */
  readonly after?: number;
  /** The rows first, then the changes behind them. */
  readonly snapshot?: boolean;
  readonly where?: Where<S, E>;
  readonly fields?: readonly (F & Field<S, E>)[];
  readonly signal?: AbortSignal;
  /** Called with true once changes are told as they happen, with false once the connection is broken, and tried again, or the loop has ended. */
  readonly onLive?: (isLive: boolean) => void;
}

export class Entity<S extends SchemaTypes, E extends EntityName<S>> {
  readonly #transport: Transport;
  readonly #entity: string;
  readonly #path: string;
  readonly #send: (ask: Ask) => Promise<Answer>;

  /** `send`: what carries out requests for single rows and writes, where that is not the transport. */
  constructor(transport: Transport, entity: E, send?: (ask: Ask) => Promise<Answer>) {
    this.#transport = transport;
    this.#send = send ?? ((ask) => transport.send(ask));
    this.#entity = entity;
    this.#path = `/data/rest/${encodeURIComponent(entity)}`;
  }

  /** The rows that meet the conditions, at most `limit`. */
  async list<const F extends Field<S, E> = Field<S, E>, const P extends string = never>(
    query: ListQuery<S, E, F, P> = {},
  ): Promise<RowWith<S, E, F, P>[]> {
    return (await this.#list(query, null)).data as RowWith<S, E, F, P>[];
  }

  /** One page; `after` is `next` of the page before it. */
  async page<const F extends Field<S, E> = Field<S, E>, const P extends string = never>(
    query: ListQuery<S, E, F, P> & { readonly after?: string | null } = {},
  ): Promise<Page<RowWith<S, E, F, P>>> {
    const { data, page, total = null } = await this.#list(query, query.after ?? '');
    const next = page?.has_next_page === true ? page.end_cursor : null;
    return { rows: data as RowWith<S, E, F, P>[], next, total };
  }

  /** All rows that meet the conditions, page by page. Rows that are inserted meanwhile shift none. */
  async *each<const F extends Field<S, E> = Field<S, E>, const P extends string = never>(
    query: ListQuery<S, E, F, P> = {},
  ): AsyncGenerator<RowWith<S, E, F, P>, void> {
    let after: string | null = '';
    do {
      const page: Page<RowWith<S, E, F, P>> = await this.page({ ...query, after });
      yield* page.rows;
      after = page.next;
    } while (after !== null);
  }

  /** One row. Throws 404 `v2.row_not_found` where it is not there for the caller. */
  async get<const F extends Field<S, E> = Field<S, E>, const P extends string = never>(
    id: string,
    query: SingleQuery<S, E, F, P> = {},
  ): Promise<RowWith<S, E, F, P>> {
    const { signal } = query;
    const ask = { method: 'GET', path: this.#at(id), query: parametersOf(query as Asked), signal };
    return (await this.#row(ask)) as RowWith<S, E, F, P>;
  }

  /** Creates a row, or all rows of a list: all or none. */
  // A compiler explains the last of these: what is wrong with a row, since most calls name one.
  create(rows: readonly Create<S, E>[], options?: WriteOptions): Promise<Row<S, E>[]>;
  create(row: Create<S, E>, options?: WriteOptions): Promise<Row<S, E>>;
  async create(body: object, { key, signal }: WriteOptions = {}): Promise<Row<S, E> | Row<S, E>[]> {
    const ask = { method: 'POST', path: this.#path, body, key, signal };
    if (!Array.isArray(body)) return this.#row(ask);
    const { data } = (await this.#send(ask)).json as Envelope;
    return data;
  }

  /**
   * Creates rows, or changes those that hold the same values of the unique key `on`: all of them or none. Gives the rows in the order of `rows`. The caller
   * may read the entity.
   */
  async upsert(
    rows: readonly Create<S, E>[],
    on: readonly Field<S, E>[],
    { key, signal }: WriteOptions = {},
  ): Promise<Row<S, E>[]> {
    const query = new URLSearchParams({ '[on]': on.join() });
    const { json } = await this.#send({ method: 'POST', path: this.#path, query, body: rows, key, signal });
    return (json as Envelope).data as Row<S, E>[];
  }

  /** Changes the fields that are named; gives the row after it. */
  async update(id: string, changes: Update<S, E>, options: ChangeOptions = {}): Promise<Row<S, E>> {
    const { key, signal } = options;
    const ask = { method: 'PATCH', path: this.#at(id), body: changes, headers: matching(options), key, signal };
    return this.#row(ask);
  }

  /** Gives the row as it was last, or with the marks of its deletion. */
  async delete(id: string, options: DeleteOptions = {}): Promise<Row<S, E>> {
    const { key, purge, signal } = options;
    const query = queryOf({ purge: purge === true || undefined });
    const ask = { method: 'DELETE', path: this.#at(id), query, headers: matching(options), key, signal };
    return this.#row(ask);
  }

  /** Undoes the deletion of a row that is marked as deleted. */
  async restore(id: string, { key, signal }: WriteOptions = {}): Promise<Row<S, E>> {
    return this.#row({ method: 'POST', path: `${this.#at(id)}/restore`, key, signal });
  }

  /**
   * Each committed change of the rows that the caller may see, once and in order, across broken connections and restarts of the node. It goes on until
   * the caller leaves the loop, or `signal` is aborted. The entity declares `changes: true`.
   */
  changes<const F extends Field<S, E> = Field<S, E>>(
    ...[query = {}]: S['entities'][E]['changes'] extends false ? [never] : [query?: ChangesQuery<S, E, F>]
  ): AsyncGenerator<Change<RowWith<S, E, F, never>>, void> {
    const { after = null, snapshot = false, where, fields, signal, onLive } = query;
    const asked = parametersOf(fields === undefined ? {} : { fields });
    asked.set('entity', this.#entity);
    setConditions(asked, where);
    const subscription = { path: '/data/changes', query: asked, after, snapshot, signal, onLive };
    return (this.#transport.shared?.(subscription) ?? follow(this.#transport, subscription)) as AsyncGenerator<
      Change<RowWith<S, E, F, never>>,
      void
    >;
  }

  async #list(given: object, after: string | null): Promise<Envelope> {
    const asked = given as Asked & { readonly signal?: AbortSignal };
    const { where, signal } = asked;
    const query = parametersOf(asked);
    if (after !== null) query.set('after', after);
    const short = new URLSearchParams(query);
    setConditions(short, where);
    const ask =
      where !== undefined && short.toString().length > QUERY_CHARS_MAX
        ? ({
            method: 'POST',
            path: `${this.#path}/search`,
            query,
            body: { filter: wireOf(where) },
            again: 'safe',
          } as const)
        : ({ method: 'GET', path: this.#path, query: short } as const);
    return (await this.#transport.send({ ...ask, signal })).json as Envelope;
  }

  async #row(ask: Ask): Promise<Row<S, E>> {
    const { json, headers } = await this.#send(ask);
    const row = (json as Envelope).data[0] as Row<S, E>;
    const version = /^"(\d+)"$/.exec(headers.get('etag') ?? '')?.[1];
    if (version !== undefined) versions.set(row, Number(version));
    return row;
  }

  #at(id: string): string {
    return `${this.#path}/id/${encodeURIComponent(id)}`;
  }
}
