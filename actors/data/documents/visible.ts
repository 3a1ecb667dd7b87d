/** What of a tenant's schema a caller may see: the entities on which an access rule might ever allow the caller an operation. */
import type { AccessOperation } from '#config/definitions/product.ts';
import { mayEver } from '#actors/engine/rows/access.ts';
import { isRead } from '#actors/engine/rows/links/link.ts';
import type { EntityModel, Link, Reference } from '#actors/engine/rows/model.ts';
import type { Models } from '#actors/engine/rows/models.ts';
import type { Session } from '#actors/engine/rows/session.ts';

const OPERATIONS = [
  'read',
  'create',
  'update',
  'delete',
  'purge',
  'restore',
] as const satisfies readonly AccessOperation[];

export interface VisibleEntity {
  readonly model: EntityModel;
  readonly operations: ReadonlySet<AccessOperation>;
}

export interface Visible {
  /** Sorted by name. */
  readonly entities: ReadonlyMap<string, VisibleEntity>;
  /** A cache key: the same text for callers who see the same. */
  readonly signature: string;
}

/** The part of the schema that the caller may see. It reads no row, and no rule is evaluated twice for the same caller. */
export function visibleTo(session: Session, models: Models): Visible {
  const entities = new Map<string, VisibleEntity>();
  let signature = '';
  for (const name of [...models.keys()].sort()) {
    const model = session.model(name)!;
    const operations = new Set(OPERATIONS.filter((operation) => isOffered(session, model, operation)));
    if (operations.size === 0) continue;
    entities.set(name, { model, operations });
    signature += `${name}:${[...operations].join()}${model.sight === null ? '' : ` ${model.sight.key}`};`;
  }
  return { entities, signature };
}

/** Without soft deletes there is nothing to restore. A purge needs the right to delete, too. */
function isOffered(session: Session, model: EntityModel, operation: AccessOperation): boolean {
  if (operation === 'restore' && !model.softDelete) return false;
  if (operation === 'purge' && !mayEver(session, model, 'delete')) return false;
  return mayEver(session, model, operation);
}

export function isReadable(visible: Visible, entity: string): boolean {
  return visible.entities.get(entity)?.operations.has('read') === true;
}

/** One end of a reference, as a reader of rows follows it. */
export interface Relation {
  readonly name: string;
  /** `one`: the row that a field names. `many`: the rows whose field names this one. */
  readonly kind: 'one' | 'many';
  /** Of linked rows: that of their pairs to the row. */
  readonly reference: Reference;
  readonly target: EntityModel;
  readonly link?: Link;
}

/** A relation is named after its field without `_id` (docs/contract/data-definitions.md §1.5). */
function relationName({ column }: Reference): string {
  return column.name.replace(/_id$/, '');
}

/**
 * The relations of an entity whose other end the caller may read: forward by field, back as `<entity>_by_<relation>`, and links. A relation by a masked
 * field, or by one that the caller does not read, is left out, since it would tell what is hidden.
 */
export function relationsOf(visible: Visible, model: EntityModel): Relation[] {
  const forward = model.references.map((reference): Relation => relation(visible, reference, 'one'));
  const back = model.referencedBy.map((reference): Relation => relation(visible, reference, 'many'));
  const followed = [...forward, ...back].filter(({ reference }) => isFollowed(visible, reference));
  return [...followed, ...linked(visible, model)].filter(({ target }) => isReadable(visible, target.name));
}

/** The links of an entity that the caller reads. */
function linked(visible: Visible, { links }: EntityModel): Relation[] {
  const see = (model: EntityModel): EntityModel => visible.entities.get(model.name)?.model ?? model;
  return [...links.values()]
    .filter((link) => visible.entities.has(link.owner.name) && isRead(link, see))
    .map((link) => ({ name: link.name, kind: 'many', reference: link.by, target: see(link.over.to), link }));
}

function relation(visible: Visible, reference: Reference, kind: Relation['kind']): Relation {
  const own = relationName(reference);
  const name = kind === 'one' ? own : `${reference.from.name}_by_${own}`;
  const other = kind === 'one' ? reference.to : reference.from;
  const target = visible.entities.get(other.name)?.model ?? other;
  return { name, kind, reference, target };
}

/** Whether the caller sees the field of a reference. */
function isFollowed(visible: Visible, { from, column }: Reference): boolean {
  return column.mask === null && visible.entities.get(from.name)?.model.column(column.name) !== undefined;
}
