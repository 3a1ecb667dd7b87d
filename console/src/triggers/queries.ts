/** What the page of triggers asks of the tenant at its place. Lists are asked again while a reader is there (`parts/live.tsx`), an event that waits a few times. */
import { queryOptions } from '@tanstack/react-query';
import type { Place } from '../session/session.ts';
import type { Outcome, Trigger, TriggerEvent } from './shapes.ts';

const TRIGGERS = '/data/admin/data/triggers';
/** As many as the node gives at once. */
export const EVENTS_MAX = 500;

async function get<T>({ skep }: Place, path: string, query: Record<string, string>, signal: AbortSignal): Promise<T> {
  const answer = await skep.transport.send({ method: 'GET', path, query: new URLSearchParams(query), signal });
  return answer.json as T;
}

export const triggersOf = (place: Place) =>
  queryOptions({
    queryKey: ['triggers', 'list'],
    queryFn: async ({ signal }) =>
      (await get<{ readonly triggers: readonly Trigger[] }>(place, TRIGGERS, {}, signal)).triggers,
  });

/** Those that wait, oldest first, then those that ended without success, newest first. */
export const eventsOf = (place: Place, outcome: Outcome | undefined) =>
  queryOptions({
    queryKey: ['triggers', 'events', outcome ?? null],
    queryFn: async ({ signal }): Promise<readonly TriggerEvent[]> => {
      const query = { limit: String(EVENTS_MAX), ...(outcome !== undefined && { outcome }) };
      return (await get<{ readonly events: readonly TriggerEvent[] }>(place, `${TRIGGERS}/events`, query, signal))
        .events;
    },
  });

/** Puts an event that ended back under its id; one that waits is tried soon. */
export async function retry({ skep }: Place, id: string): Promise<void> {
  await skep.transport.send({ method: 'POST', path: `${TRIGGERS}/events/${encodeURIComponent(id)}/retry` });
}
