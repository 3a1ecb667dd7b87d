/** `roles: {read, write}` of a field: which roles read it and write it. Source: docs/contract/data-definitions.md §2.2. */
import type { Tree } from '../tree.ts';
import * as kit from '../schema-kit.ts';
import { limits } from '../limits.ts';
import { problemAt, type Path, type Problem } from '../problem.ts';
import type { EntityDefinition } from './product.ts';
import { notGrantable, type RoleCatalogue } from './roles-section.ts';

const roleNames = () => kit.list(kit.text('the name of a role', 'dispatcher'), 'roles').optional();

/** The form of the key. */
export const fieldRoles = kit.entry({
  read: roleNames().meta({ about: 'who sees the field; for all others it does not exist' }),
  write: roleNames().meta({ about: 'who may give the field a value' }),
});

/** Faults of the key that one entity shows by itself: fields that every caller needs, and too many fields with roles. */
export function fieldRolesFaults({ fields }: EntityDefinition): { field: string; message: string; mend: string }[] {
  const named = Object.entries(fields).filter(([, { roles }]) => roles !== undefined);
  const out = named.flatMap(([field, { roles, materialize }]) => {
    if (field === 'id') return [{ field, message: 'the key has no roles: it names the row', mend: 'remove `roles`' }];
    if (roles?.write === undefined || materialize === undefined) return [];
    return [{ field, message: 'no caller writes a materialized field', mend: 'remove `write`' }];
  });
  const most = limits.data.fieldsWithRolesMax;
  const [first] = named;
  if (named.length > most && first !== undefined)
    out.push({ field: first[0], message: `${named.length} fields have roles`, mend: `leave at most ${most}` });
  return out;
}

/** Roles of fields that no user can have. */
export function unknownFieldRoles(
  { name, fields }: EntityDefinition,
  tree: Tree,
  catalogue: RoleCatalogue | undefined,
): Problem[] {
  return Object.entries(fields).flatMap(([field, { roles = {} }]) =>
    (['read', 'write'] as const).flatMap((key) =>
      (roles[key] ?? []).flatMap((role, at) => {
        const why = notGrantable(catalogue, role);
        const path: Path = ['entities', name, 'fields', field, 'roles', key, at];
        return why === null ? [] : [problemAt(tree.placeOf(path, 'value'), path, why.message, why.mend)];
      }),
    ),
  );
}
