/** The types that an entity's columns have in a schema: as they are shown, written, compared and ordered by. */
import { GraphQLBoolean, GraphQLEnumType, GraphQLInputObjectType, GraphQLList, GraphQLNonNull } from 'graphql';
import { GraphQLObjectType, GraphQLString, isEnumType } from 'graphql';
import type { GraphQLInputType, GraphQLNamedInputType, GraphQLScalarType } from 'graphql';
import { FIELD_TYPES } from '#config/values/field-types.ts';
import type { Column, EntityModel } from '#actors/engine/rows/model.ts';
import type { OrderTerm } from '#actors/engine/rows/query.ts';
import { OPERATORS, type Operand } from './listing.ts';
import { canBeEnum, pascalCase, type Names } from './names.ts';
import { integerScalar, JSON_SCALAR, keyScalar, LIKE_SCALARS, valueScalar } from './scalars.ts';

type Leaf = GraphQLScalarType | GraphQLEnumType;

/** Types of one schema by name: each is made once. */
export class FieldTypes {
  readonly #names: Names;
  readonly #enums = new Map<Column, GraphQLEnumType>();
  readonly #filters = new Map<Leaf, GraphQLInputObjectType>();
  #parts: GraphQLInputObjectType | null = null;
  readonly file: GraphQLObjectType;

  constructor(names: Names) {
    this.#names = names;
    const shown = { type: GraphQLString };
    this.file = new GraphQLObjectType({
      name: names.give('File'),
      fields: { name: shown, content_type: shown, size: { type: integerScalar }, sha256: shown },
    });
  }

  /** What is shown of a column: a masked text is no longer one of an enum's values, nor an id. */
  shown(model: EntityModel, column: Column): Leaf | null {
    return column.mask !== null && typeof column.mask('') === 'string' ? GraphQLString : this.leaf(model, column);
  }

  /** The leaf type of a column; files have none. */
  leaf(model: EntityModel, column: Column): Leaf | null {
    if (column === model.key || column.shownType === 'ref') return keyScalar(column.type);
    return this.#enumOf(model, column) ?? valueScalar(column.type);
  }

  #enumOf(model: EntityModel, column: Column): GraphQLEnumType | undefined {
    const values = column.type === 'enum' ? (model.definition.fields[column.name]?.enum ?? []) : [];
    if (!canBeEnum(values)) return undefined;
    let type = this.#enums.get(column);
    if (type === undefined) {
      const name = this.#names.give(pascalCase(`${model.name}_${column.name}`));
      type = new GraphQLEnumType({ name, values: Object.fromEntries(values.map((value) => [value, { value }])) });
      this.#enums.set(column, type);
    }
    return type;
  }

  /** What a column is compared with in a filter, or the parts of a json value are; null for columns that have neither. */
  filter(model: EntityModel, column: Column): GraphQLInputType | null {
    const leaf = this.leaf(model, column);
    if (leaf === null) return null;
    if (FIELD_TYPES[column.type].hasMembers) return this.#partsOf(leaf);
    if (column.compare === null) return null;
    let type = this.#filters.get(leaf);
    if (type === undefined) this.#filters.set(leaf, (type = this.#filterOf(leaf)));
    return type;
  }

  #filterOf(leaf: Leaf): GraphQLInputObjectType {
    return new GraphQLInputObjectType({
      name: this.#names.give(`${leaf.name}Filter`),
      description: 'Comparisons, all of which must hold.',
      fields: comparisonsOf(leaf),
    });
  }

  /** Conditions of parts of json values; all of them must hold. */
  #partsOf(leaf: Leaf): GraphQLInputType {
    this.#parts ??= new GraphQLInputObjectType({
      name: this.#names.give('JSONPartFilter'),
      description: 'Comparisons of the part of a JSON value at a path, all of which must hold.',
      fields: {
        path: { type: new GraphQLNonNull(GraphQLString), description: 'A JSON pointer: `address/city`, `tags/0`.' },
        ...comparisonsOf(leaf),
      },
    });
    return new GraphQLList(new GraphQLNonNull(this.#parts));
  }

  /** The enum of orders: `<column>_asc` and `<column>_desc` of every column that can be compared. */
  order(model: EntityModel, name: string): GraphQLEnumType {
    const term = (field: string, descending: boolean): OrderTerm => ({ kind: 'order', field, descending });
    const values = model.columns
      .filter(({ compare }) => compare !== null)
      .flatMap(({ name: field }) => [
        [`${field}_asc`, { value: term(field, false) }],
        [`${field}_desc`, { value: term(field, true) }],
      ]);
    return new GraphQLEnumType({ name, values: Object.fromEntries(values) as Record<string, { value: OrderTerm }> });
  }
}

function comparisonsOf(leaf: Leaf): Record<string, { type: GraphQLInputType }> {
  const fields = Object.entries(OPERATORS)
    .filter(([, operand]) => operand !== 'pattern' || isText(leaf))
    .map(([op, operand]) => [op, { type: operandType(leaf, operand) }]);
  return Object.fromEntries(fields) as Record<string, { type: GraphQLInputType }>;
}

/** Patterns are for texts, for keys that are texts, and for parts of JSON that may be texts. */
function isText(leaf: Leaf): boolean {
  return LIKE_SCALARS.has(leaf) || isEnumType(leaf) || leaf === JSON_SCALAR;
}

function operandType(leaf: GraphQLNamedInputType, operand: Operand): GraphQLInputType {
  if (operand === 'pattern') return GraphQLString;
  if (operand === 'truth') return GraphQLBoolean;
  return operand === 'list' ? new GraphQLList(new GraphQLNonNull(leaf)) : leaf;
}
