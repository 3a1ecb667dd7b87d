/**
 * Leaves in the PostgreSQL that keeps the log, over connections with its rules (docs/decisions/storage.md ST-30): what is not on all copies was not added. A log has one writer, by a token that each
 * change compares; only the node that the log's table names as the serving one may put its own there.
 */
import { randomUUID } from 'node:crypto';
import { limits } from '#config/limits.ts';
import { EngineRefused, OutcomeUnknown } from '#storage/log-engine/port.ts';
import { byteArray } from '#storage/log-engine/postgres/binary-array.ts';
import { Gathered } from '#storage/log-engine/postgres/gathered.ts';
import { KnownServer } from '#storage/log-engine/postgres/known-server.ts';
import { Line } from '#storage/log-engine/postgres/line.ts';
import type { Session, SessionOptions, Statement } from '#storage/log-engine/postgres/session.ts';
import { LeavesAway, LeavesLost, type Claimed, type LeafHead, type LeafStore, type SideFile } from './port.ts';
import * as sql from './postgres-statements.ts';
import { createLeafTables } from './postgres-tables.ts';
import { askedSeal } from '#storage/log-seal/asked-seal.ts';
import type { LogSeal } from '#storage/log-seal/seal.ts';
import { joinLeaves } from './rows.ts';
import { LeafOpener, LeafSealer, type FileRow, type LeafRow, type StoredHead } from './sealed-leaves.ts';

export interface PostgresLeavesOptions extends SessionOptions {
  /** The life of this node among those on the log. */
  readonly life: string;
  /** By what rows are sealed; null where the log is not. Is asked once. */
  readonly seal: () => Promise<LogSeal | null>;
  /** Lies between two calls of which the first had no outcome, for the reason given. */
  readonly pause: (why: Error) => Promise<void>;
  /** Is told of each outcome. */
  readonly answered: () => void;
  /** Milliseconds that only grow. */
  readonly now: () => number;
}

interface Addition {
  readonly log: string;
  readonly writer: string;
  readonly first: number;
  readonly count: number;
  readonly bytes: Buffer;
}

/** What this process has of a log since its claim. */
interface Writer {
  readonly token: string;
  readonly sealer: LeafSealer;
}

type Marked = { readonly mark: Buffer | null };

const { leafReadBytes, leafWriteBytesMax, leavesWaitMs } = limits.audit;

export class PostgresLeaves implements LeafStore {
  readonly #options: PostgresLeavesOptions;
  /** By log, drawn at each claim: a call of before that reaches the server late changes nothing. */
  readonly #writers = new Map<string, Writer>();
  readonly #sealed: () => Promise<LogSeal | null>;
  readonly #adder: Line;
  /** What is claimed, signed or read does not wait behind leaves. */
  readonly #other: Line;
  readonly #additions: Gathered<Session, Addition, LeavesLost | null>;
  #isClosed = false;

