/**
 * The vault's store in a PostgreSQL with a synchronous standby, by the rules of the log's connections (docs/decisions/storage.md ST-30): what is not on all copies is not said to be committed, and is not
 * read. Several vaults may share it, and several keepers one vault. Why so: docs/decisions/vault.md VA-26.
 */
import { randomUUID } from 'node:crypto';
import { limits } from '#config/limits.ts';
import { StorageFull } from '#storage/fault.ts';
import { byteArray } from '#storage/log-engine/postgres/binary-array.ts';
import { Gathered } from '#storage/log-engine/postgres/gathered.ts';
import { KnownServer } from '#storage/log-engine/postgres/known-server.ts';
import { Line, LineClosed } from '#storage/log-engine/postgres/line.ts';
import type { Session, SessionOptions, Statement } from '#storage/log-engine/postgres/session.ts';
import { EngineRefused, OutcomeUnknown } from '#storage/log-engine/port.ts';
import { BackendDown, checkChanges, endOf } from './port.ts';
import type { Change, Committed, Health, Listed, Stored, VaultStore } from './port.ts';
import * as sql from './postgres-statements.ts';
import { createVaultTables } from './postgres-tables.ts';

/** `answerMs`: of one statement. A commit whose outcome is unknown is looked up again for limits.vault.postgresTries times as long. */
export interface PostgresVaultOptions extends SessionOptions {
  /** Names the vault among those of the database. */
  readonly prefix: string;
}

interface Row {
  readonly path: string | null;
  readonly version: string;
  readonly value: Buffer;
}

interface LookRow {
  readonly revision: string;
  readonly mine: string | null;
  readonly wrong: string | null;
}

/** A store whose tables are made by the first call that reaches the database. Nothing is asked yet. */
export function openPostgresVault(options: PostgresVaultOptions): VaultStore {
  return new PostgresVault(options);
}

class PostgresVault implements VaultStore {
  readonly #options: PostgresVaultOptions;
  readonly #writer: Line;
  /** Reads do not wait behind a commit whose outcome is looked up. */
  readonly #reader: Line;
  readonly #gets: Gathered<Session, string, Stored | undefined>;
  /** The newest revision that this keeper knows. */
  #seen = 0;
  #waiting = 0;

