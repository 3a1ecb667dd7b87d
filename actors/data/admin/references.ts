/** GET …/references/{entity}: the fields that refer to an entity (docs/contract/data-admin.md §8.2). */
import type { Call } from '#actors/host/call.ts';
import { shown } from '#actors/kit/shown.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { Reference } from '#actors/engine/rows/model.ts';
import { servedModels } from '../part.ts';
import { refuse } from '../refusals.ts';
import { placeOf } from './gate.ts';
import type { AdminRows } from './routes.ts';

export function references(call: Call): Outcome<AdminRows['references']> {
  const entity = call.param('entity');
  if (entity === '') return refuse('v2.bad_path');
  const model = servedModels(call.activation).get(entity);
  if (model === undefined) return refuse('v2.entity_not_found', { message: `no entity ${shown(entity)}` });
  const named = model.referencedBy.filter(({ from }) => from.definition.pairsOf === undefined);
  const listed = named.map(described).toSorted(bySource);
  return reply(200, { ...placeOf(call), entity, count: listed.length, references: listed });
}

function described({ from, column, to }: Reference) {
  const { on_delete, on_update } = from.definition.fields[column.name]!.ref!;
  return {
    from_entity: from.name,
    from_field: column.name,
    to_field: to.key.name,
    ...(on_delete !== undefined && { on_delete }),
    ...(on_update !== undefined && { on_update }),
  };
}

type Described = ReturnType<typeof described>;

function bySource(a: Described, b: Described): number {
  return compare(a.from_entity, b.from_entity) || compare(a.from_field, b.from_field);
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
