/**
 * One connection to the database that may acknowledge, under the rules of docs/decisions/storage.md ST-30. PostgreSQL says "done" in several cases in which one copy alone has the change; a change
 * counts here only when none of them can have been.
 */
import { Socket } from 'node:net';
import { logServers } from '#config/log-servers.ts';
import { EngineRefused, OutcomeUnknown } from '../port.ts';
import { Client } from './client.ts';

export interface SessionOptions {
  readonly url: string;
  /** `strict`: a synchronous standby is demanded of each change. `managed`: the provider answers for the copies, and the loss of some seconds is possible. */
  readonly replication: 'strict' | 'managed';
  /** How long an answer may take before the connection is given up. No statement is ever cancelled. */
  readonly answerMs: number;
}

/** Of the server, as the session sees it. */
interface Guard {
  readonly names: string;
  readonly loaded: string;
  readonly at: string;
}

interface Greeting extends Guard {
  readonly recovery: boolean;
  readonly system: string;
}

/** What nothing was written by, and what may be sent again at once: the chapter of the entries is gone. */
export class ChapterGone extends Error {}

/** Set and read back: each of them could make the server acknowledge too early, cancel a wait, or hide that it did. */
const SETTINGS: Readonly<Record<string, string>> = {
  synchronous_commit: 'on',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  client_min_messages: 'warning',
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
};

const GUARD = `select current_setting('synchronous_standby_names') as names, pg_conf_load_time()::text as loaded, case when pg_is_in_recovery() then '0'
  else (pg_current_wal_insert_lsn() - '0/0')::text end as at`;
const GREETING = `select g.*, pg_is_in_recovery() as recovery, system_identifier::text as system from (${GUARD}) g, pg_control_system()`;

/** A statement of this kind, answered so, wrote nothing and never will. */
const IN_VAIN = /^(?:0A|22|23|28|3D|42)/;
const CHAPTER_GONE = '23514';
/** The wait for the standby was ended, by a cancel or a shutdown: the change is seen, and on one copy. */
const DOUBTFUL = /^(?:01|57P)/;

export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

export class Session {
  /** Of the database, drawn when it was made: a copy and a standby have it too. */
  readonly system: string;
  readonly #client: Client;
  readonly #socket: Socket;
  readonly #options: SessionOptions;
  #guard: Guard;
  #doubt: string | null = null;
  #isOpen = true;

