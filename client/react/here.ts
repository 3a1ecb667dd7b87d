/** The client and the login of a component, and what holds what it reads and writes to this login. */
import type { Client } from '../create-client.ts';
import { SkepError } from '../errors.ts';
import { beginsWith } from './keys.ts';
import type { RegisteredSchema } from './register.ts';

export interface Here {
  readonly client: Client<RegisteredSchema>;
  /** The `loginId` with which the component was drawn. */
  readonly login: string | null;
  /** There was a login, and there is none now: nothing is asked, since each answer would be 401. */
  readonly isOver: boolean;
  /** Begins the keys of all that is read under this login. */
  readonly key: readonly unknown[];
}

export const isSameLogin = ({ client, login }: Here): boolean => client.auth.loginId === login;

/** Throws once the client has another login than the component. */
export function holdToLogin(here: Here): void {
  if (!isSameLogin(here)) throw ended('login', 'the login of this request is over');
}

/**
 * What was read, if the login is the same as before. Another tab may have logged in another user of whom this one has not heard yet: since no login comes back, the
 * same one before and after means that the request was sent with it.
 */
export async function readBy<T>(here: Here, reading: Promise<T>): Promise<T> {
  const read = await reading;
  holdToLogin(here);
  return read;
}

/** The client itself has ended something; `details.reason` says why. */
export function ended(reason: 'login' | 'left', message: string): SkepError {
  return new SkepError(0, 'client.stream_ended', { message, details: { reason } });
}

type Placeholder = (data: unknown, query?: { readonly queryKey: readonly unknown[] }) => unknown;

/** The options of a page, by which nothing is asked once the login is over, and rows of before stand in for others only within one login. */
export function heldOptions<O extends { readonly placeholderData?: unknown }>({ key, isOver }: Here, options: O): O {
  const { placeholderData: given } = options;
  const within: Placeholder = (data, query) =>
    query !== undefined && beginsWith(query.queryKey, key)
      ? (given as Placeholder)(data, query)
      : (given as Placeholder)(undefined);
  return {
    ...options,
    ...(typeof given === 'function' && { placeholderData: within }),
    ...(isOver && { enabled: false }),
  };
}
