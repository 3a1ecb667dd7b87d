/** What the page of one's own account asks (docs/contract/identity-users.md §8.6, §8.9). */
import { queryOptions } from '@tanstack/react-query';
import type { Place } from '../session/session.ts';

export interface Me {
  readonly id: string;
  readonly email: string;
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly roles: readonly string[];
  readonly allow_impersonation: boolean;
  readonly second_factor: boolean;
}

export interface OwnSession {
  readonly id: string;
  readonly kind: 'user' | 'impersonation' | 'login';
  readonly created_at: string;
  readonly last_seen_at: string | null;
  readonly ip: string | null;
  readonly user_agent: string | null;
  readonly ended_at: string | null;
  readonly current: boolean;
  readonly impersonation?: {
    readonly operator: string;
    readonly reason: string | null;
    readonly mode: 'readonly' | 'full' | null;
  };
}

const ME = '/auth/me';

export const meOf = (place: Place) =>
  queryOptions({
    queryKey: ['me', 'account'],
    queryFn: async ({ signal }) => (await place.skep.transport.send({ method: 'GET', path: ME, signal })).json as Me,
  });

export const ownSessionsOf = (place: Place) =>
  queryOptions({
    queryKey: ['me', 'sessions'],
    queryFn: async ({ signal }) => {
      const { json } = await place.skep.transport.send({ method: 'GET', path: `${ME}/sessions`, signal });
      return (json as { readonly sessions: readonly OwnSession[] }).sessions;
    },
  });

export async function allowActing({ skep }: Place, allow: boolean): Promise<void> {
  await skep.transport.send({ method: 'PATCH', path: ME, body: { allow_impersonation: allow } });
}

/** One after the other: a refusal leaves the rest as they are. */
export async function endOwn({ skep }: Place, ids: readonly string[]): Promise<void> {
  for (const id of ids)
    await skep.transport.send({ method: 'DELETE', path: `${ME}/sessions/${encodeURIComponent(id)}` });
}
