/** Rows of `skep user import`, a few hundred in each ask. No route reaches it. */
import type { Work } from '#actors/host/work.ts';
import type { Identity } from '../identity.ts';
import { checkRoles } from '../people/roles.ts';
import { importRows } from './import-rows.ts';
import type { RawRow } from './read-rows.ts';
import type { ImportAnswer } from './shapes.ts';

export interface ImportWish {
  readonly rows: readonly RawRow[];
}

/** An operator may give every role, as with `skep user add`. */
export function importAsOperator(identity: Identity, work: Work, { rows }: ImportWish): Promise<ImportAnswer> {
  const refusedRoles = (roles: readonly string[]) => {
    try {
      checkRoles(work, roles);
      return null;
    } catch (error) {
      return { code: 'undeclared_role' as const, error: (error as Error).message };
    }
  };
  return importRows(identity, work, { by: { actor: 'operator', request_id: '' }, refusedRoles }, rows);
}
