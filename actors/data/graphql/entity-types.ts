/** Names and input types of the entities of one schema. */
import { GraphQLBoolean, GraphQLEnumType, GraphQLInputObjectType, GraphQLList, GraphQLNonNull } from 'graphql';
import type { GraphQLFieldConfigArgumentMap, GraphQLInputFieldConfig, GraphQLInputType } from 'graphql';
import type { GraphQLNullableOutputType, GraphQLScalarType } from 'graphql';
import { mustBeGiven } from '../documents/entity-schemas.ts';
import { relationsOf, type Visible } from '../documents/visible.ts';
import { linksWritten } from '#actors/engine/rows/links/link.ts';
import type { Column, EntityModel } from '#actors/engine/rows/model.ts';
import { GRAPHQL_FORM } from '#actors/engine/rows/parse-filter.ts';
import type { FieldTypes } from './field-types.ts';
import { Names, pascalCase } from './names.ts';
import { keyScalar } from './scalars.ts';

interface EntityNames {
  readonly row: string;
  readonly connection: string;
  readonly edge: string;
  readonly filter: string;
  readonly order: string;
  readonly create: string;
  readonly update: string;
  readonly many: string;
  readonly sort: string;
}

const SORT = 'In place of `order`: each names one field, also of a row that a reference names: {ticket: {title: asc}}.';

const LINKED =
  'The keys of the rows that it is linked with, in place of those that it has. Links to rows that the caller does not see stay.';

export class EntityTypes {
  readonly #visible: Visible;
  readonly #fields: FieldTypes;
  readonly #names = new Map<EntityModel, EntityNames>();
  readonly #listArgs = new Map<EntityModel, GraphQLFieldConfigArgumentMap>();
  readonly #many = new Map<EntityModel, GraphQLInputObjectType>();
  readonly #sorts = new Map<EntityModel, GraphQLInputObjectType>();
  readonly #direction: GraphQLEnumType;

