/** Names and input types of the entities of one schema. */
import { GraphQLBoolean, GraphQLInputObjectType, GraphQLList, GraphQLNonNull } from 'graphql';
import type { GraphQLFieldConfigArgumentMap, GraphQLInputFieldConfig, GraphQLNullableOutputType } from 'graphql';
import type { GraphQLScalarType } from 'graphql';
import { mustBeGiven } from '../documents/entity-schemas.ts';
import { relationsOf } from '../documents/visible.ts';
import type { Visible } from '../documents/visible.ts';
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
}

export class EntityTypes {
  readonly #visible: Visible;
  readonly #fields: FieldTypes;
  readonly #names = new Map<EntityModel, EntityNames>();
  readonly #listArgs = new Map<EntityModel, GraphQLFieldConfigArgumentMap>();

  constructor(visible: Visible, names: Names, fields: FieldTypes) {
    this.#visible = visible;
    this.#fields = fields;
    const models = [...visible.entities.values()].map(({ model }) => model);
    const rows = models.map((model) => names.give(pascalCase(model.name)));
    for (const [i, model] of models.entries()) this.#names.set(model, derivedNames(rows[i]!, names));
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

  /** `filter`, `order` and, where deletes are soft, `deleted`. */
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

  /** Filters of the rows that references lead to; named as in the row's own type, where fields take their names first. */
  #relationsOf(model: EntityModel): Record<string, GraphQLInputFieldConfig> {
    const names = new Names(model.columns.map(({ name }) => name));
    const forward = relationsOf(this.#visible, model).filter(({ kind }) => kind === 'one');
    const filters = forward.map(({ name, target }) => {
      const description = 'Of the row that it names. Where there is none, its fields are null.';
      return [names.give(name), { type: this.listArgs(target)['filter']!.type, description }];
    });
    return Object.fromEntries(filters) as Record<string, GraphQLInputFieldConfig>;
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
    return new GraphQLInputObjectType({ name: this.namesOf(model)[verb], fields });
  }
}

function derivedNames(row: string, names: Names): EntityNames {
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
