/** The log engine in a PostgreSQL that has a synchronous standby. */
import { checkEntries } from '../entry-check.ts';
import { OutcomeUnknown, SNAPSHOTS_KEPT, TrimGap, TrimRefused } from '../port.ts';
import type {
  AppendOutcome,
  Chunk,
  Claim,
  ClaimWish,
  LogEngine,
  LogEntry,
  ShardEnd,
  ShardState,
  SnapshotNote,
} from '../port.ts';
import { byteArray } from './binary-array.ts';
import { dropChapters } from './chapters.ts';
import { Gathered } from './gathered.ts';
import { KnownServer } from './known-server.ts';
import { ChapterGone, type Session, type SessionOptions, type Statement } from './session.ts';
import * as sql from './statements.ts';

const ENTRY_BYTES_MAX = 1024 * 1024;

interface ClaimRow {
  readonly shard: number;
  readonly epoch: string;
  readonly seq: string;
  readonly chain: string;
  readonly time: string;
  readonly trimmed: string;
  readonly notes: readonly SnapshotNote[];
}

interface LookRow {
  readonly epoch: string;
  readonly seq: string;
  readonly confirmed: string;
  readonly owner: string | null;
  readonly trimmed: string;
  readonly notes: readonly SnapshotNote[];
}

interface EndRow {
  readonly shard: number;
  readonly seq: string;
  readonly confirmed: string;
}

interface FoundRow {
  readonly shard: number;
  readonly epoch: string;
  readonly chain: string | null;
  readonly entry_epoch: string | null;
}

interface ReadRow {
  readonly shard_epoch: string;
  readonly last: string;
  readonly trimmed: string;
  readonly seq: string | null;
  readonly epoch: string;
  readonly confirmed: string;
  readonly first: string;
  readonly time: string;
  readonly chain: string;
  readonly body: Buffer;
}

type Shard = { readonly shard: number };

