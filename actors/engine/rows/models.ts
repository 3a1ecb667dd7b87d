/** All entities of a tenant, compiled and linked by their references. */
import type { Steps } from '#actors/kit/pace/steps.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import type { PartFault } from '#actors/kit/part-fault.ts';
import { linkFeeds } from '../derived/feed.ts';
import type { StoredSchema } from '../schema/stored.ts';
import { EntityModel, type Reference } from './model.ts';
import { linkPairs } from './links/link.ts';

export type Models = ReadonlyMap<string, EntityModel>;

/**
 * Models of the entities that are both declared and stored, in steps of one entity each, since a turn is too short for hundreds. With
 * `faults`, every problem joins that list and disables only its own part (EntityModel); without it the first one is thrown as a
 * DefinitionError, which names the place.
 */
export function* compileSteps(
  product: ProductDefinition,
  schema: StoredSchema,
  faults: PartFault[] | null = null,
): Steps<Models> {
  const models = new Map<string, EntityModel>();
  for (const stored of schema.entities) {
    const definition = Object.hasOwn(product.entities, stored.name) ? product.entities[stored.name] : undefined;
    if (definition === undefined) continue;
    models.set(stored.name, new EntityModel(product, definition, stored, faults));
    yield;
  }
  link(models, faults);
  return models;
}

/**
 * The models after a change of the schema: the named ones are compiled again, those of removed entities are left out. The replaced
 * models are retired. Call it in the turn whose commit changed the schema.
 */
export function replaceModels(
  models: Models,
  product: ProductDefinition,
  schema: StoredSchema,
  names: readonly string[],
): Models {
  const next = new Map(models);
  // Faults of the definitions were reported when these were loaded.
  const faults: PartFault[] = [];
  for (const name of names) {
    const stored = schema.entities.find((entity) => entity.name === name);
    const definition = Object.hasOwn(product.entities, name) ? product.entities[name] : undefined;
    if (stored === undefined || definition === undefined) next.delete(name);
    else next.set(name, new EntityModel(product, definition, stored, faults));
  }
  retire(models, next);
  link(next, faults);
  return next;
}

/** The models that callers can name: those of the pairs of links are left out. The same map where there are none of these. */
export function nameable(models: Models): Models {
  const shown = [...models].filter(([, { definition }]) => definition.pairsOf === undefined);
  return shown.length === models.size ? models : new Map(shown);
}

/** Marks the models that `next` replaces: reads and writes that still hold one of them throw SchemaMoved. */
export function retire(models: Models, next: Models): void {
  for (const [name, model] of models) if (next.get(name) !== model) model.retired = true;
}

function link(models: Models, faults: PartFault[] | null): void {
  for (const model of models.values()) model.referencedBy = [];
  for (const model of models.values()) {
    model.references = referencesOf(model, models);
    for (const reference of model.references) reference.to.referencedBy = [...reference.to.referencedBy, reference];
  }
  linkPairs(models.values());
  linkFeeds(models, faults);
}

function referencesOf(model: EntityModel, models: Models): Reference[] {
  const out: Reference[] = [];
  for (const [name, field] of Object.entries(model.definition.fields)) {
    const column = model.column(name);
    const to = field.ref === undefined ? undefined : models.get(field.ref.entity);
    if (field.type !== 'ref' || column === undefined || to === undefined) continue;
    const index = model.indexes.find((candidate) => candidate.names[0] === name) ?? null;
    out.push({ from: model, column, to, onDelete: field.ref?.on_delete ?? 'noaction', index });
  }
  return out;
}
