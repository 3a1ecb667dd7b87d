/** Under which keys TanStack Query keeps what was read: the client, its login, the entity, the kind of read, what was asked for. */
import type { Client } from '../create-client.ts';
import type { EntityName, SchemaTypes } from '../schema.ts';
import type { Sender } from '../transport.ts';

export type Kind = 'list' | 'pages' | 'row' | 'live';
export type ReadKey = readonly ['skep', string, number, string | null, string, Kind, object, string?];

const numbers = new WeakMap<object, number>();
let clients = 0;

/** What begins the keys of everything that was read by this client under this login. */
export function loginKey({ transport }: Sender, login: string | null): readonly unknown[] {
  const number = numbers.get(transport) ?? ++clients;
  numbers.set(transport, number);
  return ['skep', transport.place, number, login];
}

/** Whether a key begins so. */
export const beginsWith = (key: readonly unknown[], begin: readonly unknown[]): boolean =>
  begin.every((part, at) => part === key[at]);

/**
 * The beginning of the keys of everything that hooks read by this client under the login of now, or of one entity alone: `queryClient.invalidateQueries({ queryKey:
 * keyOf(skep, 'ticket') })`. Two clients share nothing, since they may be two users or two tenants, and neither do two logins of one client: the number tells
 * clients apart within the page, place and login also in a cache that a page keeps for the next one.
 */
export function keyOf<S extends SchemaTypes>(client: Client<S>, entity?: EntityName<S>): readonly unknown[] {
  return [...loginKey(client, client.auth.loginId), ...(entity === undefined ? [] : [entity])];
}

/** `begin`: a `loginKey`. */
export function readKey(begin: readonly unknown[], entity: string, kind: Kind, asked: object, id?: string): ReadKey {
  return [...begin, entity, kind, marked(asked) as object, ...(id === undefined ? [] : [id])] as never;
}

/**
 * TanStack Query leaves undefined values out when it compares keys: a condition without its value would be answered at once from the list of all rows. So it
 * is part of the key, and the client throws its TypeError when it is asked.
 */
function marked(value: unknown): unknown {
  if (value === undefined) return { undefined: true };
  if (Array.isArray(value)) return value.map(marked);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, marked(one)]));
}
