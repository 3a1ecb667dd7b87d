/**
 * Mutations: create, update, delete, restore of each entity (docs/contract/data.md §8.2). All mutations of a request are one transaction. They
 * are written first, in order, and committed; only then is the answer read, so that it shows committed rows and may take several turns.
 */
import { GraphQLBoolean, GraphQLNonNull } from 'graphql';
import type { GraphQLFieldConfig, GraphQLFieldConfigMap, GraphQLObjectType, GraphQLResolveInfo } from 'graphql';
import type { Input } from '#actors/kit/field-check.ts';
import type { VisibleEntity } from '../documents/visible.ts';
import type { Row } from '#actors/engine/rows/codec.ts';
import { createRow } from '#actors/engine/rows/create.ts';
import { deleteRow } from '#actors/engine/rows/delete.ts';
import { isFailure, type Failure } from '#actors/engine/rows/failure.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import { restoreRow } from '#actors/engine/rows/restore.ts';
import { updateRow } from '#actors/engine/rows/update.ts';
import type { Written } from '#actors/engine/rows/write.ts';
import { requestAs, type Context } from './context.ts';
import type { EntityTypes } from './entity-types.ts';
import { writeError } from './errors.ts';
import type { Names } from './names.ts';

interface Args {
  readonly id: unknown;
  readonly data: Input;
  readonly purge: boolean;
}

type Outcome = Written | Failure;
type Write = (context: Context, model: EntityModel, args: Args) => Outcome | Promise<Outcome>;
type Verb = 'create' | 'update' | 'delete' | 'restore';

const WRITES: Readonly<Record<Verb, Write>> = {
  create: ({ session }, model, { data }) => createRow(session, model, data, requestAs('create', model, null, data)),
  update: ({ session }, model, { id, data }) =>
    updateRow(session, model, id, data, requestAs('update', model, id, data)),
  delete: ({ session }, model, { id, purge }) =>
    deleteRow(session, model, id, purge, requestAs('delete', model, id, null)),
  restore: ({ session }, model, { id }) => restoreRow(session, model, id, requestAs('restore', model, id, null)),
};

/** Fields of `Mutation` for one entity that may ever be allowed to the caller, `<verb>_<entity>`. */
export function mutationFields(
  entity: VisibleEntity,
  types: EntityTypes,
  row: GraphQLObjectType,
  names: Names,
): GraphQLFieldConfigMap<unknown, Context> {
  const fields: GraphQLFieldConfigMap<unknown, Context> = {};
  for (const verb of Object.keys(WRITES) as Verb[]) {
    if (entity.operations.has(verb))
      fields[names.give(`${verb}_${entity.model.name}`)] = fieldOf(verb, entity, types, row);
  }
  return fields;
}

/** Not nullable: a mutation that fails leaves `data` null, as it leaves nothing written. */
function fieldOf(
  verb: Verb,
  { model, operations }: VisibleEntity,
  types: EntityTypes,
  row: GraphQLObjectType,
): GraphQLFieldConfig<unknown, Context> {
  const id = { id: { type: new GraphQLNonNull(types.key(model)) } };
  const purge = { purge: { type: new GraphQLNonNull(GraphQLBoolean), defaultValue: false } };
  const args = {
    ...(verb !== 'create' && id),
    ...((verb === 'create' || verb === 'update') && { data: { type: new GraphQLNonNull(types.input(model, verb)) } }),
    ...(verb === 'delete' && operations.has('purge') && purge),
  };
  return { type: new GraphQLNonNull(row), args, resolve: resolverOf(verb, model) };
}

/** The resolver runs twice: first it writes; once all is written, it shows. */
function resolverOf(verb: Verb, model: EntityModel): GraphQLFieldConfig<unknown, Context>['resolve'] {
  return (_source, args, context, info) => {
    const key = keyOf(info);
    if (context.written !== null) return context.written.get(key);
    const keep = (written: Outcome): Row => {
      if (isFailure(written)) throw writeError(verb, written);
      const row = model.shape((written.after ?? written.before)!);
      context.writing.set(key, row);
      return row;
    };
    try {
      const written = WRITES[verb](context, model, { purge: false, ...(args as Omit<Args, 'purge'>) });
      return written instanceof Promise ? written.then(keep) : keep(written);
    } catch (error) {
      if (!isRefused(error)) context.fault ??= error;
      throw error;
    }
  };
}

const isRefused = (error: unknown): boolean =>
  error instanceof Error && 'extensions' in error && typeof error.extensions === 'object';

function keyOf({ path }: GraphQLResolveInfo): string {
  return String(path.key);
}
