/** Writes, after which the rows that are shown are read anew. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { QueryClient, UseMutationOptions, UseMutationResult } from '@tanstack/react-query';
import type { ChangeOptions, DeleteOptions } from '../entity.ts';
import type { Asked } from '../query.ts';
import type { Create, EntityName, Row, Update } from '../schema.ts';
import { holdToLogin, type Here } from './here.ts';
import { readKey, type ReadKey } from './keys.ts';
import { useHere } from './provider.ts';
import type { RegisteredSchema as S } from './register.ts';

/**
 * Options of TanStack Query. Without `retry`: the client itself sends a write again, under one Idempotency-Key, and a second key could write it twice.
 */
export type WriteHookOptions<T, V, C> = Omit<UseMutationOptions<T, Error, V, C>, 'mutationFn' | 'retry'> & {
  /** Other entities that the write changes, by a trigger or a script. Rows of the entity itself, and rows with included ones, are read anew in any case. */
  readonly touches?: readonly EntityName<S>[];
};

/** What an update names: the row, what changes, and the version that it must have. */
export type UpdateCall<E extends EntityName<S>> = ChangeOptions & {
  readonly id: string;
  readonly changes: Update<S, E>;
};
export type RemoveCall = DeleteOptions & { readonly id: string };

/** `create.mutate({ subject: 'No sound' })` creates a row. */
export function useCreate<const E extends EntityName<S>, C = unknown>(
  entity: E,
  options: WriteHookOptions<Row<S, E>, Create<S, E>, C> = {},
): UseMutationResult<Row<S, E>, Error, Create<S, E>, C> {
  const { client } = useHere();
  return useWrite(entity, (row) => client.from(entity).create(row), options);
}

/** `update.mutate({ id, changes: { status: 'open' }, version: versionOf(row) })` changes a row. */
export function useUpdate<const E extends EntityName<S>, C = unknown>(
  entity: E,
  options: WriteHookOptions<Row<S, E>, UpdateCall<E>, C> = {},
): UseMutationResult<Row<S, E>, Error, UpdateCall<E>, C> {
  const { client, key: begin } = useHere();
  const cache = useQueryClient();
  const write = async ({ id, changes, ...how }: UpdateCall<E>): Promise<Row<S, E>> => {
    const row = await client.from(entity).update(id, changes, how);
    // What the node answers is the whole row: it is shown at once.
    const key = readKey(begin, entity, 'row', {}, id);
    if (cache.getQueryState(key)?.data !== undefined) {
      await cache.cancelQueries({ queryKey: key, exact: true });
      cache.setQueryData(key, row);
    }
    return row;
  };
  return useWrite(entity, write, options);
}

/** `remove.mutate({ id })` deletes a row, as `delete` does. */
export function useRemove<const E extends EntityName<S>, C = unknown>(
  entity: E,
  options: WriteHookOptions<Row<S, E>, RemoveCall, C> = {},
): UseMutationResult<Row<S, E>, Error, RemoveCall, C> {
  const { client } = useHere();
  return useWrite(entity, ({ id, ...how }) => client.from(entity).delete(id, how), options);
}

function useWrite<E extends EntityName<S>, V, C>(
  entity: E,
  write: (call: V) => Promise<Row<S, E>>,
  { touches = [], ...options }: WriteHookOptions<Row<S, E>, V, C>,
): UseMutationResult<Row<S, E>, Error, V, C> {
  const here = useHere();
  const cache = useQueryClient();
  const whole: UseMutationOptions<Row<S, E>, Error, V, C> = {
    ...options,
    retry: false,
    // With another login the result is forgotten. Last, so that a page finds its own keys by their beginning.
    mutationKey: [...(options.mutationKey ?? []), here.key],
    // The write may have waited for the network: by then another user may be logged in.
    mutationFn: async (call) => {
      holdToLogin(here);
      return write(call);
    },
    onSuccess: (...told) => {
      readAnew(cache, here, new Set([entity, ...touches]));
      return options.onSuccess?.(...told);
    },
  };
  return useMutation(whole);
}

/** The write does not wait for these reads. Live rows are told of it by the node. */
function readAnew(cache: QueryClient, { key }: Here, touched: ReadonlySet<string>): void {
  void cache.invalidateQueries({
    queryKey: key,
    predicate: ({ queryKey }) => {
      const [, , , , entity, kind, asked] = queryKey as unknown as ReadKey;
      return kind !== 'live' && (touched.has(entity) || showsOthers(asked));
    },
  });
}

/** Whether rows of other entities come along, or decide which rows are found: a path (`organisation.name`), `some`, `none`, `every`. */
function showsOthers(asked: object): boolean {
  const { include, where, orderBy } = asked as Asked;
  return include !== undefined || /"(?:some|none|every)":|"-?\w+\.\w/.test(JSON.stringify([where, orderBy]));
}
