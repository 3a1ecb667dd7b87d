/** Rows that stay as the node has them: those of a snapshot, then each change of them. */
import { useQuery, useQueryClient, type UseQueryOptions, type UseQueryResult } from '@tanstack/react-query';
import type { Change } from '../change.ts';
import type { ChangesQuery, Entity } from '../entity.ts';
import type { AnySchema, EntityName, Field, RowWith } from '../schema.ts';
import { isSameLogin } from './here.ts';
import { readKey } from './keys.ts';
import { useHere } from './provider.ts';
import type { ReadOptions } from './reads.ts';
import type { RegisteredSchema as S } from './register.ts';

/** Entities whose changes are told: those with `changes: true`. */
export type LiveName = { [E in EntityName<S>]: S['entities'][E]['changes'] extends false ? never : E }[EntityName<S>];
/** Which rows, and which of their fields; `id` comes in any case. */
export type LiveQuery<E extends EntityName<S>, F extends string> = Pick<ChangesQuery<S, E, F>, 'where' | 'fields'>;
/** When the rows are read anew is not for the page to say: they never are stale. */
export type LiveOptions<T, D> = Pick<
  ReadOptions<T, D>,
  'enabled' | 'select' | 'gcTime' | 'meta' | 'notifyOnChangeProps'
>;

/**
 * The rows that meet the conditions now, kept as the node has them, across broken connections and restarts of the node. All components that ask the same share one
 * connection, which ends with the last of them. Rows stand in the order in which they became known: `select` sorts them. `data` is undefined until all of them
 * are there; while some were missed (`reset`) it has those of before. An error is a refusal, and final.
 */
export function useLive<
  const E extends LiveName,
  const F extends Field<S, E> = Field<S, E>,
  D = RowWith<S, E, F | Extract<'id', Field<S, E>>, never>[],
>(
  entity: E,
  query: LiveQuery<E, F> = {},
  options: LiveOptions<RowWith<S, E, F | Extract<'id', Field<S, E>>, never>[], D> = {},
): UseQueryResult<D> {
  type R = RowWith<S, E, F | Extract<'id', Field<S, E>>, never>;
  const here = useHere();
  const cache = useQueryClient();
  const { where, fields } = query;
  const asked = {
    ...(where !== undefined && { where }),
    ...(fields !== undefined && { fields: [...new Set(['id', ...fields])] }),
  };
  const queryKey = readKey(here.key, entity, 'live', asked);
  const whole: UseQueryOptions<R[], Error, D> = {
    ...options,
    ...(here.isOver && { enabled: false }),
    queryKey,
    // It lasts as long as a component shows the rows: the signal ends it.
    queryFn: ({ signal }) => {
      const rows = here.client.from(entity) as unknown as Entity<AnySchema, string>;
      const told = rows.changes({ ...asked, snapshot: true, signal }) as AsyncIterable<Change<R>>;
      // What another login is told is not written: this one's rows are forgotten when the tab hears of it.
      return keptBy<R>(told, (now) => {
        if (!signal.aborted && isSameLogin(here)) cache.setQueryData(queryKey, now);
      });
    },
    retry: false,
    // The client itself waits for the network.
    networkMode: 'always',
    staleTime: Infinity,
    // Whether it follows already: then nothing is asked again.
    refetchOnMount: 'always',
    refetchOnReconnect: false,
    refetchOnWindowFocus: false,
    structuralSharing: false,
  };
  return useQuery(whole);
}

/** Follows the changes, and writes the rows once they are whole and then at most once a turn of the event loop, however many changes come in it. */
async function keptBy<R>(told: AsyncIterable<Change<R>>, write: (rows: R[]) => void): Promise<R[]> {
  const rows = new Map<string, R>();
  const idOf = (row: R): string => (row as { readonly id: string }).id;
  let isWhole = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    for await (const one of told) {
      if (one.type === 'reset') rows.clear();
      else if (one.type === 'row') rows.set(idOf(one.row), one.row);
      else if (one.type === 'change' && one.op === 'gone') rows.delete(one.id);
      else if (one.type === 'change' && one.row !== null) rows.set(one.id, one.row);
      isWhole = one.type === 'snapshot' || (isWhole && one.type === 'change');
      if (isWhole)
        timer ??= setTimeout(() => {
          timer = undefined;
          if (isWhole) write([...rows.values()]);
        });
    }
  } finally {
    clearTimeout(timer);
  }
  return [...rows.values()];
}
