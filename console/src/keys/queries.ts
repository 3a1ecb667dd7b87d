/** What the page of keys asks of the tenant at its place. Nothing is asked again by itself: each question is on record. */
import { infiniteQueryOptions } from '@tanstack/react-query';
import type { Place } from '../session/session.ts';
import type { KeysPage, KeyWish, MadeKey } from './shapes.ts';

const KEYS = '/auth/admin/keys';

/** A page at a time, oldest first. */
export const keysOf = (place: Place) =>
  infiniteQueryOptions({
    queryKey: ['keys'],
    queryFn: async ({ pageParam, signal }) => {
      const query = new URLSearchParams(pageParam === null ? {} : { after: pageParam });
      return (await place.skep.transport.send({ method: 'GET', path: KEYS, query, signal })).json as KeysPage;
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next ?? undefined,
  });

/** Sent once: another key would be made, which no page has seen. */
export async function makeKey({ skep }: Place, body: KeyWish): Promise<MadeKey> {
  return (await skep.transport.send({ method: 'POST', path: KEYS, body, again: 'never' })).json as MadeKey;
}

export async function revokeKey({ skep }: Place, id: string): Promise<void> {
  await skep.transport.send({ method: 'DELETE', path: `${KEYS}/${encodeURIComponent(id)}` });
}
