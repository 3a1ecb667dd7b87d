/** The table of what waits for the holder of an address: sign-ups, invitations, changes of address. */
import { TABLES } from '#storage/catalogue.ts';
import { Table } from '#storage/table.ts';
import type { Reader, Turn } from '#storage/port.ts';

export type { Reader, Turn } from '#storage/port.ts';

export type RequestKind = 'sign_up' | 'invitation' | 'email_change';

/** A request at rest. The secrets of its links are in `one_time_token`, under its kind and id. */
export interface AccountRequest {
  /** Of a change of address: the id of its user, so that a user has one. */
  readonly id: string;
  readonly kind: RequestKind;
  /** The address whose holder answers. */
  readonly email: string;
  /** Roles of an invitation; a sign-up gets those of the product when it is confirmed. */
  readonly roles: readonly string[];
  /** Who invited: a user or a key. */
  readonly by: Issuer | null;
  /** The guest who asked: the account is made of it. */
  readonly guest?: string;
  readonly created_at: string;
  readonly expires_at: string;
}

export interface Issuer {
  readonly type: 'user' | 'key';
  readonly id: string;
}

interface AddressRecord {
  /** The request of the address; of the empty address nothing. */
  readonly id: string;
  /** Under the empty address: how many requests of the kind there are. */
  readonly open?: number;
}

const requests = new Table<AccountRequest>('account_request', TABLES.account_request);
const addresses = new Table<AddressRecord>('account_address', TABLES.account_address);

export function findRequest(reader: Reader, kind: RequestKind, id: string): AccountRequest | undefined {
  return requests.get(reader, kind, id);
}

/** The open request of an address, whose case does not count. */
export function findRequestOf(reader: Reader, kind: RequestKind, email: string): AccountRequest | undefined {
  const id = addresses.get(reader, kind, email.toLowerCase())?.id;
  return id === undefined ? undefined : findRequest(reader, kind, id);
}

/** Oldest first, after the given id or from the beginning. */
export function* requestsAfter(reader: Reader, kind: RequestKind, after = ''): IterableIterator<AccountRequest> {
  for (const request of requests.scanFrom(reader, [kind, after])) {
    if (request.kind !== kind) return;
    if (request.id !== after) yield request;
  }
}

export function openRequests(reader: Reader, kind: RequestKind): number {
  return addresses.get(reader, kind, '')?.open ?? 0;
}

/** No request has this id. */
const NO_REQUEST = '00000000000000000000000000';

/**
 * Stages a request, in place of the open one of its address: as many writes whether there is one or not. Gives the id of the replaced one, or
 * one that no request has. A new request is the newest of its kind, so they stand in the order of their ends.
 */
export function putRequest(turn: Turn, request: AccountRequest): string {
  const { kind, id, email } = request;
  const before = findRequestOf(turn, kind, email)?.id;
  requests.put(turn, request, kind, id);
  requests.del(turn, kind, before ?? NO_REQUEST);
  addresses.put(turn, { id }, kind, email.toLowerCase());
  addresses.put(turn, { id: '', open: openRequests(turn, kind) + (before === undefined ? 1 : 0) }, kind, '');
  return before ?? NO_REQUEST;
}

export function deleteRequest(turn: Turn, { kind, id, email }: AccountRequest): void {
  requests.del(turn, kind, id);
  addresses.del(turn, kind, email.toLowerCase());
  addresses.put(turn, { id: '', open: Math.max(0, openRequests(turn, kind) - 1) }, kind, '');
}

/** A change of address: one for each user, so that their number is bounded by that of the users. */
export function putChange(turn: Turn, request: AccountRequest): void {
  requests.put(turn, request, request.kind, request.id);
}

export function deleteChange(turn: Turn, user: string): void {
  requests.del(turn, 'email_change', user);
}
