/** A tenant's GraphQL schema, as a caller may see it, built from the models and not from SDL (docs/contract/data.md §8.2). */
import { GraphQLBoolean, GraphQLInt, GraphQLList, GraphQLNonNull, GraphQLObjectType, GraphQLSchema } from 'graphql';
import { GraphQLString, isInputObjectType } from 'graphql';
import type { GraphQLFieldConfig, GraphQLFieldConfigMap, GraphQLInputType } from 'graphql';
import { relationsOf, type Relation, type Visible } from '../documents/visible.ts';
import { linkedWith } from '#actors/engine/rows/path/many.ts';
import { equals, type Predicate } from '#actors/engine/rows/query.ts';
import type { Row } from '#actors/engine/rows/codec.ts';
import type { Computed } from '#actors/engine/rows/computed.ts';
import type { Column, EntityModel } from '#actors/engine/rows/model.ts';
import { partOf } from '#actors/engine/rows/path/part.ts';
import { lengthFault, membersOf } from '#actors/engine/rows/path/parse.ts';
import type { Steps } from '#actors/kit/pace/steps.ts';
import { fuelLeft } from '#actors/kit/pace/fuel.ts';
import { limits } from '#config/limits.ts';
import { connect, cursorAt, edgesOf, pageInfoOf, totalOf } from './connection.ts';
import type { Connection, Edge, PageInfo } from './connection.ts';
import type { Context } from './context.ts';
import { EntityTypes } from './entity-types.ts';
import { queryError } from './errors.ts';
import { FieldTypes } from './field-types.ts';
import type { ListingArgs } from './listing.ts';
import { mutationFields } from './mutation.ts';
import { Names } from './names.ts';
import { resolving } from './resolving.ts';
import { integerScalar, JSON_SCALAR, SCALAR_NAMES, valueScalar } from './scalars.ts';
import { subscriptionType } from './subscription.ts';

type Field = GraphQLFieldConfig<unknown, Context>;
type Fields = GraphQLFieldConfigMap<unknown, Context>;

/** Marks a field that gives a list, so that a document's cost can be computed before it runs. */
export interface Listing {
  readonly firstDefault: number;
}

/** Builds the schema, an entity a step. It has nothing that the caller may not see. */
export function* schemaSteps(visible: Visible): Steps<GraphQLSchema> {
  const builder = new SchemaBuilder(visible);
  for (const { model } of visible.entities.values()) {
    builder.makeFields(model);
    yield;
  }
  return builder.build();
}

function fieldsOf(type: GraphQLInputType): void {
  if (isInputObjectType(type)) type.getFields();
}

function cursorResolver(at: number) {
  return ({ connection }: PageInfo, _args: unknown, context: Context): string | null =>
    cursorAt(context, connection, at);
}

/** Masks a field where it is shown: until then rows hold its value, which relations need. */
function masked({ name, mask }: Column): Field['resolve'] {
  return resolving((row: Row) => (row[name] === null ? null : mask!(row[name])));
}

/** A json value, or the part of it that a path names. */
function partField({ name }: Column): Field {
  return {
    type: JSON_SCALAR,
    args: { path: { type: GraphQLString, description: 'A JSON pointer: `address/city`, `tags/0`.' } },
    resolve: resolving((row: Row, { path }: { path?: string | null }) => {
      if (path == null) return row[name];
      const inside = membersOf(path);
      const tooLong = lengthFault([], inside);
      if (tooLong !== null) throw queryError(tooLong);
      return partOf(row[name], inside);
    }),
  };
}

/** Values of an answer that one computed value stands for: it may take as long as so many. */
const COMPUTED_COST = 40;

function computedField({ type, ofRow }: Computed): Field {
  return {
    type: valueScalar(type)!,
    extensions: { cost: COMPUTED_COST },
    resolve: resolving((row: Row, _args, context) =>
      context.slices.run(COMPUTED_COST, () =>
        // What is left of the turn's fuel may be less than the value may take.
        fuelLeft() >= limits.data.computedUnits ? ofRow(row) : context.session.yieldTurn().then(() => ofRow(row)),
      ),
    ),
  };
}

const ROOT_NAMES = ['Query', 'Mutation', 'Subscription'];

class SchemaBuilder {
  readonly #visible: Visible;
  readonly #names: Names;
  readonly #types: EntityTypes;
  readonly #pageInfo: GraphQLObjectType;
  readonly #rows = new Map<string, GraphQLObjectType>();
  readonly #connections = new Map<string, GraphQLObjectType>();
  readonly #mutations: Fields = {};
  readonly #mutationNames = new Names();

