/** One entity as the client's types have it: rows as they are read, what a create and an update take, relations. */
import type { Column, EntityModel, Reference } from '#actors/engine/rows/model.ts';
import { computedColumn } from '#actors/engine/rows/path/select.ts';
import { mustBeGiven } from '#actors/data/documents/entity-schemas.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';
import { literal, objectOf, typeOfSchema, unionOf, type Member } from './render.ts';
import type { JsonSchema } from '#config/values/type-row.ts';

export interface EntityText {
  /** The interface of its rows, and those of its writes where it has any. */
  readonly interfaces: string;
  /** Its member of the schema. */
  readonly member: Member;
}

/** `name` is the type of its rows. */
export function entityText(model: EntityModel, name: string): EntityText {
  const interfaces = [`export interface ${name} ${objectOf(rowMembers(model))}\n`];
  if (!model.isView) {
    interfaces.push(`export interface ${name}Create ${objectOf(createMembers(model))}\n`);
    interfaces.push(`export interface ${name}Update ${objectOf(updateMembers(model))}\n`);
  }
  const written = (part: string): string => (model.isView ? 'never' : `${name}${part}`);
  const type = objectOf(
    [
      { name: 'row', type: name },
      { name: 'create', type: written('Create') },
      { name: 'update', type: written('Update') },
      { name: 'one', type: relations(model.references, ({ column, to }) => [relationOf(column), to]) },
      {
        name: 'many',
        type: relations(model.referencedBy, ({ column, from }) => [`${from.name}_by_${relationOf(column)}`, from]),
      },
      { name: 'changes', type: String(model.definition.changes === true) },
    ],
    4,
  );
  return { interfaces: interfaces.join('\n'), member: { name: model.name, type } };
}

/** A field that only some roles read may be missing, and a computed one is there only where it is named. */
function rowMembers(model: EntityModel): Member[] {
  const columns = model.columns.map((column): Member => {
    const { name } = column;
    return { name, type: readType(model, column), optional: model.definition.fields[name]?.roles?.read !== undefined };
  });
  const computed = [...model.computed.values()].map((one): Member => {
    return { name: one.name, type: readType(model, computedColumn(one)), optional: true };
  });
  return [...columns, ...computed];
}

function createMembers(model: EntityModel): Member[] {
  const needed = new Set(mustBeGiven(model));
  return writtenColumns(model).map((column) => ({
    name: column.name,
    type: writtenType(column),
    optional: !needed.has(column.name),
  }));
}

function updateMembers(model: EntityModel): Member[] {
  const columns = writtenColumns(model).filter((column) => column !== model.key);
  return columns.map((column) => ({ name: column.name, type: writtenType(column), optional: true }));
}

/** Files travel as multipart. */
const writtenColumns = (model: EntityModel): Column[] =>
  model.written.filter((column) => !model.files.includes(column.at));

/** A mask shows a text, whatever the value is. */
function readType(model: EntityModel, column: Column): string {
  if (column.mask !== null) return orNull(column, 'string');
  const { schema } = FIELD_TYPES[column.type];
  const shown = isExact(model, column) ? (exactIn(schema) ?? schema) : schema;
  return orNull(column, allowedType(column) ?? typeOfSchema(shown));
}

/** The form of numbers that every reader of JSON holds exactly, where the type has another one for larger numbers; undefined elsewhere. */
const exactIn = ({ anyOf }: JsonSchema): JsonSchema | undefined =>
  (anyOf as readonly JsonSchema[] | undefined)?.find(({ type }) => type === 'integer');

/** Only a declared bound beyond 2^53 says that such numbers are meant (docs/contract/common.md §2.1). */
function isExact({ definition }: EntityModel, { name }: Column): boolean {
  const { min = 0, max = 0 } = definition.fields[name] ?? {};
  return Math.max(Math.abs(min), Math.abs(max)) <= Number.MAX_SAFE_INTEGER;
}

function writtenType(column: Column): string {
  const { schema, written } = FIELD_TYPES[column.type];
  return orNull(column, allowedType(column) ?? typeOfSchema(written ?? schema));
}

const allowedType = ({ allowed }: Column): string | null =>
  allowed === null ? null : unionOf([...allowed].map(literal));

const orNull = ({ nullable }: Column, type: string): string => (nullable ? unionOf([type, 'null']) : type);

const relationOf = (column: Column): string => column.name.replace(/_id$/, '');

/** Relations by a masked field are none (docs/contract/data-definitions.md §1.5). */
function relations(
  references: readonly Reference[],
  of: (reference: Reference) => readonly [string, EntityModel],
): string {
  const members = references
    .filter(({ column }) => column.mask === null)
    .map((reference): Member => {
      const [name, target] = of(reference);
      return { name, type: literal(target.name) };
    });
  return objectOf(members, 6);
}
