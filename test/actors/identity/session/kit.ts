/** A tenant with sessions, and people in it. */
import { expect } from 'vitest';
import { Identity } from '#actors/identity/identity.ts';
import { openSession, type SessionWish } from '#actors/identity/session/open-session.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import { limits } from '#config/limits.ts';
import type { Store } from '#storage/port.ts';
import { FullStore, World, type Answer } from '#test/kit/identity-call.ts';

type Settings = NonNullable<ProductDefinition['settings']['sessions']>;

export type SessionRoute = 'listSessions' | 'revokeSession' | 'rotateSession';

export const LIFETIME_MS = limits.identity.refreshTokenMs;

export class SessionWorld extends World {
  readonly identity: Identity;

  constructor(sessions: Settings = { mode: 'managed' }, store: Store = new FullStore()) {
    super({ settings: { sessions }, store });
    this.identity = new Identity({
      context: this.context,
      bootstrapToken: null,
      logEvent: (event) => void this.events.push(event),
      later: (run) => void this.waiting.push(run),
    });
    void this.identity.activate(this.activation);
  }

  /** Opens a session as a login does; its id, or the code of the refusal. */
  open(principal: string, more: Partial<SessionWish> = {}): string {
    const call = this.call('login');
    const wish = { principal, kind: 'user', ip: '192.0.2.1', userAgent: 'test/1', lifetimeMs: LIFETIME_MS, ...more };
    const opened = openSession(this.identity, call, wish as SessionWish);
    if (isRefusal(opened)) {
      call.abort();
      return opened.code;
    }
    call.commit();
    return opened.sid;
  }

  /** The `Authorization` header of a user with a session. */
  as(sub: string, sid: string, roles: readonly string[] = [], claims: object = {}): string {
    return this.bearer(roles, { sub, sid, ...claims });
  }

  /** The tenant as the next thread wakes it from the same store. */
  again(sessions: Settings = { mode: 'managed' }): SessionWorld {
    const next = new SessionWorld(sessions, this.store);
    next.clock.set(this.clock.now());
    next.ring = this.ring;
    return next;
  }

  /** `list` of a caller. */
  async list(authorization: string, body: object = {}): Promise<{ ids: string[]; count: number; answer: Answer }> {
    const answer = await this.ask('listSessions', { authorization, body });
    const sessions = (answer.body['sessions'] ?? []) as { id: string }[];
    return { ids: sessions.map(({ id }) => id), count: answer.body['count'] as number, answer };
  }

  revoke(authorization: string, id: string, reason?: string): Promise<Answer> {
    return this.ask('revokeSession', { authorization, body: reason === undefined ? { id } : { id, reason } });
  }

  rotate(authorization: string, id: string): Promise<Answer> {
    return this.ask('rotateSession', { authorization, body: { id } });
  }
}

export const said = ({ status, code }: Answer): [number, string | undefined] => [status, code];

/** Whether a user's token with this session counts. */
export async function counts(in_: SessionWorld, sub: string, sid: string): Promise<boolean> {
  const { status } = await in_.ask('revokeKey', { authorization: in_.as(sub, sid), id: 'x' });
  expect([200, 401]).toContain(status);
  return status === 200;
}
