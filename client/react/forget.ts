/** What another login of the same client has read and written is taken out of the cache. */
import type { QueryClient } from '@tanstack/react-query';
import type { Client } from '../create-client.ts';
import { beginsWith, keyOf } from './keys.ts';
import type { RegisteredSchema } from './register.ts';

/** Requests under way are ended; a write that waits for the network is not sent any more. */
export function forget(cache: QueryClient, client: Client<RegisteredSchema>): void {
  const now = keyOf(client);
  const isOver = (key: unknown): boolean =>
    Array.isArray(key) && beginsWith(key, now.slice(0, -1)) && !beginsWith(key, now);
  const queries = cache.getQueryCache();
  for (const query of queries.findAll({ predicate: ({ queryKey }) => isOver(queryKey) })) {
    // What still shows it shows nothing from here on.
    query.reset();
    queries.remove(query);
  }
  const writes = cache.getMutationCache();
  for (const write of writes.findAll({ predicate: ({ options }) => isOver(options.mutationKey?.at(-1)) }))
    writes.remove(write);
}