export class PostgresEngine implements LogEngine {
  readonly entryBytesMax = ENTRY_BYTES_MAX;
  readonly #options: SessionOptions;
  readonly #server: KnownServer;
  #writer: Session | null = null;
  /** Reads do not wait behind a change that waits for the standby. */
  #reader: Session | null = null;
  #changes: Promise<unknown> = Promise.resolve();
  #reads: Promise<unknown> = Promise.resolve();
  readonly #claims;
  readonly #appends;
  #isClosed = false;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#server = new KnownServer(options);
    const serial = (run: (session: Session) => Promise<void>): Promise<void> => this.#serial(run);
    this.#claims = new Gathered<Session, ClaimWish, Claim | null>({ serial, run: claimAll, fits: areOtherShards });
    this.#appends = new Gathered<Session, readonly LogEntry[], readonly AppendOutcome[]>({
      serial,
      run: (session, appends) => this.#appendAll(session, appends),
      fits: (taken, next) => bytesOf([...taken.flat(), ...next]) <= ENTRY_BYTES_MAX && areOthers(taken.flat(), next),
    });
  }

  /** Opens both connections ahead of the first call, which opens what is missing then. Rejects as a call does. */
  async connect(): Promise<void> {
    await Promise.all([this.#serial(async () => undefined), this.#onReader(async () => undefined)]);
  }

  async look(shard: number): Promise<ShardState> {
    const [row] = await this.#read<LookRow>({ name: 'skep_look', text: sql.LOOK, values: [shard] });
    if (row === undefined) throw new RangeError(`there is no shard ${shard}`);
    return {
      epoch: Number(row.epoch),
      tail: Number(row.seq),
      confirmed: Number(row.confirmed),
      owner: row.owner,
      trimmed: Number(row.trimmed),
      snapshots: row.notes,
    };
  }

  async ends(): Promise<readonly ShardEnd[]> {
    const rows = await this.#read<EndRow>({ name: 'skep_ends', text: sql.ENDS, values: [] });
    return rows.map(({ shard, seq, confirmed }) => ({ shard, tail: Number(seq), confirmed: Number(confirmed) }));
  }

  claim(wish: ClaimWish): Promise<Claim | null> {
    return this.#claims.ask(wish);
  }

  async append(entries: readonly LogEntry[]): Promise<readonly AppendOutcome[]> {
    checkEntries(entries, this.entryBytesMax);
    return entries.length === 0 ? [] : this.#appends.ask(entries);
  }

  async #appendAll(session: Session, appends: readonly (readonly LogEntry[])[]): Promise<readonly AppendOutcome[][]> {
    const entries = appends.flat();
    const added = await this.#add(session, entries);
    const missed = entries.filter(({ shard }) => !added.has(shard));
    const durable = missed.length === 0 ? added : new Set([...added, ...(await settle(session, missed))]);
    return appends.map((one) => one.map(({ shard }) => (durable.has(shard) ? 'durable' : 'lost')));
  }

  /** Shards whose entries came in. */
  async #add(session: Session, entries: readonly LogEntry[]): Promise<ReadonlySet<number>> {
    const isStrict = this.#options.replication === 'strict';
    const statement = { name: 'skep_append', text: sql.APPEND, values: [...columnsOf(entries), isStrict] };
    try {
      return shardsOf(await session.change<Shard>(statement));
    } catch (error) {
      // The chapter was dropped between the statement's moment and its lock: the next one sees the new one.
      if (error instanceof ChapterGone) return shardsOf(await session.change<Shard>(statement));
      throw error;
    }
  }

  readOwn(shard: number, epoch: number, after: number, bytesMax: number): Promise<Chunk | null> {
    return this.#chunk(shard, epoch, after, bytesMax);
  }

  async readConfirmed(shard: number, after: number, bytesMax: number): Promise<Chunk> {
    return (await this.#chunk(shard, null, after, bytesMax))!;
  }

  async #chunk(shard: number, epoch: number | null, after: number, bytesMax: number): Promise<Chunk | null> {
    const rows = await this.#read<ReadRow>({
      name: 'skep_read',
      text: sql.READ,
      values: [shard, epoch, after, bytesMax],
    });
    const [first] = rows;
    if (first === undefined) throw new RangeError(`there is no shard ${shard}`);
    if (epoch !== null && Number(first.shard_epoch) !== epoch) return null;
    if (after < Number(first.trimmed)) throw new TrimGap(shard, after, Number(first.trimmed));
    const entries = rows.filter(({ seq }) => seq !== null).map((row) => entryOf(shard, row));
    return { entries, end: Number(first.last) };
  }

  async release(shard: number, epoch: number): Promise<void> {
    await this.#change({ name: 'skep_release', text: sql.RELEASE, values: [shard, epoch] });
  }

  async noteSnapshot(shard: number, { seq, chain, name }: SnapshotNote): Promise<boolean> {
    const note = JSON.stringify({ seq, chain, name });
    const rows = await this.#changeOr<Shard>(
      { name: 'skep_note', text: sql.NOTE, values: [shard, seq, note, SNAPSHOTS_KEPT] },
      { name: 'skep_note_again', text: sql.NOTE_AGAIN, values: [shard, seq, note] },
    );
    return rows.length > 0;
  }

  async trim(shard: number, seq: number): Promise<void> {
    const rows = await this.#change<Shard>({ name: 'skep_trim', text: sql.TRIM, values: [shard, seq] });
    if (rows.length === 0) throw new TrimRefused(shard, seq);
  }

  async reclaim(): Promise<number> {
    const session = await this.#open();
    try {
      return await dropChapters(session);
    } finally {
      session.close();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#writer?.close();
    this.#reader?.close();
    await Promise.all([this.#changes, this.#reads]);
  }

  #change<T>(statement: Statement): Promise<T[]> {
    return this.#serial((session) => session.change<T>(statement));
  }

  /** A change, and where it changes nothing the one that finds it done. */
  #changeOr<T>(statement: Statement, again: Statement): Promise<T[]> {
    return this.#serial(async (session) => {
      const rows = await session.change<T>(statement);
      return rows.length > 0 ? rows : session.change<T>(again);
    });
  }

  /** One change at a time: two of one connection would be told apart by nothing when a wait is cancelled. */
  #serial<T>(run: (session: Session) => Promise<T>): Promise<T> {
    const ran = this.#changes.then(async () => {
      if (this.#writer?.isOpen !== true) this.#writer = await this.#open();
      const given = await run(this.#writer);
      this.#server.heard(this.#writer);
      return given;
    });
    this.#changes = ran.catch(() => undefined);
    return ran;
  }

  #read<T>(statement: Statement): Promise<T[]> {
    return this.#onReader((session) => session.read<T>(statement));
  }

  #onReader<T>(run: (session: Session) => Promise<T>): Promise<T> {
    const ran = this.#reads.then(async () => {
      if (this.#reader?.isOpen !== true) this.#reader = await this.#open();
      return run(this.#reader);
    });
    this.#reads = ran.catch(() => undefined);
    return ran;
  }

  #open(): Promise<Session> {
    if (this.#isClosed) return Promise.reject(new OutcomeUnknown('the engine is closed here'));
    return this.#server.open();
  }
}

