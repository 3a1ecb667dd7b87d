/** Which entities name a person, and their rows of one. */
import type { Work } from '#actors/host/work.ts';
import { INTERNAL } from '#actors/protocol/principal.ts';
import type { NamedPerson } from '#actors/protocol/person.ts';
import type { StoredRow } from '#actors/engine/rows/codec.ts';
import { isFailure } from '#actors/engine/rows/failure.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import { query } from '#actors/engine/rows/query.ts';
import type { Session } from '#actors/engine/rows/session.ts';
import { walkRows } from '#actors/engine/rows/walk.ts';
import type { PersonDefinition } from '#config/definitions/product.ts';
import { servedModels } from '../part.ts';
import { sessionAs } from '../rest/session.ts';

export interface Naming {
  readonly model: EntityModel;
  readonly person: PersonDefinition;
  /** What the field holds for this person: an address as the user wrote it, and in lower case. */
  readonly values: readonly string[];
}

/** Entities that are provisioned and declare `person`, in the order of their names. */
export function namingEntities(work: Work, { user, email }: NamedPerson): Naming[] {
  const models = [...servedModels(work.activation).values()];
  return models
    .flatMap((model) => {
      const { person } = model.definition;
      if (person === undefined || model.column(person.field) === undefined) return [];
      const values = person.holds === 'id' ? [user] : [...new Set([email, email.toLowerCase()])];
      return [{ model, person, values }];
    })
    .sort((a, b) => (a.model.name < b.model.name ? -1 : 1));
}

/** As the node itself: what a person may be told of, and have erased, does not depend on the rules of rows. */
export const sessionFor = (work: Work): Session => sessionAs(work, INTERNAL, servedModels(work.activation));

/** Rows of the person, soft-deleted ones too, in batches that each read a snapshot of its own. */
export async function* batchesOf(session: Session, naming: Naming): AsyncGenerator<readonly StoredRow[], void> {
  const { model, person, values } = naming;
  for (const value of values) {
    const request = { method: 'GET', operation: 'read', entity: model.name, id: null, data: null } as const;
    const where = [{ kind: 'predicate', field: person.field, op: 'eq', value }] as const;
    const batches = await walkRows(session, model, request, query(model.name, { where, deleted: true }));
    if (isFailure(batches)) throw new Error(batches.message);
    yield* batches;
  }
}

/** Whether a row, as it is now, is of the person. */
export function isOf({ model, person, values }: Naming, slots: readonly unknown[]): boolean {
  return values.includes(slots[model.column(person.field)!.at] as string);
}
