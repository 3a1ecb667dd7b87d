/** Rows that are read once, and again when TanStack Query finds them stale. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type {
  InfiniteData,
  UseInfiniteQueryOptions,
  UseInfiniteQueryResult,
  UseQueryOptions,
  UseQueryResult,
} from '@tanstack/react-query';
import type { Page } from '../entity.ts';
import type { ListQuery, SingleQuery } from '../query.ts';
import type { EntityName, Field, RowWith } from '../schema.ts';
import { heldOptions, readBy } from './here.ts';
import { readKey } from './keys.ts';
import { useHere } from './provider.ts';
import type { RegisteredSchema as S } from './register.ts';
import { READS_AGAIN } from './retry.ts';

/** TanStack Query ends requests that no component waits for any more. */
interface Unsigned {
  readonly signal?: never;
}

/** Options of TanStack Query: `enabled`, `select`, `staleTime` and the like. */
export type ReadOptions<T, D> = Omit<UseQueryOptions<T, Error, D>, 'queryKey' | 'queryFn'>;
export type PageOptions<T, D> = Omit<
  UseInfiniteQueryOptions<T, Error, D, readonly unknown[], string | null>,
  'queryKey' | 'queryFn' | 'initialPageParam' | 'getNextPageParam'
>;

/** The rows that meet the conditions, as `list` gives them. */
export function useList<
  const E extends EntityName<S>,
  const F extends Field<S, E> = Field<S, E>,
  const P extends string = never,
  D = RowWith<S, E, F, P>[],
>(
  entity: E,
  query: ListQuery<S, E, F, P> & Unsigned = {},
  options: ReadOptions<RowWith<S, E, F, P>[], D> = {},
): UseQueryResult<D> {
  const here = useHere();
  const whole: UseQueryOptions<RowWith<S, E, F, P>[], Error, D> = {
    ...READS_AGAIN,
    ...heldOptions(here, options),
    queryKey: readKey(here.key, entity, 'list', query),
    queryFn: ({ signal }) => readBy(here, here.client.from(entity).list<F, P>({ ...query, signal })),
  };
  return useQuery(whole);
}

/** One row. It waits while there is no `id`; its error is 404 `v2.row_not_found` where the row is not there for the caller. */
export function useRow<
  const E extends EntityName<S>,
  const F extends Field<S, E> = Field<S, E>,
  const P extends string = never,
  D = RowWith<S, E, F, P>,
>(
  entity: E,
  id: string | null | undefined,
  query: SingleQuery<S, E, F, P> & Unsigned = {},
  options: ReadOptions<RowWith<S, E, F, P>, D> = {},
): UseQueryResult<D> {
  const here = useHere();
  const isNamed = id !== null && id !== undefined;
  const whole: UseQueryOptions<RowWith<S, E, F, P>, Error, D> = {
    ...READS_AGAIN,
    ...heldOptions(here, options),
    queryKey: readKey(here.key, entity, 'row', query, id ?? ''),
    queryFn: ({ signal }) => readBy(here, here.client.from(entity).get<F, P>(id!, { ...query, signal })),
    // A copy of the row would have lost the version that `versionOf` tells.
    structuralSharing: false,
    ...(!isNamed && { enabled: false }),
  };
  return useQuery(whole);
}

/** The pages of a list, `limit` rows each: `data.pages`, and `fetchNextPage` while there is one. Rows that are inserted meanwhile shift none. */
export function useInfiniteList<
  const E extends EntityName<S>,
  const F extends Field<S, E> = Field<S, E>,
  const P extends string = never,
  D = InfiniteData<Page<RowWith<S, E, F, P>>, string | null>,
>(
  entity: E,
  query: ListQuery<S, E, F, P> & Unsigned = {},
  options: PageOptions<Page<RowWith<S, E, F, P>>, D> = {},
): UseInfiniteQueryResult<D> {
  const here = useHere();
  const whole: UseInfiniteQueryOptions<Page<RowWith<S, E, F, P>>, Error, D, readonly unknown[], string | null> = {
    ...READS_AGAIN,
    ...heldOptions(here, options),
    queryKey: readKey(here.key, entity, 'pages', query),
    queryFn: ({ signal, pageParam: after }) =>
      readBy(here, here.client.from(entity).page<F, P>({ ...query, after, signal })),
    initialPageParam: null,
    getNextPageParam: ({ next }) => next,
  };
  return useInfiniteQuery(whole);
}
