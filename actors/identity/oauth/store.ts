/** Tables of sign-ins with a provider. */
import { TABLES } from '#storage/catalogue.ts';
import { beyond } from '#storage/key.ts';
import { decodeRecord } from '#storage/record.ts';
import { Table } from '#storage/table.ts';
import { untuple } from '#storage/untuple.ts';
import type { Reader, Turn } from '#storage/port.ts';

/** A sign-in between `start` and `callback`; with a user: one that waits for the second factor. */
export interface StateRecord {
  readonly state_sha256: Uint8Array;
  readonly provider: string;
  /** Tenant key: the state is not valid in a copy of the store that serves another tenant. */
  readonly position: string;
  /** RFC 3339; any other value counts as expired. */
  readonly expires_at: unknown;
  readonly nonce: string;
  readonly code_verifier: string;
  readonly redirect_uri: string;
  /** The user of the sign-in, when only the second factor is missing; else null. */
  readonly user_id: string | null;
}

interface LinkRecord {
  readonly user_id: string;
  readonly created_at: string;
}

const states = new Table<StateRecord>('oauth_state', TABLES.oauth_state);
const links = new Table<LinkRecord>('oauth_link', TABLES.oauth_link);

/** Identifies a provider's user: OpenID Connect Core §2 makes `sub` unique within its issuer only. */
export interface LinkKey {
  readonly provider: string;
  readonly issuer: string;
  readonly sub: string;
}

export function findState(reader: Reader, slot: number): StateRecord | undefined {
  return states.get(reader, slot);
}

export function putState(turn: Turn, slot: number, record: StateRecord): void {
  states.put(turn, record, slot);
}

export function deleteState(turn: Turn, slot: number): void {
  states.del(turn, slot);
}

export function findLink(reader: Reader, { provider, issuer, sub }: LinkKey): LinkRecord | undefined {
  return links.get(reader, provider, issuer, sub);
}

export function putLink(turn: Turn, { provider, issuer, sub }: LinkKey, record: LinkRecord): void {
  links.put(turn, record, provider, issuer, sub);
}

interface Linked extends LinkRecord {
  readonly key: LinkKey;
}

/** At most `max` links behind a place, and the next place; null at the end. The place is opaque; the empty one is the beginning. */
export function linksAfter(
  reader: Reader,
  after: string,
  max: number,
): { readonly links: readonly Linked[]; readonly next: string | null } {
  const start = links.key();
  const found: Linked[] = [];
  let last = after;
  for (const { key, value } of reader.range(
    after === '' ? start : start + Buffer.from(after, 'base64').toString('latin1'),
    beyond(start),
  )) {
    const rest = key.slice(start.length);
    const place = Buffer.from(rest, 'latin1').toString('base64');
    if (place === after) continue;
    if (found.length === max) return { links: found, next: last };
    last = place;
    const [provider, issuer, sub] = (untuple(rest) ?? []) as string[];
    const record = decodeRecord(value, 'oauth_link', TABLES.oauth_link.version) as LinkRecord;
    if (provider !== undefined && issuer !== undefined && sub !== undefined)
      found.push({ ...record, key: { provider, issuer, sub } });
  }
  return { links: found, next: null };
}

/** Stages the end of a user's links among the next `max`; where to go on, null at the end. */
export function deleteLinksOf(turn: Turn, user: string, after: string, max: number): string | null {
  const { links: some, next } = linksAfter(turn, after, max);
  for (const { key, user_id } of some) if (user_id === user) links.del(turn, key.provider, key.issuer, key.sub);
  return next;
}
