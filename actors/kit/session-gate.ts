/** What every service that takes bearers must know of a tenant's sessions; identity hands it in (docs/contract/identity-users.md §1.5: `sid`). */

export interface SessionGate {
  /** When the tenant was made here (registry, `created_at`), in milliseconds: earlier tokens were issued for another tenant of its key. */
  readonly since: number;
  /** Users have sessions on the server here, so a user's token without a `sid` does not count. */
  readonly managed: boolean;
  /** Whether the session lives and is the subject's. It also counts as a use of the session. Asked on every request: no waiting, no allocation. */
  lives(sid: string, subject: string, nowMs: number): boolean;
  /** Journal number of the newest ending of a session: a refusal may not leave before it is durable (the reply rule). */
  readonly newest: number;
  /** Calls `then` whenever a session ends, perhaps before that is committed: for those that asked `lives` long ago. */
  onEnded?(then: () => void): void;
}

/** A tenant without a session store: no token that names a session counts. */
export const NO_SESSIONS: SessionGate = { since: 0, managed: false, lives: () => false, newest: 0 };
