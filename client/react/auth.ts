/** The login, as components see it, and the user behind it. */
import { useQuery, type UseQueryOptions, type UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Auth } from '../create-client.ts';
import { heldOptions, readBy } from './here.ts';
import { readKey } from './keys.ts';
import { useHere } from './provider.ts';
import type { ReadOptions } from './reads.ts';
import { READS_AGAIN } from './retry.ts';

export interface AuthState {
  /** `in`: there is a login. That it still counts is known by the next answer of the node. */
  readonly status: 'in' | 'out';
  readonly loginId: Auth['loginId'];
  readonly login: Auth['login'];
  readonly enter: Auth['enter'];
  readonly logout: Auth['logout'];
}

/** The user that is logged in (docs/contract/identity-users.md §8.6). */
export interface User {
  readonly id: string;
  readonly email: string | null;
  readonly guest: boolean;
  readonly verified: boolean;
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly roles: readonly string[];
  readonly locale: string | null;
}

/** Whether there is a login in this tab, or in one that shares its storage, and what changes that. */
export function useAuth(): AuthState {
  const { client, login: loginId } = useHere();
  const { auth } = client;
  return useMemo(
    () => ({
      status: loginId === null ? 'out' : 'in',
      loginId,
      login: (password) => auth.login(password),
      enter: (ask) => auth.enter(ask),
      logout: () => auth.logout(),
    }),
    [auth, loginId],
  );
}

/** The user that is logged in; read once, and anew with another login. */
export function useUser<D = User>(options: ReadOptions<User, D> = {}): UseQueryResult<D> {
  const here = useHere();
  const whole: UseQueryOptions<User, Error, D> = {
    ...READS_AGAIN,
    staleTime: Infinity,
    ...heldOptions(here, options),
    queryKey: readKey(here.key, '/auth/me', 'row', {}),
    queryFn: async ({ signal }) => {
      const { json } = await readBy(here, here.client.transport.send({ method: 'GET', path: '/auth/me', signal }));
      return json as User;
    },
  };
  return useQuery(whole);
}
