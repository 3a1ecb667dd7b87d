/** The operations envelope below the wire: many writes in one turn, all of them or none (docs/contract/data.md §6.6). */
import type { Input } from '#actors/kit/field-check.ts';
import type { Action } from './action.ts';
import type { Slots } from './codec.ts';
import { createRow } from './create.ts';
import { deleteSteps } from './delete.ts';
import { failure, isFailure, noEntity, type Failure } from './failure.ts';
import type { Column, EntityModel } from './model.ts';
import { restoreRow } from './restore.ts';
import type { RequestView, Session } from './session.ts';
import type { Steps } from '#actors/kit/pace/steps.ts';
import { hasRow } from './store.ts';
import { updateRow } from './update.ts';
import type { Written } from './write.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';

export interface Operation {
  readonly action: Action;
  readonly entity: string;
  /** The rows: any number for a create, else one. */
  readonly rows: readonly Input[];
}

/** What an operation did. Its rows are turned into JSON at once: a later operation may change them. */
export interface Done {
  readonly action: Action;
  readonly entity: string;
  readonly rows: readonly string[];
  readonly affected: number;
  /** The key of its row, when there is one row. */
  readonly id: unknown;
}

/** The operation that failed, and why. The caller must drop the turn, so that no other operation is kept either. */
export interface Undone {
  readonly kind: 'undone';
  readonly at: number;
  readonly cause: Failure;
}

/** Runs the operations in order; each sees what the ones before it wrote. `method` is what rules see of the request. */
export function* runOperations(
  session: Session,
  operations: readonly Operation[],
  method: string,
): Steps<readonly Done[] | Undone> {
  const done: Done[] = [];
  for (const [at, operation] of operations.entries()) {
    const one = yield* runOperation(session, operation, method, done);
    if (isFailure(one)) return { kind: 'undone', at, cause: one };
    done.push(one);
  }
  return done;
}

function* runOperation(
  session: Session,
  { action, entity, rows }: Operation,
  method: string,
  done: readonly Done[],
): Steps<Done | Failure> {
  const model = session.model(entity);
  if (model === undefined) return noEntity(entity);
  const texts: string[] = [];
  let affected = 0;
  let last: Slots | null = null;
  for (const given of rows) {
    const row = linked(model, given, done);
    if (isFailure(row)) return row;
    const written: Written | Failure = yield* runRow(session, model, action, row, method);
    if (isFailure(written)) return rows.length === 1 ? written : inRow(written, texts.length);
    last = (written.after ?? written.before)!;
    texts.push(model.json(last));
    if (written.before !== written.after) affected++;
    yield;
  }
  return { action, entity, rows: texts, affected, id: rows.length === 1 ? last![model.key.at] : undefined };
}

function* runRow(
  session: Session,
  model: EntityModel,
  action: Action,
  row: Input,
  method: string,
): Steps<Written | Failure> {
  const id = Object.hasOwn(row, model.key.name) ? row[model.key.name] : null;
  const request = (operation: string, of: unknown = id): RequestView => ({
    method,
    operation,
    entity: model.name,
    id: of,
    data: row,
  });
  if (action === 'create') return createRow(session, model, row, request('create', null));
  if (action === 'upsert') return upsertRow(session, model, id, row, request);
  if (id === null || id === '') return failure(422, 'id is required', { fields: { id: ['is required'] } });
  if (action === 'update') return updateRow(session, model, id, row, request('update'));
  if (action === 'restore') return restoreRow(session, model, id, request('restore'));
  const purge = Object.hasOwn(row, 'purge') ? row['purge'] : false;
  if (typeof purge !== 'boolean')
    return failure(422, 'purge must be true or false', { fields: { purge: ['must be true or false'] } });
  return yield* deleteSteps(session, model, id, purge, request('delete'));
}

/** An update where a row has the key, visible to the caller or not; else a create. */
function upsertRow(
  session: Session,
  model: EntityModel,
  id: unknown,
  row: Input,
  request: (operation: string, id?: unknown) => RequestView,
): Written | Failure {
  const key = id === null ? null : model.idOf(id);
  const present = key !== null && hasRow(session.turn(), model, key);
  return present
    ? updateRow(session, model, id, row, request('update'))
    : createRow(session, model, row, request('create', null));
}

const LINK = '$operation';

/** The row with each `{"$operation": n}` replaced by the key of the row that operation n wrote. A json field keeps such an object as its value. */
function linked(model: EntityModel, row: Input, done: readonly Done[]): Input | Failure {
  let out: Record<string, unknown> | null = null;
  for (const name of Object.keys(row)) {
    const value = row[name];
    if (!isLink(value) || takesObject(model.named(name), value)) continue;
    const id = done[value[LINK] as number]?.id;
    if (id === undefined) {
      const reason = 'must name an earlier operation that wrote one row';
      return failure(422, `${name} ${reason}`, { fields: { [name]: [reason] } });
    }
    out ??= { ...row };
    out[name] = id;
  }
  return out ?? row;
}

/** Whether the field takes the object as its value, so that it is no link. */
function takesObject(column: Column | undefined, value: object): boolean {
  return column !== undefined && FIELD_TYPES[column.type].of(value) !== undefined;
}

function isLink(value: unknown): value is Readonly<Record<typeof LINK, unknown>> {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, LINK) && Object.keys(value).length === 1;
}

function inRow({ status, message, details }: Failure, row: number): Failure {
  return failure(status, `row ${row}: ${message}`, { ...details, row });
}
