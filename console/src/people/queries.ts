/** What pages of people ask of the tenant at their place. Nothing is asked again by itself: each question is on record. */
import { infiniteQueryOptions, queryOptions, type QueryClient } from '@tanstack/react-query';
import type { Place } from '../session/session.ts';
import type { PeopleSearch } from './search.ts';
import type { Invitation, InvitationsPage, InvitationWish, PeoplePage, Person, PersonChange } from './shapes.ts';
import type { PersonDetail, PersonWish, RoleUse, Sessions } from './shapes.ts';

const FRESH_MS = 10_000;

const USERS = '/auth/admin/users';
const INVITATIONS = '/auth/admin/invitations';
const userPath = (id: string, part = ''): string => `${USERS}/${encodeURIComponent(id)}${part}`;

async function get<T>({ skep }: Place, path: string, query: Record<string, string>, signal: AbortSignal): Promise<T> {
  const answer = await skep.transport.send({ method: 'GET', path, query: new URLSearchParams(query), signal });
  return answer.json as T;
}

type Wanted = Pick<PeopleSearch, 'q' | 'role' | 'show'>;

/** A page at a time; those whose address or name begins with `q`. */
export const peopleWith = (place: Place, { q = '', show, role }: Wanted) =>
  infiniteQueryOptions({
    queryKey: ['people', 'list', q, show ?? null, role ?? null],
    queryFn: ({ pageParam, signal }) => {
      const query = {
        ...(q !== '' && { q }),
        ...(role !== undefined && { role }),
        ...(show !== undefined && { guest: String(show === 'guests') }),
        ...(pageParam !== null && { after: pageParam }),
      };
      return get<PeoplePage>(place, USERS, query, signal);
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next ?? undefined,
    staleTime: FRESH_MS,
  });

/** Roles of the product with what its definitions give them. */
export const rolesOf = (place: Place) =>
  queryOptions({
    queryKey: ['people', 'roles'],
    queryFn: async ({ signal }) =>
      (await get<{ roles: readonly RoleUse[] }>(place, '/auth/admin/roles', {}, signal)).roles,
    staleTime: FRESH_MS,
  });

export const personOf = (place: Place, id: string) =>
  queryOptions({
    queryKey: ['people', 'one', id],
    queryFn: ({ signal }) => get<PersonDetail>(place, userPath(id), {}, signal),
  });

/** Newest first; those that ended a while ago are among them. */
export const sessionsOf = (place: Place, id: string) =>
  queryOptions({
    queryKey: ['people', 'sessions', id],
    queryFn: ({ signal }) => get<Sessions>(place, userPath(id, '/sessions'), {}, signal),
  });

/** A page at a time, oldest first. */
export const invitationsOf = (place: Place) =>
  infiniteQueryOptions({
    queryKey: ['people', 'invitations'],
    queryFn: ({ pageParam, signal }) =>
      get<InvitationsPage>(place, INVITATIONS, pageParam === null ? {} : { after: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next ?? undefined,
  });

/** The roles that people have who were listed so far. */
export function rolesSeen(queries: QueryClient): readonly string[] {
  const lists = queries.getQueriesData<{ pages: readonly PeoplePage[] }>({ queryKey: ['people', 'list'] });
  return lists.flatMap(([, data]) => (data?.pages ?? []).flatMap(({ users }) => users.flatMap(({ roles }) => roles)));
}

/** Sent once: the mail would leave twice. */
export async function addPerson({ skep }: Place, body: PersonWish): Promise<Person> {
  return (await skep.transport.send({ method: 'POST', path: USERS, body, again: 'never' })).json as Person;
}

export async function changePerson({ skep }: Place, id: string, body: PersonChange): Promise<Person> {
  return (await skep.transport.send({ method: 'PATCH', path: userPath(id), body })).json as Person;
}

/** All of them, and the refresh tokens of logins without a session. */
export async function endSessions({ skep }: Place, id: string): Promise<void> {
  await skep.transport.send({ method: 'DELETE', path: userPath(id, '/sessions') });
}

/** One after the other: a refusal leaves the rest as they are. */
export async function endEach({ skep }: Place, id: string, sessions: readonly string[]): Promise<void> {
  for (const session of sessions)
    await skep.transport.send({ method: 'DELETE', path: userPath(id, `/sessions/${encodeURIComponent(session)}`) });
}

/** Sent once: the mail would leave twice. */
export async function invite({ skep }: Place, body: InvitationWish): Promise<Invitation> {
  return (await skep.transport.send({ method: 'POST', path: INVITATIONS, body, again: 'never' })).json as Invitation;
}

export async function withdraw({ skep }: Place, id: string): Promise<void> {
  await skep.transport.send({ method: 'DELETE', path: `${INVITATIONS}/${encodeURIComponent(id)}` });
}
