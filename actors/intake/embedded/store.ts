/** `backend: embedded`: LMDB behind the log, or alone (`wal_jsonl: false`). Tables: storage/catalogue.ts 60–66. */
import { limits } from '#config/limits.ts';
import { TABLES } from '#storage/catalogue.ts';
import type { Environment, Write } from '#storage/environment.ts';
import { openLog } from '#storage/log/jsonl-log.ts';
import type { LogLine, Place } from '#storage/log/read-back.ts';
import { encodeRecord } from '#storage/record.ts';
import { Table } from '#storage/table.ts';
import type { Clock } from '#actors/kit/clock.ts';
import { nextTurn } from '#actors/host/pace/next-turn.ts';
import { NOTICE_KINDS, type NoticeKind } from '#actors/protocol/notice.ts';
import type { Columns } from '../columns.ts';
import { deliveryWrite, keeperWrite, knownKeepers, noDelivery, pendingDeliveries } from '../delivery/store.ts';
import { entryOf } from '../erasure/log-entry.ts';
import { isFrom, type Person } from '../erasure/person.ts';
import { assertGoing, eraseFromLog, type ErasableLog } from '../erasure/store.ts';
import { isBinding, type FirstUse } from '../idempotency.ts';
import { ExpiredFiles, logOptions, logPort, type LogSettings } from '../log/store.ts';
import { keptUntilMs, type Retentions } from '../retention.ts';
import { digestOf, type Accepted, type Submission } from '../submission.ts';
import type { ErasureTurns, IntakeStore, KindsOf, PendingNotice, TenantOf } from '../store-port.ts';
import type { DatabasePort } from '../writer.ts';

/** The part of an LMDB environment that the store uses. */
export type Database = Pick<Environment, 'get' | 'range' | 'commit' | 'close' | 'copyTo'>;

/** What the database has taken in: the newest id, and the end of its line in the log (null while there was no log, or no line in it). */
interface LogPlace {
  readonly id: string;
  readonly place: Place | null;
  /** The log had no line yet: each is a new one, also where a crash has kept the first from the database. */
  readonly followed?: true;
}

/** A key by the id of its first use: ids grow with time. */
interface KeyAge {
  readonly id: string;
  readonly form: string;
  readonly key: string;
  readonly received_at: string;
}

interface OutboxEntry {
  readonly id: string;
  readonly kind: NoticeKind;
  readonly form: string;
}

const submissions = new Table<Submission>('submission', TABLES.submission);
const formColumns = new Table<Columns>('form_columns', TABLES.form_columns);
const firstUses = new Table<FirstUse>('submission_key', TABLES.submission_key);
const keyAges = new Table<KeyAge>('submission_key_age', TABLES.submission_key_age);
const outbox = new Table<OutboxEntry>('notice_outbox', TABLES.notice_outbox);
const formExpired = new Table<{ readonly through: string }>('form_expired', TABLES.form_expired);
const logPlace = new Table<LogPlace>('log_place', TABLES.log_place);

const none: KindsOf = () => [];

