/** The models of a product's views: each like that of an entity that no caller writes, with a statement in place of a table. */
import type { EntityDefinition, ProductDefinition } from '#config/definitions/product.ts';
import { attempt, type PartFault } from '#actors/kit/part-fault.ts';
import type { Steps } from '#actors/kit/pace/steps.ts';
import { EntityModel } from '../rows/model.ts';
import { compileSteps, type Models } from '../rows/models.ts';
import { giveSource } from '../rows/row-source.ts';
import { keyDefinition } from '../schema/desired.ts';
import type { StoredEntity, StoredSchema, StoredType } from '../schema/stored.ts';
import { declaredTables } from '../sql/schema.ts';
import { compileView } from './compile.ts';
import { ViewSource } from './source.ts';

/** No entity has this table: numbers begin at 0. */
const NO_TABLE = -1;

/** The models of entities (`compileSteps`) and of views. Statements are compiled when they are first read. */
export function* modelSteps(
  product: ProductDefinition,
  schema: StoredSchema,
  faults: PartFault[] | null = null,
): Steps<Models> {
  const models = yield* compileSteps(product, schema, faults);
  const { views = [] } = product;
  if (views.length === 0) return models;
  const all = new Map(models);
  for (const view of views) {
    all.set(view.name, viewModel(product, view, faults));
    yield;
  }
  return all;
}

/** The model of a view with what reads it. */
function viewModel(product: ProductDefinition, view: EntityDefinition, faults: PartFault[] | null): EntityModel {
  const model = new EntityModel(product, view, storedView(view), faults);
  giveSource(model, new ViewSource(view, model));
  return model;
}

function storedView(view: EntityDefinition): StoredEntity {
  const types = Object.entries({ ...view.fields, id: keyDefinition(view) });
  const fields = types.map(([name, { type }], slot) => ({ name, type: type as StoredType, slot, absent: null }));
  return { name: view.name, table: NO_TABLE, fields, indexes: [] };
}

/** Compiles the statement of every view over the declared entities; `loadSqlParser()` comes first. With `faults` each fault joins them, else the first is thrown. */
export function* viewSteps(product: ProductDefinition, faults: PartFault[] | null = null): Steps<void> {
  const { views = [] } = product;
  if (views.length === 0) return;
  const declared = declaredTables(product);
  for (const view of views) {
    attempt(`view ${view.name}`, view.where, faults, () => compileView(view, declared));
    yield;
  }
}
