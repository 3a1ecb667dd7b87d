/** What a database says of the log in it, for people and for a node that starts. */
import type { Follows } from '../nodes-port.ts';
import { EngineRefused, type SnapshotNote } from '../port.ts';
import { followsOf } from './nodes.ts';
import { Session, type SessionOptions } from './session.ts';
import { EVENTS } from './event-statements.ts';
import { NODES } from './node-statements.ts';
import * as sql from './statements.ts';

export interface Cluster {
  /** A UUID, drawn when the log was made. */
  readonly id: string;
  readonly shards: number;
  /** The latest instant in the log, milliseconds since 1970; 0 in an empty one. */
  readonly time: number;
}

export interface ShardRow {
  readonly shard: number;
  readonly owner: string | null;
  readonly epoch: number;
  /** Position of the newest entry. */
  readonly last: number;
  readonly confirmed: number;
  readonly trimmed: number;
  /** The newest copy that was noted. */
  readonly copy: SnapshotNote | null;
}

export interface NodeRow {
  /** Of its life, and its newest beat. */
  readonly id: string;
  readonly beat: number;
  /** Its name. */
  readonly node: string;
  /** As in `Incarnation` (../nodes-port.ts). */
  readonly place: string;
  readonly leaseMs: number;
  readonly isFenced: boolean;
  readonly serves: boolean;
  /** Milliseconds since its newest beat, by the database's clock. */
  readonly silentMs: number;
  /** Null of a life that does not follow the log. */
  readonly follows: Follows | null;
  /** Where the others reach it; absent where they do not. */
  readonly link?: string;
  /** Whether requests at its doors reached the life that serves, at its newest beat; null where it did not say, as one that serves. */
  readonly linked: boolean | null;
  /** The life for which it runs hosts; null where it runs none. */
  readonly carries: string | null;
}

const NO_TABLES = /^42P01/;

/** Where a question goes: a connection of its own, or one that is open and stays so. */
export type Asked = SessionOptions | Session;

/** Rejects with OutcomeUnknown where no primary answers, and with EngineRefused where there is no log of this layout. */
export function clusterOf(options: Asked): Promise<Cluster> {
  return ask(options, async (session) => {
    const [row] = await session.read<Record<string, string>>({ name: '', text: sql.CLUSTER, values: [] });
    if (row === undefined || Number(row['format']) !== sql.FORMAT)
      throw new EngineRefused(
        `the log in this database has layout ${row?.['format']}, and this skep knows ${sql.FORMAT}: take the release that made it`,
      );
    return { id: row['id']!, shards: Number(row['shards']), time: Number(row['time']) };
  });
}

/** All shards, by number. Rejects as `clusterOf`. */
export function shardRows(options: Asked): Promise<ShardRow[]> {
  return ask(options, async (session) => {
    const rows = await session.read<Record<string, string | null> & { readonly note: SnapshotNote | null }>({
      name: '',
      text: sql.SHARDS,
      values: [],
    });
    const number = (value: string | null | undefined): number => Number(value);
    return rows.map((row) => ({
      shard: number(row['shard']),
      owner: row['owner'] ?? null,
      epoch: number(row['epoch']),
      last: number(row['seq']),
      confirmed: number(row['confirmed']),
      trimmed: number(row['trimmed']),
      copy: row.note,
    }));
  });
}

/** Lives of nodes on the log, newest beat first; none in a log that a release without them made and none has joined since. Rejects as `clusterOf`. */
export function nodeRows(options: SessionOptions): Promise<NodeRow[]> {
  return ask(options, async (session) => {
    const text = "select to_regclass('skep_serving') is not null as exists";
    const [tables] = await session.read<{ readonly exists: boolean }>({ name: '', text, values: [] });
    if (!tables!.exists) return [];
    const rows = await session.read<NodeTableRow>({ name: '', text: NODES, values: [] });
    return rows.map(({ incarnation, beat, node, place, lease_ms, fenced, serving, age, ...row }) => ({
      id: incarnation,
      beat: Number(beat),
      node,
      place,
      leaseMs: lease_ms,
      isFenced: fenced,
      serves: serving,
      silentMs: Math.round(Number(age) * 1000),
      follows: followsOf(row.behind, row.behind_ms),
      linked: row.linked,
      carries: row.carries,
      ...(row.link !== null && { link: row.link }),
    }));
  });
}

/** Something that has happened to a node, or to shards of the log. */
export interface EventRow {
  readonly at: Date;
  /** `started`, `serves`, `serves no more`, `hands over`, `carries`, `carries nothing`, `opens`, `closes`, `ended`. */
  readonly kind: string;
  /** Its name; null where it is not known any more. */
  readonly node: string | null;
  /** The other node; of `started` where others reach it, of `opens` and `closes` the place. */
  readonly other: string | null;
  /** Those that were opened or given up together. */
  readonly shards: readonly number[] | null;
  /** Of `ended`: seconds since its newest beat. More than its lease: another node has condemned it. */
  readonly silent_s: number | null;
}

/** The newest events, oldest first; none in a log that no node of this release has joined. Rejects as `clusterOf`. */
export function nodeEvents(options: SessionOptions, max: number): Promise<EventRow[]> {
  return ask(options, async (session) => {
    const text = "select to_regclass('skep_event') is not null as exists";
    const [tables] = await session.read<{ readonly exists: boolean }>({ name: '', text, values: [] });
    return tables!.exists ? session.read<EventRow>({ name: '', text: EVENTS, values: [max] }) : [];
  });
}

interface NodeTableRow {
  readonly incarnation: string;
  readonly beat: string;
  readonly behind: string | null;
  readonly behind_ms: string | null;
  readonly link: string | null;
  readonly linked: boolean | null;
  readonly carries: string | null;
  readonly node: string;
  readonly place: string;
  readonly lease_ms: number;
  readonly fenced: boolean;
  readonly serving: boolean;
  readonly age: string;
}

async function ask<T>(options: Asked, read: (session: Session) => Promise<T>): Promise<T> {
  const isOpen = options instanceof Session;
  const session = isOpen ? options : await Session.open(options);
  try {
    return await read(session);
  } catch (error) {
    if (error instanceof EngineRefused && NO_TABLES.test(error.message))
      throw new EngineRefused('there is no log in this database: skep cluster init makes its tables', { cause: error });
    throw error;
  } finally {
    if (!isOpen) session.close();
  }
}
