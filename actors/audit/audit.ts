/** What the verbs of audit share. */
import type { Call } from '#actors/host/call.ts';
import type { Clock } from '#actors/kit/clock.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { checkSession, mayRead } from './admit.ts';
import type { SessionLives } from './admit.ts';
import type { AuditLog } from './audit-log.ts';
import type { LogBook } from './log-book.ts';
import { isLogId } from './log-id.ts';
import { refuse } from './refusals.ts';
import type { LogRounds } from './standing.ts';

export interface AuditParts {
  readonly book: LogBook;
  readonly clock: Clock;
  readonly version: string;
  readonly sessionLives: SessionLives;
  readonly rounds: LogRounds;
}

type NoLog = Refusal<'audit.unauthorized' | 'audit.forbidden' | 'audit.log_not_found'>;

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
    return this.book.exists(id) ? this.book.openToRead(id) : refuse('audit.log_not_found');
  }

  async allows(principal: Principal, id: string): Promise<NoLog | null> {
    return mayRead(principal, id) ? checkSession(principal, this.#sessionLives) : refuse('audit.forbidden');
  }
}
