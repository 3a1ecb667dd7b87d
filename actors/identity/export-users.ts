/** The users of a tenant as lines of JSON, for an operator's export: names, addresses and roles, and nothing that a login could use. */
import { allUsers, type Reader, type UserRecord } from './store.ts';

/** An explicit list: a field that is added later does not appear in exports by accident. */
const EXPORTED = [
  'id',
  'email',
  'firstname',
  'lastname',
  'roles',
  'allow_impersonation',
  'created_at',
  'disabled_at',
  'verified_at',
  'external_id',
  'guest',
] as const satisfies readonly (keyof UserRecord)[];

/** One line for each user, in the order of their ids. */
export function* exportedUsers(reader: Reader): IterableIterator<string> {
  for (const user of allUsers(reader))
    yield `${JSON.stringify(Object.fromEntries(EXPORTED.map((name) => [name, user[name]])))}\n`;
}
