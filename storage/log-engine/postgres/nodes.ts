/** The nodes on a log, in the PostgreSQL that keeps it. */
import type { Follows, Incarnation, NodeEngine, NodeSight, Sight } from '../nodes-port.ts';
import { OutcomeUnknown } from '../port.ts';
import { createNodeTables } from './create.ts';
import { FORGET_EVENTS } from './event-statements.ts';
import { KnownServer } from './known-server.ts';
import * as sql from './node-statements.ts';
import type { Session, SessionOptions, Statement } from './session.ts';

interface SightRow {
  readonly incarnation: string;
  readonly node: string;
  readonly place: string;
  readonly lease_ms: number;
  readonly beat: string;
  readonly fenced: boolean;
  readonly behind: string | null;
  readonly behind_ms: string | null;
  readonly heir: string | null;
  readonly link: string | null;
  readonly carries: string | null;
  readonly serving: string | null;
  readonly carried: string;
}

export class PostgresNodes implements NodeEngine {
  readonly #options: SessionOptions;
  readonly #server: KnownServer;
  #session: Session | null = null;
  #changes: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#server = new KnownServer(options);
  }

  /** Makes the tables where a release without them made the log. */
  async register({ id, node, place, leaseMs, link }: Incarnation): Promise<void> {
    await this.#serial(async (session) => {
      await createNodeTables(session, this.#options.answerMs);
      await session.change({ name: 'skep_forget_events', text: FORGET_EVENTS, values: [] });
      return session.change({
        name: 'skep_register',
        text: sql.REGISTER,
        values: [id, node, place, leaseMs, link ?? null],
      });
    });
  }

  async beat(
    id: string,
    beat: number,
    follows: Follows | null = null,
    linked: boolean | null = null,
  ): Promise<Sight | null> {
    const values = [id, beat, follows?.behind ?? null, follows?.ageMs ?? null, linked];
    const rows = await this.#change<SightRow>({ name: 'skep_beat', text: sql.BEAT, values });
    const [first] = rows;
    if (first === undefined) return null;
    return { nodes: rows.map(sightOf), serving: first.serving, carried: Number(first.carried) };
  }

  condemn(id: string, beat: number): Promise<boolean> {
    return this.#changesOr(
      { name: 'skep_condemn', text: sql.CONDEMN, values: [id, beat] },
      { name: 'skep_condemn_again', text: sql.CONDEMN_AGAIN, values: [id] },
    );
  }

  serve(id: string, seen: string | null, carried = 0): Promise<boolean> {
    return this.#changesOr(
      { name: 'skep_serve', text: sql.SERVE, values: [id, seen, carried] },
      { name: 'skep_serve_again', text: sql.SERVE_AGAIN, values: [id] },
    );
  }

  carry(id: string, serving: string | null, no: number): Promise<boolean> {
    const statement =
      serving === null
        ? { name: 'skep_carry_none', text: sql.CARRY_NONE, values: [id, no] }
        : { name: 'skep_carry', text: sql.CARRY, values: [id, serving, no] };
    return this.#changesOr(statement, { name: 'skep_carry_again', text: sql.CARRY_AGAIN, values: [id, no] });
  }

  async handOver(id: string, heir: string): Promise<boolean> {
    return (await this.#change({ name: 'skep_hand_over', text: sql.HAND_OVER, values: [id, heir] })).length > 0;
  }

  async leave(id: string): Promise<void> {
    await this.#change({ name: 'skep_leave', text: sql.LEAVE, values: [id] });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#session?.close();
    await this.#changes;
  }

  #change<T>(statement: Statement): Promise<T[]> {
    return this.#serial((session) => session.change<T>(statement));
  }

  /** Whether a statement changes something, or another one finds it changed: it writes the row as it is, so that its acknowledgement waits for the copies. */
  #changesOr(statement: Statement, again: Statement): Promise<boolean> {
    return this.#serial(async (session) => {
      const rows = await session.change(statement);
      return rows.length > 0 || (await session.change(again)).length > 0;
    });
  }

  #serial<T>(run: (session: Session) => Promise<T>): Promise<T> {
    const ran = this.#changes.then(async () => {
      if (this.#isClosed) throw new OutcomeUnknown('the engine is closed here');
      if (this.#session?.isOpen !== true) this.#session = await this.#server.open();
      const given = await run(this.#session);
      this.#server.heard(this.#session);
      return given;
    });
    this.#changes = ran.catch(() => undefined);
    return ran;
  }
}

function sightOf({ incarnation, node, place, lease_ms, beat, fenced, heir, carries, ...row }: SightRow): NodeSight {
  const follows = followsOf(row.behind, row.behind_ms);
  const life = { id: incarnation, node, place, leaseMs: lease_ms, ...(row.link !== null && { link: row.link }) };
  return { ...life, beat: Number(beat), isFenced: fenced, follows, heir, carries };
}

export function followsOf(behind: string | null, behindMs: string | null): Follows | null {
  return behind === null ? null : { behind: Number(behind), ageMs: behindMs === null ? null : Number(behindMs) };
}
