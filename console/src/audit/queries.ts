/** What the pages of audit ask the node, at the control plane unless another place is named. Nothing is asked again by itself but the size of the log: records never change. */
import { isSkepError } from '@skep/client';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { plane, type Place } from '../session/session.ts';
import { cosignedBy, type Cosigned } from './cosigned.ts';
import { filtersOf, type AuditSearch } from './search.ts';
import type { AuditRecord, Log, RecordsPage } from './shapes.ts';
import { walkBack, type Walked } from './walk.ts';

const SELDOM_MS = 15_000;
/** A page that was just opened shows what its reader did before: a record is in its log within a second or two. */
const SOON_MS = 2000;
const SOON_LOOKS = 3;
const STAYS = { staleTime: Infinity } as const;

/** A log's id is one segment of the path. */
const pathOf = (log: string, part = ''): string => `/audit/logs/${encodeURIComponent(log)}${part}`;

async function ask<T>(
  { skep }: Place,
  path: string,
  query: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<T> {
  const answer = await skep.transport.send({ method: 'GET', path, query: new URLSearchParams(query), signal });
  return answer.json as T;
}

export const logsAt = (place: Place) =>
  queryOptions({
    queryKey: ['audit', 'logs'],
    queryFn: ({ signal }) =>
      ask<{ readonly logs: readonly { readonly log_id: string }[] }>(place, '/audit/logs', {}, signal),
    select: ({ logs: all }) => all.map(({ log_id }) => log_id).toSorted(),
  });

export const logs = logsAt(plane);

export const logOf = (log: string, place: Place = plane) =>
  queryOptions({
    queryKey: ['audit', 'log', log],
    queryFn: ({ signal }) => ask<Log>(place, pathOf(log), {}, signal),
    refetchInterval: ({ state }) => (state.dataUpdateCount < SOON_LOOKS ? SOON_MS : SELDOM_MS),
  });

/** What the node's filters cannot say, under a name that the cache knows it by. */
export interface Fits {
  readonly name: string;
  readonly is: (record: AuditRecord) => boolean;
}

/** The records of a log before a number that fit, newest first. */
export function recordsBefore(
  place: Place,
  log: string,
  search: AuditSearch,
  end: number,
  signal?: AbortSignal,
  fits?: Fits,
): Promise<Walked> {
  const filters = filtersOf(search);
  return walkBack(end, Object.keys(filters).length > 0, async (from, limit) => {
    const query = { ...filters, from: String(from), limit: String(limit) };
    const page = await ask<RecordsPage>(place, pathOf(log, '/records'), query, signal);
    return fits === undefined ? page : { ...page, records: page.records.filter(fits.is) };
  });
}

/** A page of the timeline: what fits, newest first, before the record of the page's parameter; null begins at the end of the log. */
export const recordsOf = (log: string, search: AuditSearch, place: Place = plane, fits?: Fits) => {
  const filters = filtersOf(search);
  return infiniteQueryOptions({
    queryKey: ['audit', 'records', log, filters, ...(fits === undefined ? [] : [fits.name])],
    queryFn: async ({ pageParam, signal }) => {
      const end = pageParam ?? (await ask<Log>(place, pathOf(log), {}, signal)).size;
      const walked = await recordsBefore(place, log, search, end, signal, fits);
      return { ...walked, end };
    },
    initialPageParam: null as number | null,
    getNextPageParam: ({ from }) => (from > 0 ? from : undefined),
    ...STAYS,
  });
};

export const recordOf = (log: string, seq: number, place: Place = plane) =>
  queryOptions({
    queryKey: ['audit', 'record', log, seq],
    queryFn: async ({ signal }) => {
      const query = { from: String(seq), limit: '1' };
      const page = await ask<RecordsPage>(place, pathOf(log, '/records'), query, signal);
      const record = page.records.find((one) => one.seq === seq) ?? null;
      return { record, personal: page.personal };
    },
    ...STAYS,
  });

/** Asked for each check: the checkpoint moves on. */
export const askProof = (place: Place, log: string, seq: number): Promise<unknown> =>
  ask<unknown>(place, pathOf(log, '/proof/inclusion'), { index: String(seq) });

/** The newest checkpoint that witnesses have signed, too; null where none has yet. Asked as often as the log's size, beside which it stands. */
export const cosignedOf = (log: string, place: Place) =>
  queryOptions({
    queryKey: ['audit', 'cosigned', log],
    queryFn: async ({ signal }): Promise<Cosigned | null> => {
      try {
        const answer = await place.skep.transport.open({ method: 'GET', path: pathOf(log, '/cosigned'), signal });
        return cosignedBy(await answer.text());
      } catch (error) {
        if (isSkepError(error, 'audit.not_found')) return null;
        throw error;
      }
    },
    refetchInterval: SELDOM_MS,
  });