/** Opens the store with the log, or without it (null), and takes in lines of the log that the database does not have. */
export async function openEmbeddedStore(
  database: Database,
  log: LogSettings | null,
  clock: Clock,
  kindsOf: KindsOf = none,
  tenantOf: TenantOf = () => undefined,
): Promise<IntakeStore> {
  const port = new DatabaseCommits(database, clock);
  const replay = new Replay(port, clock, { kindsOf, tenantOf });
  const opened =
    log === null ? null : await openLog(logOptions(log, clock), { place: port.place }, (line) => replay.add(line));
  await replay.flush();
  if (opened !== null && replay.place === null) await port.follow();
  const files = opened === null || log === null ? null : new ExpiredFiles(opened, log.disk, clock);
  return {
    log: opened === null ? null : logPort(opened, log?.answerMs),
    database: port,
    lastId: port.lastId,
    replayed: replay.lines,
    notices: pendingNotices(database),
    deliveries: pendingDeliveries(database),
    keepers: knownKeepers(database),
    recordKeeper: (tenant) => port.later(keeperWrite(tenant)),
    submissions: async (of) => of.map(({ form, id }) => submissions.get(database, form, id)),
    forgetDelivery: (form, id) => port.later(noDelivery(form, id)),
    columns: (form) => formColumns.get(database, form),
    recordColumns: (columns) => port.write(columnWrites(database, columns)),
    firstUse: (form, key) => firstUses.get(database, form, key),
    forgetNotice: (id, kind) => port.later([outbox.key(id, kind), null]),
    sweepKeys: () => port.sweep(),
    expire: async (retentions) => ({
      rows: await port.expire(retentions),
      files: (await files?.drop(retentions)) ?? 0,
    }),
    erase: (person, turns) =>
      erase(port, opened === null ? null : { log: opened, disk: log!.disk, files: files!, clock }, person, turns),
    hasRoom: () => true,
    copyTo: async (directory) => {
      await database.copyTo(directory);
      return true;
    },
    rotate: async () => opened === null || opened.rotate(),
    close: async () => {
      await port.flush();
      await opened?.close();
      await database.close();
    },
  };
}

/**
 * The log first, then the rows: what is rebuilt from a log that a crash left has nothing of the person that the log has not. Rows and lines that come
 * while it runs are left alone, in both.
 */
async function erase(
  port: DatabaseCommits,
  log: ErasableLog | null,
  person: Person,
  turns: ErasureTurns,
): Promise<ReadonlyMap<string, string>> {
  let through = '';
  const rotated = (): void => void (through = port.lastId);
  const erased = new Map<string, string>();
  if (log === null) await turns.between(async () => rotated());
  else
    for (const [id, form] of await eraseFromLog(
      { ...log, rotated, grown: (place) => port.moved(place) },
      person,
      turns,
    ))
      erased.set(id, form);
  // Rows up to `through` may still be under way.
  await port.flush();
  for (const form of person.fields.keys())
    for (const id of await port.eraseRows(form, through, person, turns)) erased.set(id, form);
  return erased;
}

/** The outbox, without entries whose submission is gone, as after a rebuild from the log. */
function pendingNotices(database: Database): PendingNotice[] {
  const found: PendingNotice[] = [];
  for (const { id, kind, form } of outbox.scan(database)) {
    const submission = submissions.get(database, form, id);
    if (submission !== undefined) found.push({ submission, kind });
  }
  return found;
}

function columnWrites(database: Database, columns: ReadonlyMap<string, Columns>): Write[] {
  return [...columns].map(([form, added]) => {
    const all = { ...formColumns.get(database, form), ...added };
    return [formColumns.key(form), encodeRecord(TABLES.form_columns.version, all)];
  });
}

/** Deletes rows and records the newest of them: `intake verify` does not report rows that were deleted on purpose. */
function expiryWrites(form: string, ids: readonly string[]): Write[] {
  const through = ids.at(-1);
  if (through === undefined) return [];
  const writes = ids.flatMap((id): Write[] => [[submissions.key(form, id), null], noDelivery(form, id)]);
  return [...writes, [formExpired.key(form), encodeRecord(TABLES.form_expired.version, { through })]];
}

