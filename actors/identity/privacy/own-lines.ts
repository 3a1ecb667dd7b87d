/** What identity itself holds of a person: no secret, no hash of one. */
import { limits } from '#config/limits.ts';
import type { Work } from '#actors/host/work.ts';
import { findRequest } from '../account/store.ts';
import { hasSecondFactor } from '../mfa/factors.ts';
import { linksAfter } from '../oauth/store.ts';
import { viewOf as keyViewOf } from '../operator/keys.ts';
import { scanKeys } from '../operator/store.ts';
import { viewOf as passkeyViewOf } from '../passkey/view.ts';
import { readPasskeys } from '../passkey/store.ts';
import { viewOf } from '../people/view.ts';
import { recordsOf } from '../session/list-sessions.ts';
import type { UserRecord } from '../store.ts';
import { readFamilies } from '../user/store.ts';

export interface Line {
  readonly kind: string;
  readonly value: unknown;
}

/** What belongs to the user's own record: bounded, one turn. */
export function accountLines(work: Work, user: UserRecord): Line[] {
  const turn = work.turn();
  const { id, locale = null } = user;
  const account = { ...viewOf(user), locale, second_factor: hasSecondFactor(turn, id) };
  const change = findRequest(turn, 'email_change', id);
  return [
    { kind: 'account', value: account },
    ...recordsOf(work, id).map((value) => ({ kind: 'session', value })),
    ...readFamilies(turn, id).map(({ id: login, created_at, expires_at, ended_at }) => ({
      kind: 'login',
      value: { id: login, created_at, expires_at, ended_at },
    })),
    ...readPasskeys(turn, id).map((record) => ({ kind: 'passkey', value: passkeyViewOf(turn, record) })),
    ...(change === undefined
      ? []
      : [{ kind: 'email_change', value: { email: change.email, created_at: change.created_at } }]),
  ];
}

export interface Slice {
  readonly lines: readonly Line[];
  /** Where the next one goes on; null at the end. */
  readonly next: string | null;
}

/** A slice of the tenant's keys: those that the user issued, without their secrets. */
export function keyLines(work: Work, user: string, after: string | null): Slice {
  const lines: Line[] = [];
  let looked = 0;
  for (const [id, record] of scanKeys(work.turn(), after)) {
    if (record.created_by === user) lines.push({ kind: 'key', value: keyViewOf(work, id, record) });
    if (++looked === limits.people.pageLooksMax) return { lines, next: id };
  }
  return { lines, next: null };
}

/** A slice of the links with providers: those of the user. */
export function linkLines(work: Work, user: string, after: string): Slice {
  const { links, next } = linksAfter(work.turn(), after, limits.privacy.linkSliceRows);
  const own = links.filter(({ user_id }) => user_id === user);
  return { lines: own.map(({ key, created_at }) => ({ kind: 'provider', value: { ...key, created_at } })), next };
}
