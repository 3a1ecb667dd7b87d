/** Writes as the program makes them and is shown them, and as the queue takes them. */
import { Entity } from './entity.ts';
import { errorFrom, type SkepError } from './errors.ts';
import { readyOf, type Entry, type NewEntry } from './queue-entry.ts';
import type { Create, EntityName, Field, Row, SchemaTypes, Update } from './schema.ts';
import { newKey, type Answer, type Ask, type Transport } from './transport.ts';

/** What became of a write: its rows, as the node has them; null while it waits, where its answer was lost, and where another tab has sent it. */
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
  /** The refusal. With `asks` what was answered, null where its key is too old to ask; with `pending` what something else than the node answered, which is tried each minute. */
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
}

/** Gives the id of a new row of an entity; null leaves it to the node. */
export type NewId = (entity: string) => string | null;

/** What a write is before it has an owner and is an entry. */
export type Write = Pick<NewEntry, 'entity' | 'method' | 'path' | 'body' | 'headers' | 'ids' | 'isMade'>;

/** What an entity throws where its write waits: there is no row to give. */
const WAITS = new Error('waits');

/** The writes of an entity, made by its own methods and handed to `write`. */
export function queuedEntity<S extends SchemaTypes, E extends EntityName<S>>(
  transport: Transport,
  entity: E,
  newId: NewId,
  write: (write: Write) => Promise<Answer | null>,
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
      const { method, query, body = null } = ask;
      const path = query?.size ? `${ask.path}?${query.toString()}` : ask.path;
      const json: Record<string, string> = body === null ? {} : { 'Content-Type': 'application/json' };
      const headers = { ...ask.headers, ...json, 'Idempotency-Key': newKey() };
      const text = body === null ? null : JSON.stringify(body);
      const answer = await write({ entity, ids, isMade, method, path, body: text, headers });
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
      written(
        given.flatMap(({ id }: { readonly id?: string }) => id ?? []),
        false,
        (rows) => rows.upsert(given, on),
      ),
    update: (id, changes, { version } = {}) => written([id], false, (rows) => rows.update(id, changes, { version })),
    delete: (id, options) => written([id], false, (rows) => rows.delete(id, options)),
  };
}

/** As the user is shown them. */
export function shown(entries: readonly Entry[]): readonly QueuedWrite[] {
  const ready = readyOf(entries);
  return entries.map((entry) => {
    const { number, entity, method, ids, at, body, state, error } = entry;
    return {
      number,
      entity,
      method,
      ids,
      at,
      body: body === null ? null : (JSON.parse(body) as unknown),
      state: state === 'pending' && !ready.includes(entry) ? 'held' : state,
      error: errorFrom(error),
    };
  });
}
