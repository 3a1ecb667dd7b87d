/**
 * The store of submissions in a PostgreSQL with a synchronous standby, by the rules of the log's connections (docs/decisions/storage.md ST-30). One owner at a time writes: its claim raises the epoch, and each of its changes is one
 * statement that counts only under that epoch, behind the change before it. Why so: docs/decisions/intake.md IN-22.
 */
import { randomUUID } from 'node:crypto';
import { KnownServer } from '#storage/log-engine/postgres/known-server.ts';
import { Line } from '#storage/log-engine/postgres/line.ts';
import type { Session, SessionOptions, Statement } from '#storage/log-engine/postgres/session.ts';
import { EngineRefused, OutcomeUnknown } from '#storage/log-engine/port.ts';
import { untilKnown, type Pause } from '#storage/log-engine/until-known.ts';
import { askedSeal } from '#storage/log-seal/asked-seal.ts';
import type { LogSeal } from '#storage/log-seal/seal.ts';
import { headAfter, NO_CHANGE, OwnerLost } from './change.ts';
import type { Change, Head, KeyUse, StoredLine, WaitingEntry } from './change.ts';
import * as sql from './postgres-statements.ts';
import { createSubmissionTables } from './postgres-tables.ts';
import { headOf, lineOf, numbered, tableOf, type HeadRow, type LineRow, type WrittenChange } from './rows.ts';
import { assertNamed, LineReader, LineWriter, type LinePlace, type SealedRow } from './sealed-lines.ts';

export interface SubmissionsOptions extends SessionOptions {
  /** The node that claims: it must not while one of another name serves. Null where no nodes are known. */
  readonly node: string | null;
  /** By what lines are sealed; null where the log is not. Is asked once, as the store is opened. */
  readonly seal: () => Promise<LogSeal | null>;
  /** Between two calls of which the first had no outcome; rejects to give up. */
  readonly pause: Pause;
}

type Numbers = Record<'seq' | 'at', string>;
type PlaceRow = Omit<LinePlace, keyof Numbers> & Numbers;
type BodyRow = PlaceRow & { readonly id: string; readonly body: Buffer };
type KeyRow = PlaceRow & Pick<KeyUse, 'form' | 'id'> & { readonly key: string; readonly digest: string | null };

interface Read<T> {
  readonly rows: readonly T[];
  /** As it was when they were read. */
  readonly head: Head;
}

/** What is read at once: so many lines, and bytes of their content (the first line always comes). */
export interface Slice {
  readonly lines: number;
  readonly bytes: number;
}

export class PostgresSubmissions {
  readonly #options: SubmissionsOptions;
  readonly #writer: Line;
  /** Reads do not wait behind a change that waits for the standby. */
  readonly #reader: Line;
  #isMade = false;
  readonly #sealed: () => Promise<LogSeal | null>;
  /** Of the claim. */
  #lines: LineWriter | null = null;
  /** The newest head that was acknowledged to this owner; null for one who only reads. */
  #own: Head | null = null;