  constructor(options: PostgresLeavesOptions) {
    this.#options = options;
    this.#sealed = askedSeal(options.seal);
    const server = new KnownServer(options);
    let isMade = false;
    const open = async (): Promise<Session> => {
      const session = await server.open();
      if (!isMade) await make(session, options.answerMs);
      isMade = true;
      return session;
    };
    const heard = (session: Session): void => server.heard(session);
    this.#adder = new Line(open, heard);
    this.#other = new Line(open, heard);
    this.#additions = new Gathered({
      serial: (run) => this.#adder.run(run),
      run: (session, some) => this.#addAll(session, some),
      fits: (taken, next) => fits(taken, next),
    });
  }

  async sizes(): Promise<ReadonlyMap<string, number>> {
    const statement = { name: '', text: sql.SIZES, values: [] };
    const rows = await this.#soon((session) => session.read<{ log: string; size: string }>(statement));
    return new Map(rows.map(({ log, size }) => [log, Number(size)]));
  }

  async claim(logId: string, key: string): Promise<Claimed> {
    const token = randomUUID();
    const seal = await this.#keyed(() => this.#sealed());
    const values = [logId, this.#options.life, token, key];
    const statement = { name: 'skep_leaves_claim', text: sql.CLAIM, values };
    const [row] = await this.#soon((session) =>
      session.change<{ size: string; key: string; head: StoredHead | null } & Marked>(statement),
    );
    if (row === undefined) throw new LeavesLost('this node does not serve the log any more');
    const size = Number(row.size);
    const sealer = new LeafSealer(seal, logId);
    const opener = new LeafOpener(seal, logId);
    await this.#keyed(() => opener.from(row.mark));
    if (row.mark === null) await this.#note(logId, token, sealer.mark(size));
    const head = await this.#keyed(() => opener.head(row.head));
    this.#writers.set(logId, { token, sealer });
    return { size, key: row.key, head };
  }

  /** Says from where on the rows of a log are sealed. */
  async #note(logId: string, token: string, mark: Buffer | null): Promise<void> {
    if (mark === null) return;
    const statement = { name: 'skep_leaves_mark', text: sql.MARK, values: [logId, token, mark] };
    const noted = await this.#soon((session) => session.change<Marked>(statement));
    if (noted.length === 0) throw new LeavesLost(`another process writes ${logId}`);
  }

  async append(logId: string, first: number, entries: readonly Uint8Array[]): Promise<void> {
    const { token: writer, sealer } = this.#writerOf(logId);
    const count = entries.length;
    const bytes = sealer.leaves(first, count, joinLeaves(entries));
    const addition = { log: logId, writer, first, count, bytes };
    const lost = await this.#known(() => this.#additions.ask(addition));
    if (lost !== null) throw lost;
  }

  async publish(logId: string, head: LeafHead): Promise<void> {
    const { token, sealer } = this.#writerOf(logId);
    const values = [logId, token, head.size, JSON.stringify(sealer.head(head))];
    await this.#own(logId, { name: 'skep_leaves_publish', text: sql.PUBLISH, values });
  }

  async read(logId: string, from: number, to: number): Promise<Buffer[]> {
    const statement = { name: 'skep_leaves_read', text: sql.READ, values: [logId, from, to, leafReadBytes] };
    const rows = await this.#soon((session) =>
      session.read<Omit<LeafRow, 'first'> & { first: string } & Marked>(statement),
    );
    const at = Number(rows[0]?.first ?? from);
    const opener = await this.#opener(logId);
    const sealedFrom = await this.#keyed(() => opener.from(rows[0]?.mark ?? null));
    const all: Buffer[] = [];
    for (const row of rows)
      all.push(...(await this.#keyed(() => opener.leaves({ ...row, first: Number(row.first) }, sealedFrom))));
    const found = all.slice(from - at, to - at);
    if (found.length === 0) throw new LeavesLost(`the database has no record ${from} of ${logId}`);
    return found;
  }

  async save(logId: string, files: readonly SideFile[]): Promise<void> {
    const { token, sealer } = this.#writerOf(logId);
    const rows = files.map((file) => sealer.file(file));
    const put = [rows.map(({ path }) => path), byteArray(rows.map(({ bytes }) => bytes)), rows.map(({ name }) => name)];
    await this.#own(logId, { name: 'skep_leaves_save', text: sql.SAVE, values: [logId, token, ...put] });
  }

  async paths(logId: string): Promise<string[]> {
    const statement = { name: '', text: sql.PATHS, values: [logId] };
    const opener = await this.#opener(logId);
    const rows = await this.#soon((session) => session.read<Omit<FileRow, 'bytes'>>(statement));
    const paths = new Set<string>();
    for (const row of rows) paths.add(await this.#keyed(() => opener.path(row)));
    return [...paths].toSorted();
  }

  async file(logId: string, path: string): Promise<Buffer | null> {
    const opener = await this.#opener(logId);
    const statement = { name: '', text: sql.FILE, values: [logId, opener.places(path)] };
    const [row] = await this.#soon((session) => session.read<FileRow>(statement));
    return row === undefined ? null : this.#keyed(() => opener.file(row));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const line of [this.#adder, this.#other]) line.cut();
  }

  /** One outcome for each: null where its leaves are there. */
  async #addAll(session: Session, some: readonly Addition[]): Promise<(LeavesLost | null)[]> {
    const logs = some.map(({ log }) => log);
    const places = [some.map(({ first }) => first), some.map(({ count }) => count), some.map(({ writer }) => writer)];
    const bytes = byteArray(some.map((one) => one.bytes));
    const values = [logs, ...places, bytes, this.#options.replication === 'strict'];
    const added = await session.change<{ log: string }>({ name: 'skep_leaves_append', text: sql.APPEND, values });
    if (added.length === some.length) return some.map(() => null);
    const look = { name: 'skep_leaves_look', text: sql.LOOK, values: [logs] };
    const found = new Map(
      (await session.change<{ log: string; writer: string; size: string }>(look)).map((row) => [row.log, row]),
    );
    const done = new Set(added.map(({ log }) => log));
    const outcomes: (LeavesLost | null)[] = [];
    for (const one of some)
      outcomes.push(done.has(one.log) ? null : await this.#judge(session, one, found.get(one.log)));
    return outcomes;
  }

  /** Leaves that an earlier call added, whose answer was lost, are found at their place. */
  async #judge(
    session: Session,
    { log, writer, first, count, bytes }: Addition,
    row: { writer: string; size: string } | undefined,
  ): Promise<LeavesLost | null> {
    if (row?.writer !== writer) return new LeavesLost(`another process writes ${log}`);
    const size = Number(row.size);
    const statement = { name: '', text: sql.ROW, values: [log, first] };
    const [kept] = size === first + count ? await session.read<{ bytes: Buffer }>(statement) : [];
    if (kept?.bytes.equals(bytes) === true) return null;
    if (size === first) throw new OutcomeUnknown('the server has no standby');
    return new LeavesLost(`the database has ${size} records of ${log} where ${first} should be`);
  }

  async #own(logId: string, statement: Statement): Promise<void> {
    const rows = await this.#known(() => this.#other.run((session) => session.change(statement)));
    if (rows.length === 0) throw new LeavesLost(`another process writes ${logId}, or what it had is gone`);
  }

  #writerOf(logId: string): Writer {
    const writer = this.#writers.get(logId);
    if (writer === undefined) throw new Error(`${logId} was not claimed`);
    return writer;
  }

  #soon<T>(call: (session: Session) => Promise<T>): Promise<T> {
    return this.#known(() => this.#other.run(call), this.#options.now() + leavesWaitMs);
  }

  async #opener(logId: string): Promise<LeafOpener> {
    return new LeafOpener(await this.#keyed(() => this.#sealed()), logId);
  }

  /** What may ask the vault: the caller comes again where that gives no answer. */
  async #keyed<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof EngineRefused || error instanceof OutcomeUnknown)) throw error;
      throw new LeavesAway(error.message, { cause: error });
    }
  }

  /** Calls again while the outcome is unknown, until a time. */
  async #known<T>(call: () => Promise<T>, until = Infinity): Promise<T> {
    for (;;) {
      try {
        const given = await call();
        this.#options.answered();
        return given;
      } catch (error) {
        if (this.#isClosed) throw new LeavesLost('this process ends', { cause: error });
        if (error instanceof EngineRefused) throw new LeavesAway(error.message, { cause: error });
        if (!(error instanceof OutcomeUnknown)) throw error;
        if (this.#options.now() > until) throw new LeavesAway(error.message, { cause: error });
        await this.#options.pause(error);
      }
    }
  }
}

/** One write of a log at a time, so that its place is known. */
function fits(taken: readonly Addition[], next: Addition): boolean {
  const bytes = taken.reduce((sum, one) => sum + one.bytes.length, next.bytes.length);
  return bytes <= leafWriteBytesMax && taken.every(({ log }) => log !== next.log);
}

async function make(session: Session, lockMs: number): Promise<void> {
  try {
    await createLeafTables(session, lockMs);
  } catch (error) {
    session.close();
    throw error;
  }
}
