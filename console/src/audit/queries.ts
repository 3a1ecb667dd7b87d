/** What the pages of audit ask the node. Nothing is asked again by itself but the size of the log: records never change. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { skep } from '../session/session.ts';
import { filtersOf } from './search.ts';
import type { AuditSearch } from './search.ts';
import type { Log, RecordsPage } from './shapes.ts';
import { walkBack } from './walk.ts';

const SELDOM_MS = 15_000;
const STAYS = { staleTime: Infinity } as const;

/** A log's id is one segment of the path. */
const pathOf = (log: string, part = ''): string => `/audit/logs/${encodeURIComponent(log)}${part}`;

async function ask<T>(path: string, query: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<T> {
  const answer = await skep.transport.send({ method: 'GET', path, query: new URLSearchParams(query), signal });
  return answer.json as T;
}

export const logs = queryOptions({
  queryKey: ['audit', 'logs'],
  queryFn: ({ signal }) => ask<{ readonly logs: readonly { readonly log_id: string }[] }>('/audit/logs', {}, signal),
  select: ({ logs: all }) => all.map(({ log_id }) => log_id).toSorted(),
});

export const logOf = (log: string) =>
  queryOptions({
    queryKey: ['audit', 'log', log],
    queryFn: ({ signal }) => ask<Log>(pathOf(log), {}, signal),
    refetchInterval: SELDOM_MS,
  });

/** A page of the timeline: what fits, newest first, before the record of the page's parameter; null begins at the end of the log. */
export const recordsOf = (log: string, search: AuditSearch) => {
  const filters = filtersOf(search);
  return infiniteQueryOptions({
    queryKey: ['audit', 'records', log, filters],
    queryFn: async ({ pageParam, signal }) => {
      const end = pageParam ?? (await ask<Log>(pathOf(log), {}, signal)).size;
      const walked = await walkBack(end, Object.keys(filters).length > 0, (from, limit) =>
        ask<RecordsPage>(pathOf(log, '/records'), { ...filters, from: String(from), limit: String(limit) }, signal),
      );
      return { ...walked, end };
    },
    initialPageParam: null as number | null,
    getNextPageParam: ({ from }) => (from > 0 ? from : undefined),
    ...STAYS,
  });
};

export const recordOf = (log: string, seq: number) =>
  queryOptions({
    queryKey: ['audit', 'record', log, seq],
    queryFn: async ({ signal }) => {
      const query = { from: String(seq), limit: '1' };
      const page = await ask<RecordsPage>(pathOf(log, '/records'), query, signal);
      const record = page.records.find((one) => one.seq === seq) ?? null;
      return { record, personal: page.personal };
    },
    ...STAYS,
  });

/** Asked for each check: the checkpoint moves on. */
export const askProof = (log: string, seq: number): Promise<unknown> =>
  ask<unknown>(pathOf(log, '/proof/inclusion'), { index: String(seq) });

/** The newest checkpoint that a witness has signed, too; a SkepError 404 where none has. */
export const askCosigned = async (log: string): Promise<string> =>
  (await skep.transport.open({ method: 'GET', path: pathOf(log, '/cosigned') })).text();
