/** The client of a tree of components. */
import { useQueryClient } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { createContext, createElement, useContext, useEffect } from 'react';
import type { Context, ReactElement, ReactNode } from 'react';
import type { Client } from '../create-client.ts';
import { keyOf } from './keys.ts';
import type { RegisteredSchema } from './register.ts';

const Here: Context<Client<RegisteredSchema> | null> = createContext<Client<RegisteredSchema> | null>(null);

export interface SkepProviderProps {
  readonly client: Client<RegisteredSchema>;
  readonly children?: ReactNode;
}

/** Gives the hooks below it their client. It stands below a `QueryClientProvider`. What one user has read is forgotten when the login ends or another begins. */
export function SkepProvider({ client, children }: SkepProviderProps): ReactElement {
  const cache = useQueryClient();
  useEffect(() => client.auth.onChange((isLoggedIn) => forget(cache, client, isLoggedIn)), [cache, client]);
  return createElement(Here.Provider, { value: client }, children);
}

/** The client of the nearest `SkepProvider`. */
export function useSkep(): Client<RegisteredSchema> {
  const client = useContext(Here);
  if (client === null) throw new Error('no <SkepProvider client={…}> stands above this component');
  return client;
}

/** With a login what is shown is read anew. After its end nothing is asked: each answer would be 401. */
function forget(cache: QueryClient, client: Client<RegisteredSchema>, isLoggedIn: boolean): void {
  const filters = { queryKey: keyOf(client) };
  if (isLoggedIn) return void cache.resetQueries(filters);
  for (const query of cache.getQueryCache().findAll(filters)) {
    query.reset();
    if (query.getObserversCount() === 0) cache.getQueryCache().remove(query);
  }
}