  constructor(visible: Visible, names: Names, fields: FieldTypes) {
    this.#visible = visible;
    this.#fields = fields;
    const models = [...visible.entities.values()].map(({ model }) => model);
    const rows = models.map((model) => names.give(pascalCase(model.name)));
    const derived = rows.map((row) => derivedNames(row, names));
    // Names of a later kind give way to all that were there before.
    for (const [i, model] of models.entries())
      this.#names.set(model, {
        ...derived[i]!,
        many: names.give(`${rows[i]!}ManyFilter`),
        sort: names.give(`${rows[i]!}Sort`),
      });
    this.#direction = new GraphQLEnumType({
      name: names.give('SortDirection'),
      values: { asc: { value: 'asc' }, desc: { value: 'desc' } },
    });
  }

  namesOf(model: EntityModel): EntityNames {
    return this.#names.get(model)!;
  }

  key(model: EntityModel): GraphQLScalarType {
    return keyScalar(model.key.type);
  }

  shown(model: EntityModel, column: Column): GraphQLNullableOutputType {
    return this.#fields.shown(model, column) ?? this.#fields.file;
  }

  /** `filter`, `order`, `sort` and, where deletes are soft, `deleted`. */
  listArgs(model: EntityModel): GraphQLFieldConfigArgumentMap {
    let args = this.#listArgs.get(model);
    if (args === undefined) this.#listArgs.set(model, (args = this.#makeListArgs(model)));
    return args;
  }

  #makeListArgs(model: EntityModel): GraphQLFieldConfigArgumentMap {
    const { filter, order } = this.namesOf(model);
    return {
      filter: { type: this.#filterOf(model, filter) },
      order: { type: new GraphQLList(new GraphQLNonNull(this.#fields.order(model, order))) },
      sort: { type: new GraphQLList(new GraphQLNonNull(this.#sortOf(model))), description: SORT },
      ...(model.softDelete && { deleted: { type: GraphQLBoolean, description: 'Soft-deleted rows too.' } }),
    };
  }

  /** Comparisons of the columns, and groups of filters: a type that contains itself. */
  #filterOf(model: EntityModel, name: string): GraphQLInputObjectType {
    const { or, and, not } = GRAPHQL_FORM.keys;
    const fields: Record<string, GraphQLInputFieldConfig> = {};
    for (const column of model.columns) {
      const type = this.#fields.filter(model, column);
      if (type !== null) fields[column.name] = { type };
    }
    const filter: GraphQLInputObjectType = new GraphQLInputObjectType({
      name,
      fields: () => {
        const list = new GraphQLList(new GraphQLNonNull(filter));
        return {
          ...fields,
          ...this.#relationsOf(model),
          [or]: { type: list, description: 'One of them holds.' },
          [and]: { type: list, description: 'All of them hold.' },
          [not]: {
            type: filter,
            description: 'It does not hold. Where a value is null, neither it nor its opposite does.',
          },
        };
      },
    });
    return filter;
  }

  /** Filters of the rows on the other side of references; named as in the row's own type, where fields take their names first. */
  #relationsOf(model: EntityModel): Record<string, GraphQLInputFieldConfig> {
    const names = new Names(model.columns.map(({ name }) => name));
    const relations = relationsOf(this.#visible, model);
    const forward = relations.filter(({ kind }) => kind === 'one');
    const back = relations.filter(({ kind }) => kind === 'many');
    const one = 'Of the row that it names. Where there is none, its fields are null.';
    const many = 'Of the rows that name this one, or are linked with it, and that the caller may read.';
    return Object.fromEntries([
      ...forward.map(
        ({ name, target }) => [names.give(name), { type: this.#filter(target), description: one }] as const,
      ),
      ...back.map(({ name, target }) => [names.give(name), { type: this.#manyOf(target), description: many }] as const),
    ]);
  }

  /** The columns by which rows are ordered, and those of the rows that references name. */
  #sortOf(model: EntityModel): GraphQLInputObjectType {
    let type = this.#sorts.get(model);
    if (type !== undefined) return type;
    const fields = (): Record<string, GraphQLInputFieldConfig> => {
      const names = new Names(model.columns.map(({ name }) => name));
      const ordered = model.columns.filter(({ compare }) => compare !== null);
      const forward = relationsOf(this.#visible, model).filter(({ kind }) => kind === 'one');
      return Object.fromEntries([
        ...ordered.map(({ name }) => [name, { type: this.#direction }] as const),
        ...forward.map(({ name, target }) => [names.give(name), { type: this.#sortOf(target) }] as const),
      ]);
    };
    this.#sorts.set(model, (type = new GraphQLInputObjectType({ name: this.namesOf(model).sort, fields })));
    return type;
  }

  #filter(model: EntityModel): GraphQLInputType {
    return this.listArgs(model)['filter']!.type;
  }

  /** How many of the rows on the other side must meet a filter. */
  #manyOf(model: EntityModel): GraphQLInputObjectType {
    let type = this.#many.get(model);
    if (type !== undefined) return type;
    const filter = { type: this.#filter(model) };
    const fields = {
      some: { ...filter, description: 'One of them meets it.' },
      none: { ...filter, description: 'None of them meets it.' },
      every: { ...filter, description: 'Each of them meets it, also where there is none.' },
    };
    this.#many.set(model, (type = new GraphQLInputObjectType({ name: this.namesOf(model).many, fields })));
    return type;
  }

  /** The input of a create or an update. It says only which fields must be given: the service itself lists the faults of values. */
  input(model: EntityModel, verb: 'create' | 'update'): GraphQLInputObjectType {
    const needed = new Set(verb === 'create' ? mustBeGiven(model) : []);
    const fields: Record<string, GraphQLInputFieldConfig> = {};
    for (const column of model.written) {
      const leaf = this.#fields.leaf(model, column);
      if (leaf === null) continue;
      const must = needed.has(column.name) && !column.nullable;
      fields[column.name] = { type: must ? new GraphQLNonNull(leaf) : leaf };
    }
    for (const { name, over } of linksWritten(model))
      fields[name] = { type: new GraphQLList(new GraphQLNonNull(this.key(over.to))), description: LINKED };
    return new GraphQLInputObjectType({ name: this.namesOf(model)[verb], fields });
  }
}

function derivedNames(row: string, names: Names): Omit<EntityNames, 'many' | 'sort'> {
  return {
    row,
    connection: names.give(`${row}Connection`),
    edge: names.give(`${row}Edge`),
    filter: names.give(`${row}Filter`),
    order: names.give(`${row}Order`),
    create: names.give(`${row}Create`),
    update: names.give(`${row}Update`),
  };
}
