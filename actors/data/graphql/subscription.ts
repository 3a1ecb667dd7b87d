/** The type Subscription of a schema: changes of the rows of each entity that keeps some (docs/contract/changes.md §10). */
import { GraphQLBoolean, GraphQLEnumType, GraphQLNonNull, GraphQLObjectType } from 'graphql';
import type { GraphQLFieldConfigMap } from 'graphql';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import type { Visible } from '../documents/visible.ts';
import type { Context } from './context.ts';
import type { EntityTypes } from './entity-types.ts';
import { Names, pascalCase } from './names.ts';
import { integerScalar } from './scalars.ts';

/** Marks a field that changes come by. */
export interface Following {
  readonly model: EntityModel;
}

/** Beside what happens to rows: a row of the snapshot, its end, and a position that has moved without a change. */
const OPS = ['create', 'update', 'restore', 'gone', 'row', 'snapshot', 'idle'] as const;

/** An event as its fields are resolved: a row under its own fields' names. */
export interface ChangeEvent {
  readonly op: (typeof OPS)[number];
  readonly seq?: number;
  readonly id?: unknown;
  readonly version?: number;
  readonly tx?: number;
  readonly row?: unknown;
}

/** Null where no entity that the caller reads keeps changes. `names`: those that types of the schema have. */
export function subscriptionType(
  visible: Visible,
  types: EntityTypes,
  rows: ReadonlyMap<string, GraphQLObjectType>,
  names: Names,
): GraphQLObjectType | null {
  const followed = [...visible.entities.values()].filter(
    ({ model, operations }) => operations.has('read') && model.definition.changes === true,
  );
  if (followed.length === 0) return null;
  const op = new GraphQLEnumType({
    name: names.give('ChangeOp'),
    values: Object.fromEntries(OPS.map((value) => [value, { value }])),
  });
  const own = new Names();
  const fields: GraphQLFieldConfigMap<unknown, Context> = {};
  for (const { model } of followed) {
    const name = names.give(`${pascalCase(model.name)}Change`);
    fields[own.give(`${model.name}_changes`)] = {
      type: new GraphQLNonNull(changeType(name, op, types, model, rows.get(model.name)!)),
      description: 'Each committed change, once, in order.',
      args: {
        filter: types.listArgs(model)['filter']!,
        after: { type: integerScalar, description: 'Only changes behind this position; without it those from now on.' },
        snapshot: { type: GraphQLBoolean, description: 'The rows first, where there is no position.' },
      },
      extensions: { following: { model } satisfies Following },
    };
  }
  return new GraphQLObjectType({ name: 'Subscription', fields });
}

function changeType(
  name: string,
  op: GraphQLEnumType,
  types: EntityTypes,
  model: EntityModel,
  row: GraphQLObjectType,
): GraphQLObjectType {
  return new GraphQLObjectType({
    name,
    fields: {
      seq: { type: integerScalar, description: 'The position behind it; null for a row of the snapshot.' },
      op: { type: new GraphQLNonNull(op) },
      id: { type: types.key(model) },
      version: { type: integerScalar, description: 'The version of the row after the change.' },
      tx: { type: integerScalar, description: 'The same for all changes of one commit.' },
      row: { type: row, description: 'The row as it is now; null where the caller does not see it now.' },
    },
  });
}
