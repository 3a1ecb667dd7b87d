/** Roles, computed fields and links where they would not hold: content reads and writes its rows in the node's own name, once a rule of a store or an app has decided. */
import { problemAt, type Path, type Problem } from '../problem.ts';
import type { Tree } from '../tree.ts';
import type { EntityDefinition } from './product.ts';

/** Problems of `roles` of fields, of `grants`, of computed fields and of links in an entity of content. */
export function strayRoles(
  { name, fields, grants, computed = {}, links = {} }: EntityDefinition,
  tree: Tree,
): Problem[] {
  const say = (path: Path, message: string, mend: string): Problem =>
    problemAt(tree.placeOf(path, 'key'), path, message, mend);
  const at = ['entities', name];
  const roles = Object.entries(fields).flatMap(([field, { roles: own }]) =>
    own === undefined
      ? []
      : [say([...at, 'fields', field, 'roles'], 'roles of fields do not hold in content', 'remove `roles`')],
  );
  const others = Object.keys(computed).map((field) =>
    say([...at, 'fields', field, 'computed'], 'fields of content are not computed', 'remove it'),
  );
  const linked = Object.keys(links).map((own) =>
    say([...at, 'links', own], 'rows of content have no links', 'declare the link at an entity of `entities/`'),
  );
  const faults = [...roles, ...others, ...linked];
  if (grants === undefined) return faults;
  return [...faults, say([...at, 'grants'], 'grants do not hold in content', 'write rules under `access`')];
}