  constructor(options: SubmissionsOptions) {
    this.#options = options;
    this.#sealed = askedSeal(options.seal);
    const server = new KnownServer(options);
    const open = async (): Promise<Session> => {
      const session = await server.open();
      if (!this.#isMade) await createSubmissionTables(session, options.answerMs).catch(closing(session));
      this.#isMade = true;
      return session;
    };
    const heard = (session: Session): void => server.heard(session);
    this.#writer = new Line(open, heard);
    this.#reader = new Line(open, heard);
  }

  /** Opens its connections, and has the keys of a sealed log, before they are needed. Rejects as `Session.open` and `seal` do. */
  async connect(): Promise<void> {
    const nothing = (): Promise<void> => Promise.resolve();
    const seal = this.#sealed();
    await this.#writer.run(nothing);
    await this.#reader.run(nothing);
    await seal;
  }

  /** Takes the store from its owner. What that one had acknowledged is before the claim, and nothing of it comes behind. Rejects with OwnerLost where another one claims at the same time, or another node serves, and with EngineRefused where lines are sealed and `seal` gives no keys. */
  async claim(): Promise<Head> {
    const seal = await untilKnown(() => this.#sealed(), this.#options.pause);
    const head = await this.#claimed(seal);
    const lines = new LineWriter(seal);
    this.#lines = lines;
    const mark = head.mark === null ? lines.mark(head.seq + 1) : null;
    return mark === null ? head : this.#commit(head, { ...NO_CHANGE, lines: [], mark });
  }

  #claimed(seal: LogSeal | null): Promise<Head> {
    const token = randomUUID();
    let seen: number | null = null;
    const { node } = this.#options;
    return this.#change(async (session) => {
      if (seen === null) {
        const { epoch, mark } = headOf(await oneOf(session, sql.LOOK));
        assertNamed(seal, mark);
        seen = epoch;
      }
      const name = node === null ? 'skep_intake_claim' : 'skep_intake_claim_as';
      const [made] = await session.change<HeadRow>({
        name,
        text: sql.claim(node !== null),
        values: [seen, token, node],
      });
      if (made !== undefined) return this.#owns(headOf(made));
      const again = { name: 'skep_intake_claim_again', text: sql.CLAIM_AGAIN, values: [seen, token] };
      const [found] = await session.change<HeadRow>(again);
      if (found !== undefined) return this.#owns(headOf(found));
      throw new OwnerLost('another node serves the submissions of forms');
    });
  }

  /**
   * Makes a change behind the head that the owner knows; gives the head behind it, on all copies. Where the outcome is unknown it is asked again with the same arguments. Rejects with OwnerLost and
   * EngineRefused, and when `pause` does.
   */
  commit(head: Head, change: Change): Promise<Head> {
    return this.#commit(head, { ...change, lines: this.#lines!.write(change.lines, head), mark: null });
  }

  #commit(head: Head, change: WrittenChange): Promise<Head> {
    const after = headAfter(head, change, change.lines);
    const next = change.mark === null ? after : { ...after, mark: change.mark };
    const values = tableOf(head, next, change, this.#options.replication === 'strict');
    return this.#change(async (session) => {
      const made = await session.change({ name: 'skep_intake_commit', text: sql.COMMIT, values });
      if (made.length > 0) return this.#owns(next);
      const look = { name: 'skep_intake_look', text: sql.LOOK_DURABLY, values: [] };
      const [row] = await session.change<HeadRow>(look);
      const now = headOf(row ?? missing());
      if (now.epoch !== head.epoch) throw new OwnerLost('another node has taken the submissions of forms');
      if (now.no === next.no) return this.#owns(next);
      if (now.no === head.no) throw new OutcomeUnknown('the server has no standby');
      throw new EngineRefused(`the store of submissions has ${now.no} changes, and ${head.no} were acknowledged`);
    });
  }

  /** Lines behind a place, of one form (without those that are gone) or all. Fewer than `slice.lines` do not mean the end: an empty answer does. */
  async lines(after: number, { lines, bytes }: Slice, form: string | null = null): Promise<readonly StoredLine[]> {
    const statement =
      form === null
        ? { name: 'skep_intake_lines', text: sql.LINES, values: [after, lines, bytes] }
        : { name: 'skep_intake_lines_of', text: sql.LINES_OF, values: [after, lines, bytes, form] };
    const { rows, head } = await this.#read<LineRow>(statement);
    const reader = await this.#readerOf(head, rows.map(numbered));
    return rows.map((row) => lineOf(row, reader));
  }

  /** Contents of submissions by their ids; those that are gone are left out. */
  async bodies(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const statement = { name: 'skep_intake_bodies', text: sql.BODIES, values: [ids] };
    const { rows, head } = await this.#read<BodyRow>(statement);
    const lines = rows.map(numbered);
    const reader = await this.#readerOf(head, lines);
    return new Map(lines.map((line) => [line.id, reader.body(line)!]));
  }

  /** Those of some ids that are there, also where they are gone. */
  async known(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = await this.#read<{ readonly id: string }>({
      name: 'skep_intake_known',
      text: sql.KNOWN,
      values: [ids],
    });
    return new Set(rows.map(({ id }) => id));
  }

  /** Places of the oldest lines of a form that came at `at` or before. */
  async expired(form: string, at: number, limit: number): Promise<readonly number[]> {
    const statement = { name: 'skep_intake_expired', text: sql.EXPIRED, values: [form, at, limit] };
    const { rows } = await this.#read<{ readonly seq: string }>(statement);
    return rows.map(({ seq }) => Number(seq));
  }

  /** The oldest lines of the chain, without their content. */
  async oldest(limit: number): Promise<readonly StoredLine[]> {
    const { rows } = await this.#read<LineRow>({ name: 'skep_intake_oldest', text: sql.OLDEST, values: [limit] });
    const nothing = new LineReader(null, null);
    return rows.map((row) => lineOf({ ...row, form: null, body: null }, nothing));
  }

  /** The newest uses of idempotency keys behind an instant, oldest first. */
  async keys(since: number, limit: number): Promise<readonly KeyUse[]> {
    const { rows, head } = await this.#read<KeyRow>({ name: '', text: sql.KEYS, values: [since, limit] });
    const lines = rows.map(numbered);
    const reader = await this.#readerOf(head, lines);
    const uses = lines.map((line) => {
      const [key, digest] = reader.use(line);
      return { form: line.form, key, id: line.id, at: line.at, digest };
    });
    return uses.toReversed();
  }

  async waiting(): Promise<readonly WaitingEntry[]> {
    return (await this.#read<WaitingEntry>({ name: '', text: sql.WAITING, values: [] })).rows;
  }

  async keepers(): Promise<readonly string[]> {
    const { rows } = await this.#read<{ readonly tenant: string }>({ name: '', text: sql.KEEPERS, values: [] });
    return rows.map(({ tenant }) => tenant);
  }

  /** Recorded columns by form, as JSON. */
  async forms(): Promise<ReadonlyMap<string, string>> {
    const { rows } = await this.#read<{ readonly form: string; readonly columns: string }>({
      name: '',
      text: sql.FORMS,
      values: [],
    });
    return new Map(rows.map(({ form, columns }) => [form, columns]));
  }

  /** Where the store is, as one server shows it. */
  head(): Promise<Head> {
    return untilKnown(
      () => this.#reader.run(async (session) => headOf(await oneOf(session, sql.LOOK))),
      this.#options.pause,
    );
  }

  async close(): Promise<void> {
    await Promise.all([this.#writer.close(), this.#reader.close()]);
  }

  #owns(head: Head): Head {
    this.#own = head;
    return head;
  }

  #change<T>(call: (session: Session) => Promise<T>): Promise<T> {
    return untilKnown(() => this.#writer.run(call), this.#options.pause);
  }

  /** A server that was cut off has less than was acknowledged: an owner takes nothing from it. */
  #read<T>(statement: Statement): Promise<Read<T>> {
    const own = this.#own;
    const read = async (session: Session): Promise<Read<T>> => {
      const head = headOf(await oneOf(session, sql.LOOK));
      if (own !== null) assertKnows(head, own, session);
      return { rows: await session.read<T>(statement), head };
    };
    return untilKnown(() => this.#reader.run(read), this.#options.pause);
  }

  /** What opens these rows. An owner goes by the mark that was acknowledged to it. */
  async #readerOf({ mark }: Head, rows: readonly SealedRow[]): Promise<LineReader> {
    const { pause } = this.#options;
    const seal = await untilKnown(() => this.#sealed(), pause);
    assertNamed(seal, mark);
    const reader = new LineReader(seal, this.#own?.mark ?? mark);
    await untilKnown(() => reader.know(rows), pause);
    return reader;
  }
}

function assertKnows(now: Head, own: Head, session: Session): void {
  if (now.epoch > own.epoch) throw new OwnerLost('another node has taken the submissions of forms');
  if (now.epoch === own.epoch && now.no >= own.no) return;
  session.close();
  throw new OutcomeUnknown('the server that answers does not have what was acknowledged');
}

async function oneOf(session: Session, text: string): Promise<HeadRow> {
  const [row] = await session.read<HeadRow>({ name: '', text, values: [] });
  return row ?? missing();
}

function missing(): never {
  throw new EngineRefused('the row of skep_intake is gone: put the database back from its backup');
}

const closing = (session: Session) => (error: unknown) => {
  session.close();
  throw error;
};
