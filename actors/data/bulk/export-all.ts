/** Every entity of a tenant as lines of JSON, for the operator who takes a tenant's data away: unmasked, rows in the bin and old versions included. */
import type { Activation } from '#actors/host/activation.ts';
import { jsonWriterOf } from '#actors/engine/rows/json-writer.ts';
import { tableRange } from '#actors/engine/rows/keys/store.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import type { Reader } from '#actors/engine/rows/store.ts';
import { allVersions } from '#actors/engine/rows/versions/store.ts';
import { partOf } from '../part.ts';

export interface EntityLines {
  readonly name: string;
  /** One row each, as REST shows it to a caller who may see all of it. */
  readonly lines: IterableIterator<string>;
  /** Old versions of its rows, the oldest first for each row; null where none are kept. */
  readonly versions: IterableIterator<string> | null;
}

/** Entities that are both declared and stored, as `reader` sees them. */
export function* exportedEntities(activation: Activation, reader: Reader): IterableIterator<EntityLines> {
  for (const model of partOf(activation).models.values()) {
    if (model.isView) continue; // its rows are those of others
    yield {
      name: model.name,
      lines: linesOf(model, reader),
      versions: model.versioned ? versionsOf(model, reader) : null,
    };
  }
}

function* versionsOf(model: EntityModel, reader: Reader): IterableIterator<string> {
  const write = jsonWriterOf(model.columns, true);
  for (const slots of allVersions(reader, model)) yield `${write(slots)}\n`;
}

function* linesOf(model: EntityModel, reader: Reader): IterableIterator<string> {
  const { from, to } = tableRange(model.table);
  const write = jsonWriterOf(model.columns, true);
  for (const { value } of reader.range(from, to)) yield `${write(model.decode(value).slots)}\n`;
}