  private constructor(client: Client, socket: Socket, options: SessionOptions, greeting: Greeting) {
    this.#client = client;
    this.#socket = socket;
    this.#options = options;
    this.#guard = greeting;
    this.system = greeting.system;
    client.on('notice', ({ code, message }) => {
      if (DOUBTFUL.test(code ?? '')) this.#doubt = `${code}: ${message}`;
    });
    client.on('end', () => (this.#isOpen = false));
  }

  /**
   * At the primary, where the URL names several servers: all are asked at once, since one that is gone answers nothing for long. Rejects with OutcomeUnknown where no primary answers, and with
   * EngineRefused where the only answer is of one that is not set up as promised.
   */
  static async open(options: SessionOptions): Promise<Session> {
    const servers = logServers(options.url) ?? [];
    const opened = servers.map(({ href }) => Session.#openAt({ ...options, url: href }));
    try {
      const first = await Promise.any(opened);
      for (const other of opened)
        void other.then(
          (session) => (session === first ? undefined : session.close()),
          () => undefined,
        );
      return first;
    } catch (error) {
      throw noneOf((error as AggregateError).errors as readonly Error[]);
    }
  }

  static async #openAt(options: SessionOptions): Promise<Session> {
    const socket = new Socket();
    const client = new Client({
      connectionString: options.url,
      stream: () => socket,
      keepAlive: true,
      application_name: 'skep',
      connectionTimeoutMillis: options.answerMs,
    });
    client.on('error', () => socket.destroy());
    try {
      await client.connect();
      const greeting = await greet(client);
      if (greeting.recovery) throw new OutcomeUnknown('the server is a standby');
      return new Session(client, socket, options, greeting);
    } catch (error) {
      socket.destroy();
      throw judged(error);
    }
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Bytes of the server's own log as of the last answer: a server that is behind it has lost what was acknowledged. */
  get at(): bigint {
    return BigInt(this.#guard.at);
  }

  /** Rows of a statement that changes nothing. */
  async read<T>(statement: Statement): Promise<T[]> {
    return (await this.#ask(statement)) as T[];
  }

  /** Rows of a change that is on all copies. Rejects with OutcomeUnknown, EngineRefused, ChapterGone. */
  async change<T>(statement: Statement): Promise<T[]> {
    this.#doubt = null;
    const rows = (await this.#ask(statement)) as T[];
    await this.#confirm();
    return rows;
  }

  /** Statements in one transaction, for what no caller waits for: a lock that is not free soon is given up, since writers wait behind it. */
  async inTransaction<T>(lockMs: number, run: (ask: (text: string) => Promise<unknown[]>) => Promise<T>): Promise<T> {
    const ask = (text: string): Promise<unknown[]> => this.#ask({ name: '', text, values: [] });
    await ask(`begin; set local lock_timeout = ${lockMs}`);
    try {
      const given = await run(ask);
      await ask('commit');
      return given;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  close(): void {
    this.#isOpen = false;
    this.#socket.destroy();
  }

  /** A change counts when the same session says behind it that a standby is demanded, under the settings that it knew before: taking the standby away lets all that wait for it go, as if they were done. */
  async #confirm(): Promise<void> {
    const before = this.#guard;
    [this.#guard] = (await this.#ask({ name: 'skep_guard', text: GUARD, values: [] })) as [Guard];
    if (this.#doubt !== null) throw new OutcomeUnknown(`the wait for the standby ended early: ${this.#doubt}`);
    if (this.#options.replication === 'managed') return;
    const why = whyNotStrict(this.#guard.names);
    if (why !== null) throw new OutcomeUnknown(why);
    if (this.#guard.loaded !== before.loaded) throw new OutcomeUnknown('the server took new settings meanwhile');
  }

  async #ask({ name, text, values }: Statement): Promise<unknown[]> {
    if (!this.#isOpen) throw new OutcomeUnknown('the connection is gone');
    const late = setTimeout(() => this.close(), this.#options.answerMs);
    try {
      const { rows } = await this.#client.query<Record<string, unknown>>(
        name === '' ? { text, values: [...values] } : { name, text, values: [...values] },
      );
      return rows;
    } catch (error) {
      const fault = judged(error);
      if (fault instanceof OutcomeUnknown) this.close();
      throw fault;
    } finally {
      clearTimeout(late);
    }
  }
}

/** What is said of servers of which none took a session: what the only one said, else what all did. */
function noneOf(errors: readonly Error[]): Error {
  const [first, ...others] = errors;
  if (first === undefined) return new EngineRefused('the URL names no PostgreSQL');
  if (others.length === 0) return first;
  const isRefused = errors.every((error) => error instanceof EngineRefused);
  const message = errors.map((error) => error.message).join('; ');
  return isRefused ? new EngineRefused(message, { cause: first }) : new OutcomeUnknown(message, { cause: first });
}

async function greet(client: Client): Promise<Greeting> {
  await client.query(Object.entries(SETTINGS).reduce((all, [name, value]) => `${all}set ${name} = '${value}';`, ''));
  const names = Object.keys(SETTINGS);
  const asked = names.map((name, at) => `current_setting('${name}') as v${at}`).join(', ');
  const { rows } = await client.query<Record<string, string>>(`select ${asked}`);
  for (const [at, name] of names.entries())
    if (rows[0]![`v${at}`] !== SETTINGS[name])
      throw new EngineRefused(
        `${name} is ${rows[0]![`v${at}`]}, though it was set to ${SETTINGS[name]}: is there a pooler in between?`,
      );
  return (await client.query<Greeting & Record<string, unknown>>(GREETING)).rows[0]!;
}

/** Why the list of standbys does not promise that a change is on one that could take over; null when it does. */
export function whyNotStrict(names: string): string | null {
  const list = names.trim();
  if (list === '') return 'the server has no synchronous standby, so it acknowledges on one copy';
  if (/^any\b/i.test(list))
    return `synchronous_standby_names is "${list}": any of several may have a change, so the one that takes over may not`;
  if (/^(?:first\s+)?(?:\d+\s*)?\(?\s*"?\*"?\s*\)?$/i.test(list))
    return `synchronous_standby_names is "${list}": whatever connects counts as a copy`;
  return null;
}

function judged(error: unknown): Error {
  if (error instanceof OutcomeUnknown || error instanceof EngineRefused) return error;
  const { code = '', message } = error as Error & { readonly code?: string };
  if (code === CHAPTER_GONE) return new ChapterGone(message);
  if (/^[0-9A-Z]{5}$/.test(code) && IN_VAIN.test(code))
    return new EngineRefused(`${code}: ${message}`, { cause: error });
  return new OutcomeUnknown(`${code} ${message}`.trim(), { cause: error });
}
