/** The users of a tenant as lines of JSON, for the operator who takes a tenant's data away: who they are, and nothing that lets anybody in. */
import { allUsers } from './store.ts';
import type { Reader, UserRecord } from './store.ts';

/** By name, so that a field which is added later is not told of by accident. */
const TOLD = [
  'id',
  'email',
  'firstname',
  'lastname',
  'roles',
  'allow_impersonation',
  'created_at',
] as const satisfies readonly (keyof UserRecord)[];

export function* exportedUsers(reader: Reader): IterableIterator<string> {
  for (const user of allUsers(reader))
    yield `${JSON.stringify(Object.fromEntries(TOLD.map((name) => [name, user[name]])))}\n`;
}