  constructor(options: PostgresVaultOptions) {
    this.#options = options;
    const server = new KnownServer(options);
    let isMade = false;
    // Once: a vault whose row is gone later was tampered with, and is not begun anew.
    const open = async (): Promise<Session> => {
      const session = await server.open();
      if (!isMade) await begin(session, options);
      isMade = true;
      return session;
    };
    const heard = (session: Session): void => server.heard(session);
    this.#writer = new Line(open, heard);
    this.#reader = new Line(open, heard);
    this.#gets = new Gathered({
      serial: (run) => this.#reader.run(run),
      run: (session, paths) => this.#getAll(session, paths),
      fits: (taken) => taken.length < limits.vault.postgresGetsMax,
    });
  }

  get(path: string): Promise<Stored | undefined> {
    return this.#known(1, () => this.#gets.ask(path));
  }

  async list(prefix: string, after: string | null, limit: number): Promise<readonly Listed[]> {
    if (limit === 0) return [];
    const values = [this.#options.prefix, prefix, after ?? '', endOf(prefix), limit];
    const statement = { name: 'skep_vault_list', text: sql.LIST, values };
    const rows = await this.#known(1, () => this.#reader.run((session) => rowsOf(session, statement)));
    return rows.filter(isEntry).map((row) => ({ path: row.path, ...storedOf(row) }));
  }

  async commit(changes: readonly Change[]): Promise<Committed> {
    checkChanges(changes);
    if (this.#waiting + changes.length > limits.vault.queuedPutsMax) throw new StorageFull('overlay');
    this.#waiting += changes.length;
    const token = randomUUID();
    try {
      return await this.#known(limits.vault.postgresTries, () =>
        this.#writer.run((session) => this.#commitOn(session, token, changes)),
      );
    } finally {
      this.#waiting -= changes.length;
    }
  }

  async healthy(): Promise<Health> {
    const statement = { name: 'skep_vault_health', text: sql.HEALTH, values: [this.#options.prefix] };
    try {
      const [row] = await this.#known(1, () => this.#reader.run((session) => rowsOf<LookRow>(session, statement)));
      return { ok: true, revision: Number(row!.revision) };
    } catch (error) {
      if (!(error instanceof BackendDown)) throw error;
      return { ok: false, why: error.message };
    }
  }

  copyTo(): Promise<boolean> {
    return Promise.resolve(false);
  }

  async close(): Promise<void> {
    await Promise.all([this.#writer.close(), this.#reader.close()]);
  }

  /** The same commit again is found by its token. Ends when it was made, or cannot be; another keeper's commit in between costs one round more. */
  async #commitOn(session: Session, token: string, changes: readonly Change[]): Promise<Committed> {
    const { prefix, replication } = this.#options;
    const expecting = changes.filter(({ expect }) => expect !== undefined);
    const expected = [expecting.map(({ path }) => path), expecting.map(({ expect }) => expect)];
    const puts = changes.filter(({ value }) => value !== undefined);
    const gone = changes.filter(({ value }) => value === undefined).map(({ path }) => path);
    const put = [puts.map(({ path }) => path), byteArray(puts.map(({ value }) => value!))];
    const look = { name: 'skep_vault_look', text: sql.LOOK, values: [prefix, token, ...expected] };
    for (let round = 0; round < limits.vault.postgresRoundsMax; round++) {
      const values = [prefix, this.#seen, token, ...expected, gone, ...put, replication === 'strict'];
      const commit = { name: 'skep_vault_commit', text: sql.COMMIT, values };
      const [made] = await session.change<{ readonly revision: string }>(commit);
      if (made !== undefined) return this.#made(made.revision);
      const [{ revision, mine, wrong }] = (await rowsOf<LookRow>(session, look)) as [LookRow];
      this.#seen = Number(revision);
      if (mine !== null) return { ok: true, revision: Number(mine) };
      if (wrong !== null) return { ok: false, conflict: expecting[Number(wrong) - 1]!.path };
    }
    throw new OutcomeUnknown('other keepers commit all the time, or the server has no standby');
  }

  #made(revision: string): Committed {
    this.#seen = Number(revision);
    return { ok: true, revision: this.#seen };
  }

  async #getAll(session: Session, paths: readonly string[]): Promise<readonly (Stored | undefined)[]> {
    const statement = { name: 'skep_vault_get', text: sql.GET, values: [this.#options.prefix, [...new Set(paths)]] };
    const found = new Map((await rowsOf(session, statement)).map((row) => [row.path, row]));
    // Several callers of one path: each gets bytes of its own.
    return paths.map((path) => {
      const row = found.get(path);
      return row === undefined ? undefined : storedOf({ ...row, value: Buffer.from(row.value) });
    });
  }

  /** Calls again while the outcome is unknown, for `tries` times as long as an answer may take. Rejects with BackendDown. */
  async #known<T>(tries: number, call: () => Promise<T>): Promise<T> {
    const until = performance.now() + tries * this.#options.answerMs;
    for (;;) {
      try {
        return await call();
      } catch (error) {
        if (error instanceof EngineRefused) throw new BackendDown(`PostgreSQL: ${error.message}`, { cause: error });
        if (!(error instanceof OutcomeUnknown)) throw error;
        if (error instanceof LineClosed || performance.now() + limits.vault.postgresPauseMs > until)
          throw new BackendDown(`PostgreSQL does not answer: ${error.message}`, { cause: error });
        await new Promise((resolve) => setTimeout(resolve, limits.vault.postgresPauseMs));
      }
    }
  }
}

async function begin(session: Session, { answerMs, prefix }: PostgresVaultOptions): Promise<void> {
  try {
    await createVaultTables(session, answerMs);
    await session.change({ name: '', text: sql.BEGIN, values: [prefix] });
  } catch (error) {
    session.close();
    throw error;
  }
}

/** Rows of a read that is on all copies: one at least, or the tables were emptied. */
async function rowsOf<T = Row>(session: Session, statement: Statement): Promise<T[]> {
  const rows = await session.change<T>(statement);
  if (rows.length > 0) return rows;
  throw new EngineRefused('the row of this vault is gone from skep_vault_head: put the database back from its backup');
}

const isEntry = (row: Row): row is Row & { readonly path: string } => row.path !== null;

function storedOf({ value, version }: Row): Stored {
  return { value, version: Number(version) };
}