  constructor(visible: Visible) {
    this.#visible = visible;
    const names = new Names([...ROOT_NAMES, ...SCALAR_NAMES, 'PageInfo', 'File']);
    this.#names = names;
    this.#types = new EntityTypes(visible, names, new FieldTypes(new Names()));
    this.#pageInfo = new GraphQLObjectType({
      name: 'PageInfo',
      fields: {
        hasNextPage: { type: new GraphQLNonNull(GraphQLBoolean) },
        hasPreviousPage: { type: new GraphQLNonNull(GraphQLBoolean) },
        startCursor: { type: GraphQLString, resolve: resolving(cursorResolver(0)) },
        endCursor: { type: GraphQLString, resolve: resolving(cursorResolver(-1)) },
      },
    });
    for (const { model } of visible.entities.values()) this.#addTypes(model);
  }

  /** Makes the fields of one entity here, so that the schema does not make those of all entities at once. */
  makeFields(model: EntityModel): void {
    const row = this.#rows.get(model.name)!;
    row.getFields();
    this.#connections.get(model.name)!.getFields();
    const entity = this.#visible.entities.get(model.name)!;
    Object.assign(this.#mutations, mutationFields(entity, this.#types, row, this.#mutationNames));
    for (const argument of Object.values(this.#types.listArgs(model))) fieldsOf(argument.type);
  }

  build(): GraphQLSchema {
    const mutations = this.#mutations;
    const subscription = subscriptionType(this.#visible, this.#types, this.#rows, this.#names);
    return new GraphQLSchema({
      query: new GraphQLObjectType({ name: 'Query', fields: () => this.#queryFields() }),
      ...(Object.keys(mutations).length > 0 && {
        mutation: new GraphQLObjectType({ name: 'Mutation', fields: mutations }),
      }),
      ...(subscription !== null && { subscription }),
      assumeValid: true,
    });
  }

  #addTypes(model: EntityModel): void {
    const { row, connection, edge } = this.#types.namesOf(model);
    const type = new GraphQLObjectType({ name: row, fields: () => this.#rowFields(model) });
    const listOf = (item: GraphQLObjectType) => new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(item)));
    const cursor = resolving((one: Edge, _args, context) => cursorAt(context, one.connection, one.at));
    const edgeType = new GraphQLObjectType({
      name: edge,
      fields: {
        node: { type: new GraphQLNonNull(type) },
        cursor: { type: new GraphQLNonNull(GraphQLString), resolve: cursor },
      },
    });
    this.#rows.set(model.name, type);
    const fields: Fields = {
      nodes: { type: listOf(type) },
      edges: { type: listOf(edgeType), resolve: resolving(edgesOf) },
      pageInfo: { type: new GraphQLNonNull(this.#pageInfo), resolve: resolving(pageInfoOf) },
      total: {
        type: integerScalar,
        description: 'All matches, counted.',
        resolve: resolving((source: Connection, _args, context) => totalOf(context, source)),
      },
    };
    this.#connections.set(model.name, new GraphQLObjectType({ name: connection, fields }));
  }

  #queryFields(): Fields {
    const names = new Names();
    const readable = [...this.#visible.entities.values()].filter(({ operations }) => operations.has('read'));
    const fields: Fields = {};
    for (const { model } of readable) fields[names.give(model.name)] = this.#rootList(model);
    for (const { model } of readable) fields[names.give(`${model.name}_by_id`)] = this.#rootRow(model);
    // A schema needs one query field, also for a caller who may only write.
    if (readable.length === 0) fields['_empty'] = { type: GraphQLBoolean, description: 'Nothing to read.' };
    return fields;
  }

  #rootList(model: EntityModel): Field {
    const most = limits.graphql.firstDefault;
    const resolve = resolving((_source: unknown, args: ListingArgs, context) =>
      connect(context, model, args, most, []),
    );
    return this.#listField(model, most, resolve);
  }

  #listField(model: EntityModel, firstDefault: number, resolve: Field['resolve']): Field {
    return {
      type: this.#connections.get(model.name)!,
      args: {
        ...this.#types.listArgs(model),
        first: {
          type: GraphQLInt,
          description: `Rows from the beginning, or after a cursor; ${firstDefault} if unsaid.`,
        },
        after: { type: GraphQLString },
        last: { type: GraphQLInt, description: 'Rows before the end, or before a cursor.' },
        before: { type: GraphQLString },
        offset: { type: GraphQLInt, description: 'Rows to pass over, where there is no cursor.' },
      },
      extensions: { listing: { firstDefault } satisfies Listing },
      ...(resolve !== undefined && { resolve }),
    };
  }

  #rootRow(model: EntityModel): Field {
    return {
      type: this.#rows.get(model.name)!,
      args: { id: { type: new GraphQLNonNull(this.#types.key(model)) } },
      resolve: resolving((_source: unknown, { id }: { id: unknown }, context) => context.row(model, id)),
    };
  }

  #rowFields(model: EntityModel): Fields {
    const names = new Names();
    const fields: Fields = {};
    for (const column of model.columns) {
      const leaf = this.#types.shown(model, column);
      const always = column === model.key || column.name === 'version';
      const type = always ? new GraphQLNonNull(leaf) : leaf;
      fields[names.give(column.name)] =
        column.mask !== null
          ? { type: leaf, resolve: masked(column) }
          : leaf === JSON_SCALAR
            ? partField(column)
            : { type };
    }
    for (const computed of model.computed.values()) fields[names.give(computed.name)] = computedField(computed);
    for (const relation of relationsOf(this.#visible, model)) {
      fields[names.give(relation.name)] = this.#relationField(model, relation);
    }
    return fields;
  }

  #relationField(model: EntityModel, { kind, target, reference, link }: Relation): Field {
    const { name } = reference.column;
    if (kind === 'one') {
      const resolve = resolving((row: Row, _args, context) => {
        const id = row[name];
        return id === null ? null : context.row(target, id);
      });
      return { type: this.#rows.get(target.name)!, resolve };
    }
    const key = model.key.name;
    const most = limits.graphql.nestedFirstDefault;
    const ofRow = (id: unknown): Predicate => (link === undefined ? equals(name, id) : linkedWith(link, id));
    const resolve = resolving((row: Row, args: ListingArgs, context) =>
      connect(context, target, args, most, [ofRow(row[key])]),
    );
    return this.#listField(target, most, resolve);
  }
}
