/** `components.schemas` of a tenant: each entity as it is read, created and updated, and in its envelope. */
import { schemaOf } from '#actors/protocol/answers.ts';
import { limits } from '#config/limits.ts';
import { linksWritten } from '#actors/engine/rows/links/link.ts';
import type { Column, EntityModel, Link } from '#actors/engine/rows/model.ts';
import { computedColumn } from '#actors/engine/rows/path/select.ts';
import { envelope } from '../shapes.ts';
import { readSchema, writeSchema } from './field-schema.ts';
import type { Visible, VisibleEntity } from './visible.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';

type Json = Readonly<Record<string, unknown>>;
type Part = 'row' | 'create' | 'update' | 'envelope';

export function schemaName(model: EntityModel, part: Part): string {
  return part === 'row' ? model.name : `${model.name}.${part}`;
}

export function entitySchemas(visible: Visible): Json {
  return Object.fromEntries([...visible.entities.values()].flatMap(schemasOf));
}

function schemasOf({ model, operations }: VisibleEntity): [string, Json][] {
  const out: [string, Json][] = [
    [schemaName(model, 'row'), readRow(model)],
    [schemaName(model, 'envelope'), envelopeOf(model)],
  ];
  if (operations.has('create')) out.push([schemaName(model, 'create'), writtenRow(model, 'create')]);
  if (operations.has('update')) out.push([schemaName(model, 'update'), writtenRow(model, 'update')]);
  return out;
}

/** A read may select columns and, with includes, hold related rows: no column is required and others may come. */
function readRow(model: EntityModel): Json {
  const columns = model.columns.map((column) => [column.name, readSchema(model, column)]);
  const computed = [...model.computed.values()].map((one) => [one.name, readSchema(model, computedColumn(one))]);
  return { type: 'object', properties: Object.fromEntries([...columns, ...computed]) };
}

function writtenRow(model: EntityModel, part: 'create' | 'update'): Json {
  const written = model.written.filter(({ type }) => type !== 'file');
  const needed = part === 'create' ? mustBeGiven(model) : [];
  return {
    type: 'object',
    properties: Object.fromEntries([
      ...written.map((column) => [column.name, writtenSchema(model, column, part)] as const),
      ...linksWritten(model).map((link) => [link.name, linkSchema(link)] as const),
    ]),
    // An update also takes markers as they were read: it says nothing of others, since generators make of `true` a type that takes any name.
    ...(part === 'create' && { additionalProperties: false }),
    ...(needed.length > 0 && { required: needed }),
  };
}

/** A default fills in what a create leaves out; an update leaves it as it is. */
function writtenSchema(model: EntityModel, column: Column, part: 'create' | 'update'): Json {
  const { default: fallback, ...schema } = writeSchema(model, column);
  return part === 'update' || fallback === undefined ? schema : { ...schema, default: fallback };
}

/** What a write takes for a link: ids that replace it, or that are added and removed. */
function linkSchema({ over: { to } }: Link): Json {
  const ids = { type: 'array', maxItems: limits.data.linkIdsMax, items: readSchema(to, to.key) };
  const properties = { add: ids, remove: ids };
  const parts = { type: 'object', properties, minProperties: 1, additionalProperties: false };
  return { anyOf: [ids, parts] };
}

/** Fields without which no row is created. */
export function mustBeGiven(model: EntityModel): string[] {
  const isGenerated = FIELD_TYPES[model.key.type].makesIds !== null;
  const filled = new Set(model.filled.map(({ name }) => name));
  return model.check.fields
    .filter((field) => (field.required || !field.nullable) && field.default === undefined)
    .map(({ name }) => name)
    .filter((name) => (name !== model.key.name || !isGenerated) && !filled.has(name));
}

function envelopeOf(model: EntityModel): Json {
  const common = schemaOf(envelope, 'output') as { readonly properties: Json };
  const data = { type: 'array', items: { $ref: `#/components/schemas/${schemaName(model, 'row')}` } };
  return { ...common, properties: { ...common.properties, data } };
}