/** What changed nothing is looked for by its token: an earlier call may have done it. */
async function claimAll(session: Session, wishes: readonly ClaimWish[]): Promise<readonly (Claim | null)[]> {
  const claim = async (name: string, text: string, those: readonly ClaimWish[]): Promise<ClaimRow[]> => {
    const [shards, seen] = [those.map(({ shard }) => shard), those.map((wish) => wish.seen)];
    const [owners, tokens] = [those.map(({ owner }) => owner), those.map(({ token }) => token)];
    return session.change<ClaimRow>({ name, text, values: [shards, seen, owners, tokens] });
  };
  const rows = await claim('skep_claim', sql.CLAIM, wishes);
  const missed = wishes.filter(({ shard }) => !rows.some((row) => row.shard === shard));
  if (missed.length > 0) rows.push(...(await claim('skep_claim_again', sql.CLAIM_AGAIN, missed)));
  return wishes.map(({ shard }) => claimOf(rows.find((row) => row.shard === shard)));
}

function claimOf(row: ClaimRow | undefined): Claim | null {
  if (row === undefined) return null;
  const { shard, epoch, seq, chain, trimmed, notes, time } = row;
  return {
    shard,
    epoch: Number(epoch),
    tail: Number(seq),
    chain,
    trimmed: Number(trimmed),
    snapshots: notes,
    time: Number(time),
  };
}

const areOtherShards = (taken: readonly { readonly shard: number }[], { shard }: { readonly shard: number }): boolean =>
  taken.every((one) => one.shard !== shard);

const areOthers = (taken: readonly LogEntry[], next: readonly LogEntry[]): boolean =>
  next.every((entry) => areOtherShards(taken, entry));

const bytesOf = (entries: readonly LogEntry[]): number => entries.reduce((sum, { body }) => sum + body.length, 0);

/** Shards whose entries turn out to be in the log already, and are on all copies. */
async function settle(session: Session, missed: readonly LogEntry[]): Promise<ReadonlySet<number>> {
  const [shards, seqs] = [missed.map(({ shard }) => shard), missed.map(({ seq }) => seq)];
  const found = await session.read<FoundRow>({ name: 'skep_find', text: sql.FIND, values: [shards, seqs] });
  const byShard = new Map(found.map((row) => [row.shard, row]));
  const own = missed.filter(({ shard, epoch }) => Number(byShard.get(shard)?.epoch) === epoch);
  if (own.some(({ shard }) => byShard.get(shard)!.chain === null))
    throw new OutcomeUnknown('the entry before is not there either, or the server has no standby');
  const mine = own.filter(({ shard, epoch, chain }) => {
    const row = byShard.get(shard)!;
    return row.chain === chain && Number(row.entry_epoch) === epoch;
  });
  if (mine.length === 0) return new Set();
  const values = [mine.map(({ shard }) => shard), mine.map(({ epoch }) => epoch)];
  return shardsOf(await session.change<Shard>({ name: 'skep_cover', text: sql.COVER, values }));
}

function columnsOf(entries: readonly LogEntry[]): unknown[] {
  return [
    entries.map(({ shard }) => shard),
    entries.map(({ epoch }) => epoch),
    entries.map(({ seq }) => seq),
    entries.map(({ confirmed }) => confirmed),
    entries.map(({ time }) => time),
    byteArray(entries.map(({ chain }) => Buffer.from(chain, 'hex'))),
    entries.map(({ first }) => first),
    byteArray(entries.map(({ body }) => body)),
  ];
}

function entryOf(shard: number, row: ReadRow): LogEntry {
  return {
    shard,
    epoch: Number(row.epoch),
    seq: Number(row.seq),
    confirmed: Number(row.confirmed),
    first: Number(row.first),
    time: Number(row.time),
    chain: row.chain,
    body: row.body,
  };
}

const shardsOf = (rows: readonly Shard[]): ReadonlySet<number> => new Set(rows.map(({ shard }) => shard));
