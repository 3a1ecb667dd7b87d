/** Tables of sign-ins with a provider. */
import { TABLES } from '#storage/catalogue.ts';
import { beyond } from '#storage/key.ts';
import { decodeRecord } from '#storage/record.ts';
import { Table } from '#storage/table.ts';
import { untuple } from '#storage/untuple.ts';
import type { Reader, Turn } from '#storage/port.ts';
import type { Progress } from '../index-build.ts';

export type { Reader, Turn } from '#storage/port.ts';

/** A sign-in between `start` and `callback`; with a user: one that waits for the second factor; with `link`: no sign-in, see there. */
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
  /** Who began to link an account there; such a state is no sign-in. */
  readonly link?: Linker;
}

/** A user, and the session in which the linking began; null in a stateless tenant. */
export interface Linker {
  readonly user: string;
  readonly sid: string | null;
}

export interface LinkRecord {
  readonly user_id: string;
  readonly created_at: string;
  /** The address that the provider had verified when it was linked; for people who read the list, and for nothing else. */
  readonly email?: string;
}

const states = new Table<StateRecord>('oauth_state', TABLES.oauth_state);
const links = new Table<LinkRecord>('oauth_link', TABLES.oauth_link);
const byUser = new Table<LinkKey>('oauth_link_index', TABLES.oauth_link_index);
const built = new Table<Progress<LinkKey>>('oauth_link_index', TABLES.oauth_link_index);

/** Identifies a provider's user: OpenID Connect Core §2 makes `sub` unique within its issuer only. */
export interface LinkKey {
  readonly provider: string;
  readonly issuer: string;
  readonly sub: string;
}

/** An account at a provider that logs a user in. */
export interface Link {
  readonly key: LinkKey;
  readonly record: LinkRecord;
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

/** Stages the link, and its place in the index of its user in the same commit; one that another user had is that user's no more. */
export function putLink(turn: Turn, key: LinkKey, record: LinkRecord): void {
  const { provider, issuer, sub } = key;
  const before = findLink(turn, key)?.user_id;
  links.put(turn, record, provider, issuer, sub);
  if (before !== undefined && before !== record.user_id) byUser.del(turn, 'user', before, provider, issuer, sub);
  indexLink(turn, key, record.user_id);
}

export function deleteLink(turn: Turn, key: LinkKey): void {
  const { provider, issuer, sub } = key;
  const user = findLink(turn, key)?.user_id;
  links.del(turn, provider, issuer, sub);
  if (user !== undefined) byUser.del(turn, 'user', user, provider, issuer, sub);
}

/** Stages the place of a link in the index of its user. Repeating it changes nothing. */
export function indexLink(turn: Turn, { provider, issuer, sub }: LinkKey, user: string): void {
  byUser.put(turn, { provider, issuer, sub }, 'user', user, provider, issuer, sub);
}

/** A user's links, by provider. Whole once the index is (build-links.ts). */
export function readLinks(reader: Reader, user: string): Link[] {
  return [...byUser.scan(reader, ['user', user])].flatMap((key) => {
    const record = findLink(reader, key);
    return record?.user_id === user ? [{ key, record }] : [];
  });
}

/** Deletes all links of a user. */
export function forgetLinks(turn: Turn, user: string): void {
  for (const { key } of readLinks(turn, user)) deleteLink(turn, key);
}

/** All links from a key on, present or not. One whose key was cut, as no provider's users have it, is left out. Leave it by for-of. */
export function* linksFrom(reader: Reader, from: LinkKey | null): IterableIterator<Link> {
  const start = from === null ? [] : [from.provider, from.issuer, from.sub];
  for (const { parts, record } of links.entriesFrom(reader, start)) {
    const [provider, issuer, sub] = parts ?? [];
    if (typeof provider === 'string' && typeof issuer === 'string' && typeof sub === 'string')
      yield { key: { provider, issuer, sub }, record };
  }
}

/** How far the index of links of before it has come; undefined where it was not begun. */
export const linkProgress = (reader: Reader): Progress<LinkKey> | undefined => built.get(reader, 'built');

export function putLinkProgress(turn: Turn, progress: Progress<LinkKey>): void {
  built.put(turn, progress, 'built');
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
