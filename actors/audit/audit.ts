/** What the verbs of audit share. */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import type { Clock } from '#actors/kit/clock.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import { checkSession, mayRead, type SessionLives } from './admit.ts';
import type { AuditLog } from './audit-log.ts';
import type { LogBook } from './log-book.ts';
import { isLogId } from './log-id.ts';
import { refuse, refuseAway } from './refusals.ts';
import { LeavesAway } from './store.ts';
import type { LogRounds } from './standing.ts';

export interface AuditParts {
  readonly book: LogBook;
  readonly clock: Clock;
  readonly version: string;
  readonly sessionLives: SessionLives;
  readonly rounds: LogRounds;
}

type NoLog = Refusal<'audit.unauthorized' | 'audit.forbidden' | 'audit.log_not_found' | 'audit.unavailable'>;

export class Audit {
  readonly book: LogBook;
  readonly clock: Clock;
  readonly version: string;
  readonly rounds: LogRounds;
  readonly #sessionLives: SessionLives;
  /** From now on records are refused with 503. */
  draining = false;

  constructor({ book, clock, version, sessionLives, rounds }: AuditParts) {
    this.book = book;
    this.clock = clock;
    this.version = version;
    this.rounds = rounds;
    this.#sessionLives = sessionLives;
  }

  /** The log id of a path; 404 for an invalid id. */
  logIdOf(call: Call): string | Refusal<'audit.log_not_found'> {
    const id = call.param('id');
    return isLogId(id) ? id : refuse('audit.log_not_found');
  }

  /** The log of a path, for a caller who may read it; any other caller does not learn whether it exists. */
  async readable(call: Call): Promise<AuditLog | NoLog> {
    const id = this.logIdOf(call);
    if (isRefusal(id)) return id;
    const refused = await this.allows(call.principal!, id);
    if (refused !== null) return refused;
    return this.book.exists(id) ? this.openToRead(id) : refuse('audit.log_not_found');
  }

  /** 503 while the database that keeps the records does not answer. */
  openToRead(id: string): Promise<AuditLog | Refusal<'audit.unavailable'>> {
    return this.book.openToRead(id).catch((error: unknown) => {
      if (!(error instanceof LeavesAway)) throw error;
      return refuseAway();
    });
  }

  /** What is done, or 'late' where the database that keeps the records does not answer in time. What waits for it may still be done. */
  async soon<T>(done: Promise<T>): Promise<T | 'late'> {
    if (!this.book.isShared) return done;
    const { promise, resolve } = Promise.withResolvers<'late'>();
    const timer = setTimeout(() => resolve('late'), limits.audit.leavesWaitMs);
    try {
      return await Promise.race([done, promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  async allows(principal: Principal, id: string): Promise<NoLog | null> {
    return mayRead(principal, id) ? checkSession(principal, this.#sessionLives) : refuse('audit.forbidden');
  }
}
