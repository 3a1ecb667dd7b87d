/**
 * Acting for a person: an operator's session under another's name at one tenant (docs/contract/identity-users.md §7). Its token is in the memory of this page, as that of every login,
 * and the session ends when the page is left: what a later page could not show, no later page may do. Of one that a page left there is a note, without a token.
 */
import { useSyncExternalStore } from 'react';
import { standBack, standIn, type Place } from '../session/session.ts';

export type Mode = 'readonly' | 'full';

export interface ActWish {
  /** `customer:product:env:tenant`. */
  readonly tenant: string;
  /** Address or id. */
  readonly user: string;
  readonly reason: string;
  readonly mode: Mode;
}

export interface Acting extends ActWish {
  /** In milliseconds since 1970. */
  readonly since: number;
  readonly until: number;
}

/** Of the session storage: which one a page left. */
const NOTE = 'skep console acting';
const LOGOUT = { method: 'POST', path: '/auth/logout', again: 'safe' } as const;

/** By the place that stands in; replaced when it changes. */
let all: ReadonlyMap<Place, Acting> = new Map();
let left: Acting | null = readNote();
const listeners = new Set<() => void>();

function set(next: ReadonlyMap<Place, Acting>): void {
  all = next;
  listeners.forEach((listener) => listener());
}

const follow = (changed: () => void): (() => void) => {
  listeners.add(changed);
  return () => void listeners.delete(changed);
};

/** For whom this page acts at a place; null where it acts for its reader. */
export const useActing = (place: Place): Acting | null => useSyncExternalStore(follow, () => all.get(place) ?? null);

/** What an earlier page of this tab left; null for nothing. */
export const useLeft = (): Acting | null => useSyncExternalStore(follow, () => left);

/** Begins it by the login at the operator plane. Throws a SkepError: 400 `reason_required`, 403 `impersonation_denied`. Sent once: each is a session, and on record. */
export async function begin({ skep }: Place, wish: ActWish): Promise<void> {
  const { json } = await skep.transport.send({
    method: 'POST',
    path: '/superadmin/impersonate',
    body: wish,
    again: 'never',
  });
  const { access_token: token, expires_in: seconds } = json as TokenAnswer;
  const since = Date.now();
  let asks = 0;
  const place = standIn(wish.tenant, () => {
    // The node refuses it: the person, an administrator or time has ended the session.
    if (++asks > 1) setTimeout(() => over(place));
    return token;
  });
  left = null;
  const acting: Acting = { ...wish, since, until: since + seconds * 1000 };
  writeNote(acting);
  set(new Map([...all, [place, acting]]));
}

interface TokenAnswer {
  readonly access_token: string;
  readonly expires_in: number;
}

function over(place: Place): void {
  writeNote(null);
  set(new Map([...all].filter(([one]) => one !== place)));
  standBack(place);
}

/** Ends the session, here and at the node; where the node cannot be reached it ends by itself. */
export async function end(place: Place): Promise<void> {
  const told = place.skep.transport.send(LOGOUT).catch(() => undefined);
  over(place);
  await told;
}

/** Ends the login at a place, whichever it is. */
export async function logOut(place: Place): Promise<void> {
  if (all.has(place)) await end(place);
  else await place.skep.auth.logout().catch(() => undefined);
}

/** When the page is left, by a reload as well, all of them end. */
export function endWithPage(): void {
  addEventListener('pagehide', () => {
    for (const { skep } of all.keys()) void skep.transport.send(LOGOUT).catch(() => undefined);
  });
}

export function forgetLeft(): void {
  left = null;
  writeNote(null);
  set(all);
}

function writeNote(acting: Acting | null): void {
  if (acting === null) sessionStorage.removeItem(NOTE);
  else sessionStorage.setItem(NOTE, JSON.stringify(acting));
}

function readNote(): Acting | null {
  try {
    const note = JSON.parse(sessionStorage.getItem(NOTE) ?? 'null') as Partial<Acting> | null;
    return typeof note?.tenant === 'string' && typeof note.user === 'string' && typeof note.until === 'number'
      ? (note as Acting)
      : null;
  } catch {
    return null;
  }
}
