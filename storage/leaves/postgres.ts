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
import { LeavesAway, LeavesLost } from './port.ts';
import type { Claimed, LeafHead, LeafStore, SideFile } from './port.ts';
import * as sql from './postgres-statements.ts';
import { createLeafTables } from './postgres-tables.ts';
import { joinLeaves, splitLeaves } from './rows.ts';

export interface PostgresLeavesOptions extends SessionOptions {
  /** The life of this node among those on the log. */
  readonly life: string;
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

const { leafReadBytes, leafWriteBytesMax, leavesWaitMs } = limits.audit;

export class PostgresLeaves implements LeafStore {
  readonly #options: PostgresLeavesOptions;
  /** By log, drawn at each claim: a call of before that reaches the server late changes nothing. */
  readonly #writers = new Map<string, string>();
  readonly #adder: Line;
  /** What is claimed, signed or read does not wait behind leaves. */
  readonly #other: Line;
  readonly #additions: Gathered<Session, Addition, LeavesLost | null>;
  #isClosed = false;

  constructor(options: PostgresLeavesOptions) {
    this.#options = options;
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
    const writer = randomUUID();
    const values = [logId, this.#options.life, writer, key];
    const statement = { name: 'skep_leaves_claim', text: sql.CLAIM, values };
    const [row] = await this.#soon((session) =>
      session.change<{ size: string; key: string; head: LeafHead | null }>(statement),
    );
    if (row === undefined) throw new LeavesLost('this node does not serve the log any more');
    this.#writers.set(logId, writer);
    return { size: Number(row.size), key: row.key, head: row.head };
  }

  async append(logId: string, first: number, entries: readonly Uint8Array[]): Promise<void> {
    const addition = {
      log: logId,
      writer: this.#writerOf(logId),
      first,
      count: entries.length,
      bytes: joinLeaves(entries),
    };
    const lost = await this.#known(() => this.#additions.ask(addition));
    if (lost !== null) throw lost;
  }

  async publish(logId: string, { size, root, note }: LeafHead): Promise<void> {
    const values = [logId, this.#writerOf(logId), size, JSON.stringify({ size, root, note })];
    await this.#own(logId, { name: 'skep_leaves_publish', text: sql.PUBLISH, values });
  }

  async read(logId: string, from: number, to: number): Promise<Buffer[]> {
    const statement = { name: 'skep_leaves_read', text: sql.READ, values: [logId, from, to, leafReadBytes] };
    const rows = await this.#soon((session) =>
      session.read<{ first: string; count: number; bytes: Buffer }>(statement),
    );
    const at = Number(rows[0]?.first ?? from);
    const all = rows.flatMap(({ bytes, count }) => splitLeaves(bytes, count));
    const found = all.slice(from - at, to - at);
    if (found.length === 0) throw new LeavesLost(`the database has no record ${from} of ${logId}`);
    return found;
  }

  async save(logId: string, files: readonly SideFile[]): Promise<void> {
    const put = [files.map(([path]) => path), byteArray(files.map(([, bytes]) => bytes))];
    await this.#own(logId, {
      name: 'skep_leaves_save',
      text: sql.SAVE,
      values: [logId, this.#writerOf(logId), ...put],
    });
  }

  async paths(logId: string): Promise<string[]> {
    const statement = { name: '', text: sql.PATHS, values: [logId] };
    return (await this.#soon((session) => session.read<{ path: string }>(statement))).map(({ path }) => path);
  }

  async file(logId: string, path: string): Promise<Buffer | null> {
    const statement = { name: '', text: sql.FILE, values: [logId, path] };
    return (await this.#soon((session) => session.read<{ bytes: Buffer }>(statement)))[0]?.bytes ?? null;
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

  #writerOf(logId: string): string {
    const writer = this.#writers.get(logId);
    if (writer === undefined) throw new Error(`${logId} was not claimed`);
    return writer;
  }

  #soon<T>(call: (session: Session) => Promise<T>): Promise<T> {
    return this.#known(() => this.#other.run(call), this.#options.now() + leavesWaitMs);
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
