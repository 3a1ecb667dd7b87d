/** Stages a request that waits for the holder of an address. The table of each kind is bounded; expired requests make room. */
import type { Call } from '#actors/host/call.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { limits } from '#config/limits.ts';
import { instantMs } from '#config/values/instant.ts';
import { deleteOneTime } from '../user/store.ts';
import { deleteRequest, findRequestOf, openRequests, putRequest, requestsAfter } from './store.ts';
import type { AccountRequest, Issuer, RequestKind, Turn } from './store.ts';

export interface RequestWish {
  readonly kind: Exclude<RequestKind, 'email_change'>;
  readonly email: string;
  readonly roles: readonly string[];
  readonly by: Issuer | null;
  /** The guest who asks. */
  readonly guest?: string | null;
  readonly lifeMs: number;
  /** Open requests of the kind that a tenant may have. */
  readonly max: number;
}

/**
 * The request, staged; null when the table is full, for a new address and for a known one alike. It takes the place of the address's open
 * request, whose links end.
 */
export function openRequest(call: Call, wish: RequestWish): AccountRequest | null {
  const { clock, ids } = call.activation.context;
  const turn = call.turn();
  const now = clock.now();
  const { kind, email, roles, by, guest = null, lifeMs, max } = wish;
  sweep(turn, kind, now);
  if (openRequests(turn, kind) >= max) return null;
  const id = ids.next();
  const life = { created_at: timestamp(now), expires_at: timestamp(now + lifeMs) };
  const request = { id, kind, email, roles, by, ...life, ...(guest === null ? {} : { guest }) };
  deleteOneTime(turn, kind, putRequest(turn, request));
  return request;
}

/** The oldest requests expire first. */
function sweep(turn: Turn, kind: RequestKind, nowMs: number): void {
  const expired: AccountRequest[] = [];
  for (const request of requestsAfter(turn, kind)) {
    if (nowMs < instantMs(request.expires_at) || expired.length === limits.account.requestSweepMax) break;
    expired.push(request);
  }
  for (const request of expired) closeRequest(turn, request);
}

/** Deletes a request with its links. */
export function closeRequest(turn: Turn, request: AccountRequest): void {
  deleteRequest(turn, request);
  deleteOneTime(turn, request.kind, request.id);
}

/** Deletes the sign-up and the invitation of an address: it has an account now. */
export function closeRequestsOf(turn: Turn, email: string): void {
  for (const kind of ['sign_up', 'invitation'] as const) {
    const open = findRequestOf(turn, kind, email);
    if (open !== undefined) closeRequest(turn, open);
  }
}