/** Commits batches, and other writes between them: LMDB takes one commit at a time. */
class DatabaseCommits implements DatabasePort<Accepted, Place> {
  readonly #database: Database;
  readonly #clock: Clock;
  #last: LogPlace;
  #tail: Promise<void> = Promise.resolve();
  #running = 0;
  /** Writes that join the next commit. */
  #side: Write[] = [];

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
    this.#last = logPlace.get(database, 'last') ?? { id: '', place: null };
  }

  get place(): Place | null {
    return this.#last.place;
  }

  /** Whether lines of the log that the database lacks are new: it is none that is built again out of an old log. */
  get follows(): boolean {
    return this.#last.place !== null || this.#last.followed === true;
  }

  get lastId(): string {
    return this.#last.id;
  }

  /** The log has no line yet. */
  async follow(): Promise<void> {
    if (!this.follows) await this.#moveTo({ ...this.#last, followed: true });
  }

  #moveTo(place: LogPlace): Promise<void> {
    this.#last = place;
    return this.write([[logPlace.key('last'), encodeRecord(TABLES.log_place.version, place)]]);
  }

  /** Commits the batch with its idempotency keys, its notices and the log's place, and deletes some expired keys. */
  commit(batch: readonly Accepted[], place: Place | null): Promise<void> {
    const writes: Write[] = [];
    for (const submission of batch) this.#add(writes, submission);
    this.#last = { id: batch.at(-1)!.id, place: place ?? this.#last.place };
    writes.push([logPlace.key('last'), encodeRecord(TABLES.log_place.version, this.#last)]);
    return this.#inTurn(() => [...this.#expiredKeys(), ...writes]); // a key that expires here may be used again here
  }

  /** Records the end of the log, which has grown by a line without a submission. */
  moved(place: Place): Promise<void> {
    return this.#moveTo({ id: this.#last.id, place });
  }

  /** Deletes a person's rows of a form up to an id, with their notices and keys, a slice a commit; gives their ids. */
  async eraseRows(form: string, through: string, person: Person, turns: ErasureTurns): Promise<readonly string[]> {
    const erased: string[] = [];
    for (let after: string | null = ''; after !== null;) {
      assertGoing(turns);
      const slice: { rows: Submission[]; next: string | null } = this.#slice(form, after, through);
      const rows = slice.rows.filter((row) => isFrom(person, row));
      turns.found(rows.map(({ id }) => id));
      if (rows.length > 0) await this.#inTurn(() => rows.flatMap((row) => this.#erasedRow(row)));
      for (const { id } of rows) erased.push(id);
      after = slice.next;
      await nextTurn();
    }
    return erased;
  }

  /** Rows of a form behind an id; `next` is null at the end. */
  #slice(form: string, after: string, through: string): { rows: Submission[]; next: string | null } {
    const rows: Submission[] = [];
    for (const row of submissions.scanFrom(this.#database, [form, after])) {
      if (row.form !== form || row.id > through) return { rows, next: null };
      if (row.id === after) continue;
      rows.push(row);
      if (rows.length >= limits.privacy.formSliceRows) return { rows, next: row.id };
    }
    return { rows, next: null };
  }

  #erasedRow({ form, id, idempotency_key: key }: Submission): Write[] {
    const writes: Write[] = [[submissions.key(form, id), null], noDelivery(form, id)];
    for (const kind of NOTICE_KINDS) writes.push([outbox.key(id, kind), null]);
    if (key === '') return writes;
    writes.push([keyAges.key(id), null]);
    if (firstUses.get(this.#database, form, key)?.id === id) writes.push([firstUses.key(form, key), null]);
    return writes;
  }

  /** Commits other writes. */
  write(writes: readonly Write[]): Promise<void> {
    return this.#inTurn(() => writes);
  }

  /** Adds a write that no caller waits for to the next commit; starts one when none is running. */
  later(write: Write): void {
    this.#side.push(write);
    // A failed commit ends the process by itself.
    if (this.#running === 0) this.flush().catch(() => undefined);
  }

  /** Commits the writes of `later`. */
  flush(): Promise<void> {
    return this.#inTurn(() => []);
  }

  /** Deletes every expired key, in several commits. */
  async sweep(): Promise<void> {
    let found: readonly Write[];
    do {
      found = [];
      await this.#inTurn(() => (found = this.#expiredKeys()));
    } while (found.length > 0);
  }

  /** Deletes every row past its retention, in several commits; gives how many. */
  async expire(retentions: Retentions): Promise<number> {
    let rows = 0;
    for (const form of retentions.keys()) {
      let ids: readonly string[];
      do {
        ids = [];
        await this.#inTurn(() => {
          ids = this.#expiredOf(form, retentions);
          return expiryWrites(form, ids);
        });
        rows += ids.length;
      } while (ids.length > 0);
    }
    return rows;
  }

  /** The oldest ids of a form that have expired, at most as many as one commit deletes. */
  #expiredOf(form: string, retentions: Retentions): readonly string[] {
    const ids: string[] = [];
    for (const submission of submissions.scan(this.#database, [form])) {
      const isKept = keptUntilMs(submission, retentions) > this.#clock.now();
      if (isKept || ids.length >= limits.intake.keySweepMax) break;
      ids.push(submission.id);
    }
    return ids;
  }

  #inTurn(make: () => readonly Write[]): Promise<void> {
    this.#running++;
    const mine = this.#tail.then(async () => {
      const writes = [...make(), ...this.#side];
      this.#side = [];
      if (writes.length > 0) await this.#database.commit(writes);
    });
    this.#tail = mine;
    const over = (): void => void this.#running--;
    mine.then(over, over);
    return mine;
  }

  #add(writes: Write[], { notices, tenant, trace: _trace, ...submission }: Accepted): void {
    const { form, id, received_at, fields, idempotency_key: key } = submission;
    writes.push([submissions.key(form, id), encodeRecord(TABLES.submission.version, submission)]);
    for (const kind of notices)
      writes.push([outbox.key(id, kind), encodeRecord(TABLES.notice_outbox.version, { id, kind, form })]);
    if (tenant !== undefined) writes.push(deliveryWrite({ tenant, form, id }));
    const use: FirstUse = { id, received_at, digest: key === '' ? '' : digestOf(fields) };
    if (key === '' || !isBinding(use, this.#clock.now())) return;
    writes.push([firstUses.key(form, key), encodeRecord(TABLES.submission_key.version, use)]);
    const age: KeyAge = { id, form, key, received_at };
    writes.push([keyAges.key(id), encodeRecord(TABLES.submission_key_age.version, age)]);
  }

  /** Deletes the oldest expired keys. The row of a key that was used again stays: it belongs to the newer use. */
  #expiredKeys(): readonly Write[] {
    const writes: Write[] = [];
    for (const age of keyAges.scan(this.#database)) {
      if (writes.length >= limits.intake.keySweepMax || isBinding({ ...age, digest: '' }, this.#clock.now())) break;
      writes.push([keyAges.key(age.id), null]);
      if (firstUses.get(this.#database, age.form, age.key)?.id === age.id)
        writes.push([firstUses.key(age.form, age.key), null]);
    }
    return writes;
  }
}

/** What forms put into the outboxes. */
interface Outboxes {
  readonly kindsOf: KindsOf;
  readonly tenantOf: TenantOf;
}

/** Takes lines of the log into the database, in groups. */
class Replay {
  readonly #port: DatabaseCommits;
  readonly #clock: Clock;
  readonly #of: Outboxes;
  /** The database is not a new one, so that lines which a crash kept from it still get their notices, and reach their tenants. */
  readonly #continues: boolean;
  #group: Accepted[] = [];
  /** The end of what was read; null where there was no line. */
  place: Place | null = null;
  lines = 0;

  constructor(port: DatabaseCommits, clock: Clock, of: Outboxes) {
    this.#port = port;
    this.#clock = clock;
    this.#of = of;
    this.#continues = port.follows;
  }

  /** Of lines that are no submission only the place counts. */
  async add(line: LogLine): Promise<void> {
    this.place = line.place;
    const entry = entryOf(line);
    if (entry.kind !== 'submission') return;
    const { submission } = entry;
    const tenant = this.#continues ? this.#of.tenantOf(submission.form) : undefined;
    this.#group.push({ ...submission, notices: this.#noticesOf(submission), ...(tenant !== undefined && { tenant }) });
    this.lines++;
    if (this.#group.length >= limits.intake.replayLinesMax) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#group.length === 0) return;
    await this.#port.commit(this.#group, this.place);
    this.#group = [];
  }

  #noticesOf({ form, received_at }: Submission): readonly NoticeKind[] {
    const isFresh = Date.parse(received_at) > this.#clock.now() - limits.intake.noticeReplayMs;
    return this.#continues && isFresh ? this.#of.kindsOf(form) : [];
  }
}
