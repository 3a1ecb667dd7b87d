/** `GET /auth/admin/users`: a page of users, all in the order of their ids, or those whose address or name begins with `q`. */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { Identity } from '../identity.ts';
import { isRole, NO_ROLE } from '../operator/role.ts';
import { refuse } from '../refusals.ts';
import { findUser, usersFrom, type Reader, type UserRecord } from '../store.ts';
import { administratorOf } from './administrator.ts';
import { indexReady } from './build-index.ts';
import { readCursor, writeCursor, type Cursor } from './cursor.ts';
import type { peopleRoutes } from './routes.ts';
import { cut, entriesOf, folded, termsOf } from './store.ts';
import { viewOf } from './view.ts';

type Result = Outcome<typeof peopleRoutes.listUsers>;

export interface UserQuery {
  /** The folded beginning of an address or a name; null for all users. */
  readonly start: string | null;
  readonly limit: number;
  readonly after: Cursor | null;
  /** Guests alone, or all others; null and absent for all. */
  readonly guest?: boolean | null;
  /** Those who have this role alone; null and absent for all. */
  readonly role?: string | null;
}

export interface UserPage {
  readonly users: readonly UserRecord[];
  readonly next: Cursor | null;
}

export async function listUsers(identity: Identity, call: Call): Promise<Result> {
  const caller = administratorOf(call);
  if (isRefusal(caller)) return caller;
  const query = readQuery(call.query);
  if (isRefusal(query)) return query;
  const pending = query.start === null ? null : indexReady(identity, call.activation);
  if (pending !== null) {
    call.abort();
    await pending;
  }
  const { users, next } = pageOf(call.turn(), query);
  return reply(200, { users: users.map(viewOf), next: next === null ? null : writeCursor(next) });
}

const PARAMETERS: ReadonlySet<string> = new Set(['q', 'limit', 'after', 'guest', 'role']);

function readQuery(query: URLSearchParams): UserQuery | Refusal<'bad_request'> {
  const bad = (message: string) => refuse('bad_request', { message });
  for (const name of query.keys())
    if (!PARAMETERS.has(name))
      return bad(`?${name.slice(0, 64)}: unknown parameter; known are q, guest, role, limit and after`);
  const limit = query.get('limit') ?? String(limits.people.pageRows);
  if (!/^[1-9]\d{0,5}$/.test(limit) || Number(limit) > limits.people.pageRowsMax)
    return bad(`limit: expected a whole number from 1 to ${limits.people.pageRowsMax}`);
  const q = query.get('q') ?? '';
  if (q.length > limits.identity.emailCharsMax) return bad(`q: at most ${limits.identity.emailCharsMax} characters`);
  const guest = query.get('guest');
  if (guest !== null && guest !== 'true' && guest !== 'false') return bad('guest: expected true or false');
  const role = query.get('role');
  if (role !== null && !isRole(role)) return bad(`role: ${NO_ROLE}`);
  const after = query.get('after');
  const cursor = after === null ? null : readCursor(after, q !== '');
  if (cursor === undefined) return bad('after: not a cursor that this list gave; begin again without it');
  return {
    start: q === '' ? null : folded(q),
    limit: Number(limit),
    after: cursor,
    guest: guest === null ? null : guest === 'true',
    role,
  };
}

/** At most `limit` users; fewer when many entries had to be looked at, and `next` says where the search goes on. */
export function pageOf(reader: Reader, query: UserQuery): UserPage {
  return query.start === null ? allFrom(reader, query) : found(reader, query, query.start);
}

function allFrom(reader: Reader, { limit, after, ...wish }: UserQuery): UserPage {
  const users: UserRecord[] = [];
  let last = after?.id ?? '';
  let looked = 0;
  for (const user of usersFrom(reader, after?.id ?? '')) {
    if (user.id === after?.id) continue;
    if (users.length === limit || looked === limits.people.pageLooksMax)
      return { users, next: { term: null, id: last } };
    looked++;
    last = user.id;
    if (isWanted(user, wish)) users.push(user);
  }
  return { users, next: null };
}

type Wish = Pick<UserQuery, 'guest' | 'role'>;

const isWanted = ({ guest: isGuest, roles }: UserRecord, { guest = null, role = null }: Wish): boolean =>
  (guest === null || (isGuest === true) === guest) && (role === null || roles.includes(role));

/** A user whom several terms match is given at the first of them. */
function found(reader: Reader, { limit, after, ...wish }: UserQuery, start: string): UserPage {
  const users: UserRecord[] = [];
  const from = after === null || after.term === null ? null : { term: after.term, id: after.id };
  let last: Cursor | null = null;
  let looked = 0;
  for (const entry of entriesOf(reader, cut(start), from)) {
    if (entry.term === from?.term && entry.id === from.id) continue;
    if (users.length === limit || looked === limits.people.pageLooksMax) return { users, next: last };
    looked++;
    last = entry;
    const user = findUser(reader, entry.id);
    if (user !== undefined && isWanted(user, wish) && firstMatch(user, start) === entry.term) users.push(user);
  }
  return { users, next: null };
}

function firstMatch(user: UserRecord, start: string): string | undefined {
  const matching = termsOf(user).filter((term) => term.startsWith(start));
  return matching.map(cut).sort(byBytes)[0];
}

/** The order of keys. */
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
