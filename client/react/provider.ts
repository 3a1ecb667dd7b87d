/** The client of a tree of components, and its login as they were drawn with it. */
import { useQueryClient } from '@tanstack/react-query';
import {
  createContext,
  createElement,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react';
import type { Context, ReactElement, ReactNode } from 'react';
import type { Client } from '../create-client.ts';
import { forget } from './forget.ts';
import type { Here } from './here.ts';
import { loginKey } from './keys.ts';
import type { RegisteredSchema } from './register.ts';

const Place: Context<Here | null> = createContext<Here | null>(null);

export interface SkepProviderProps {
  readonly client: Client<RegisteredSchema>;
  readonly children?: ReactNode;
}

/**
 * Gives the hooks below it their client. It stands below a `QueryClientProvider`. With a login, its end and another one, in this tab or in one that shares its storage,
 * what was read before is forgotten, and the components below are drawn anew.
 */
export function SkepProvider({ client, children }: SkepProviderProps): ReactElement {
  const cache = useQueryClient();
  const subscribe = useCallback(
    (changed: () => void) => {
      const heard = (): void => {
        forget(cache, client);
        changed();
      };
      const stop = client.auth.onChange(heard);
      const stopShown = onShown(heard);
      return () => {
        stop();
        stopShown();
      };
    },
    [cache, client],
  );
  // A page that is drawn on a server has no login.
  const login = useSyncExternalStore(
    subscribe,
    () => client.auth.loginId,
    () => null,
  );
  const [had, setHad] = useState<unknown>(null);
  if (login !== null && had !== client) setHad(client);
  const isOver = login === null && had === client;
  const here = useMemo<Here>(() => ({ client, login, isOver, key: loginKey(client, login) }), [client, login, isOver]);
  // What was there before this component was, such as a cache that the page has kept.
  useEffect(() => forget(cache, client), [cache, client, login]);
  return createElement(Place.Provider, { value: here }, children);
}

/** The client of the nearest `SkepProvider`. */
export function useSkep(): Client<RegisteredSchema> {
  return useHere().client;
}

/** What hooks have of the nearest `SkepProvider`. */
export function useHere(): Here {
  const here = useContext(Place);
  if (here === null) throw new Error('no <SkepProvider client={…}> stands above this component');
  return here;
}

/** A page that the browser has put aside hears of no login until it is shown again. */
function onShown(heard: () => void): () => void {
  const page = globalThis as Page;
  page.addEventListener?.('pageshow', heard);
  return () => page.removeEventListener?.('pageshow', heard);
}

interface Page {
  addEventListener?(type: 'pageshow', listener: () => void): void;
  removeEventListener?(type: 'pageshow', listener: () => void): void;
}
