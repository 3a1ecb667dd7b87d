/**
 * Faults in a product's definitions of data: compiles all that waking compiles, by the same functions, over the schema that the product asks
 * for. `skep check` and provisioning use it before anything is served.
 */
import type { EntityDefinition, ProductDefinition } from '#config/definitions/product.ts';
import { attempt, type PartFault } from '#actors/kit/part-fault.ts';
import { actionSteps, hasStatements } from './action/registry.ts';
import { modelSteps, viewSteps } from '#actors/engine/view/models.ts';
import { desiredEntity } from '#actors/engine/schema/desired.ts';
import { atOnce } from '#actors/kit/pace/steps.ts';
import type { Models } from '#actors/engine/rows/models.ts';
import { EMPTY_SCHEMA } from '#actors/engine/schema/store.ts';
import type { StoredEntity, StoredSchema } from '#actors/engine/schema/stored.ts';
import { scriptFaults } from './script/script-faults.ts';
import { loadSqlParser } from '#actors/engine/sql/load.ts';
import { guardFaults } from '#actors/engine/machines/machine.ts';

/** Entities with their rules, fields and indexes, actions and views with their statements and rules, scripts; each fault with its place. */
export async function definitionFaults(product: ProductDefinition): Promise<PartFault[]> {
  const faults: PartFault[] = [];
  wantedModels(product, faults);
  if (hasStatements(product)) await loadSqlParser();
  atOnce(actionSteps(product, faults));
  atOnce(viewSteps(product, faults));
  return [...faults, ...(await scriptFaults(product))];
}

/** Faults in guards of stateflows. They do not stop provisioning: the event of such a guard answers as the contract says. */
export { guardFaults };

/** The entities as a new tenant would serve them. */
export function wantedModels(product: ProductDefinition, faults: PartFault[]): Models {
  return atOnce(modelSteps(product, wantedSchema(product, faults), faults));
}

/** The schema as a new tenant would have it. */
function wantedSchema(product: ProductDefinition, faults: PartFault[]): StoredSchema {
  const entities = Object.values(product.entities).flatMap(
    (entity, no) => wantedEntity(product, entity, no, faults) ?? [],
  );
  return { ...EMPTY_SCHEMA, entities };
}

function wantedEntity(
  product: ProductDefinition,
  entity: EntityDefinition,
  no: number,
  faults: PartFault[],
): StoredEntity | null {
  const desired = attempt(`entity ${entity.name}`, entity.where, faults, () => desiredEntity(product, entity));
  if (desired === null) return null;
  const fields = desired.fields.map(({ name, type }, slot) => ({ name, type, slot, absent: null }));
  const indexes = desired.indexes.map((index) => ({ no, ...index }));
  const texts = desired.text === null ? [] : [{ no, ...desired.text }];
  return { name: entity.name, table: no, fields, indexes, texts };
}
