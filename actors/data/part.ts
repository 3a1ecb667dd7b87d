/** What the data service keeps for a tenant that is awake. */
import type { Activation } from '#actors/host/activation.ts';
import { compileModels } from './entity/models.ts';
import type { Models } from './entity/models.ts';
import { diffSchema } from './schema/diff.ts';
import { loadSchema } from './schema/store.ts';

export const SERVICE = 'data';

export interface DataPart {
  readonly models: Models;
}

/**
 * Compiles the tenant's entities over its stored schema, which serving never changes: what is declared and not yet stored is
 * not served. Throws DefinitionError naming file, line and column.
 */
export function wake(activation: Activation): DataPart {
  const turn = activation.store.begin();
  const schema = loadSchema(turn);
  turn.abort();
  const { steps, conflicts } = diffSchema(schema, activation.product);
  if (steps.length > 0 || conflicts.length > 0) {
    const fields = {
      tenant: activation.position.key,
      missing: steps.length,
      conflicts: conflicts.map((c) => c.message),
    };
    activation.context.log.warn(fields, 'the stored schema differs from the definitions: provision the tenant');
  }
  return { models: compileModels(activation.product, schema) };
}

export function partOf(activation: Activation): DataPart {
  return activation.parts.get(SERVICE) as DataPart;
}
