/** An entity as `/data/schema` describes it (docs/contract/data.md §8.1). Rules and statements are never shown. */
import type { FieldDefinition } from '#config/definitions/product.ts';
import type { Column, EntityModel } from '#actors/engine/rows/model.ts';
import { computedColumn } from '#actors/engine/rows/path/select.ts';
import type { DescribedField, EntityDocument, EntityLine } from '../shapes.ts';
import { isReadable, relationsOf, type Visible, type VisibleEntity } from './visible.ts';

type Json = Record<string, unknown>;

/** The parts of a field's definition that a caller needs to fill it in. */
const SHOWN = ['min', 'max', 'min_length', 'max_length', 'pattern', 'format', 'enum', 'mask', 'compliance'] as const;

/** The line of an entity in `/data/schema/entities`. */
export function entityLine({ model, operations }: VisibleEntity): EntityLine {
  return {
    name: model.name,
    primary_key: model.key.name,
    traits: model.definition.traits,
    operations: [...operations],
  };
}

/** The whole entity: fields in their order, relations, compound indexes. */
export function describeEntity(visible: Visible, entity: VisibleEntity): EntityDocument {
  const { model } = entity;
  const written = new Set(model.written);
  return {
    ...entityLine(entity),
    ...(model.definition.changes === true && { changes: true as const }),
    fields: [...model.columns, ...[...model.computed.values()].map(computedColumn)].map((column) =>
      describeField(visible, model, column, written),
    ),
    relations: relationsOf(visible, model).map(({ name, kind, target, reference, link }) => ({
      name,
      kind,
      entity: target.name,
      field: link?.declared ?? reference.column.name,
    })),
    unique: model.indexes.filter(({ unique }) => unique).map(({ names }) => names),
    index: model.indexes.filter(({ unique }) => !unique).map(({ names }) => names),
  };
}

function describeField(
  visible: Visible,
  model: EntityModel,
  column: Column,
  written: ReadonlySet<Column>,
): DescribedField {
  const { name, shownType, required, nullable, marker } = column;
  const definition = marker ? undefined : model.definition.fields[name];
  const base = { name, type: shownType, required, nullable, read_only: !written.has(column) };
  return definition === undefined
    ? base
    : { ...base, ...constraintsOf(definition), ...referenceOf(visible, definition) };
}

function constraintsOf(definition: FieldDefinition): Json {
  const { default: value, default_from: from } = definition;
  const shown: Json = {
    ...(value !== undefined && { default: value }),
    ...(from !== undefined && { default_from: from }),
  };
  for (const key of SHOWN) if (definition[key] !== undefined) shown[key] = definition[key];
  return shown;
}

/** The target of a reference, unless the caller may not know that entity. */
function referenceOf(visible: Visible, { ref }: FieldDefinition): Json {
  return ref === undefined || !isReadable(visible, ref.entity) ? {} : { ref };
}
