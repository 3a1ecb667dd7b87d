/** The operations on rows that a script may call: those of every request, under the caller's rules. */
import { limits } from '#config/limits.ts';
import { shown } from '#actors/kit/shown.ts';
import { NO_CONDITIONS } from '#actors/engine/rows/alternatives.ts';
import type { StoredRow } from '#actors/engine/rows/codec.ts';
import { failure, isFailure, noEntity, type Failure } from '#actors/engine/rows/failure.ts';
import { createRow } from '#actors/engine/rows/create.ts';
import { deleteSteps } from '#actors/engine/rows/delete.ts';
import { jsonWriterOf } from '#actors/engine/rows/json-writer.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import { Parameters } from '#actors/engine/rows/parameters.ts';
import { shownColumns } from '#actors/engine/rows/path/select.ts';
import { parseQuery } from '#actors/engine/rows/parse-query.ts';
import { query } from '#actors/engine/rows/query.ts';
import { findRow, findRows, type Found } from '#actors/engine/rows/read.ts';
import type { RequestView, Session } from '#actors/engine/rows/session.ts';
import { findViewRow } from '#actors/engine/view/find-row.ts';
import { takeStepsNow } from '#actors/kit/pace/steps.ts';
import { updateRow } from '#actors/engine/rows/update.ts';
import type { Written } from '#actors/engine/rows/write.ts';
import { statesOf } from '#actors/engine/machines/possible.ts';

export const WRITES: ReadonlySet<string> = new Set(['db.create', 'db.update', 'db.delete']);

/** JSON text of what an operation gives. */
export type Given = string | Failure;

type Operation = (
  session: Session,
  method: string,
  model: EntityModel,
  args: readonly unknown[],
) => Given | Promise<Given>;

const OPERATIONS: Readonly<Record<string, Operation>> = {
  'db.get': get,
  state,
  'db.query': list,
  'db.create': (session, method, model, [, row]) =>
    isRecord(row)
      ? written(createRow(session, model, row, view(method, 'create', model, null, row)))
      : failure(422, 'db.create takes an entity and a row'),
  'db.update': (session, method, model, [, id, fields]) =>
    isRecord(fields)
      ? written(updateRow(session, model, id, fields, view(method, 'update', model, id, fields)))
      : failure(422, 'db.update takes an entity, an id and fields'),
  'db.delete': (session, method, model, [, id, options]) => {
    const purge = isRecord(options) && options['purge'] === true;
    return typeof id === 'string' || typeof id === 'number'
      ? deleted(takeStepsNow(deleteSteps(session, model, String(id), purge, view(method, 'delete', model, id, null))))
      : failure(422, 'db.delete takes an entity and an id');
  },
};

export const OPERATION_NAMES: readonly string[] = Object.keys(OPERATIONS);

/** Does one operation within the session's turn. A promise only for a query that looks at more rows than a turn may. */
export function operate(
  session: Session,
  method: string,
  name: string,
  args: readonly unknown[],
): Given | Promise<Given> {
  const [entity] = args;
  const model = typeof entity === 'string' ? session.model(entity) : undefined;
  if (model === undefined) return noEntity(entity);
  return OPERATIONS[name]!(session, method, model, args);
}

function view(method: string, operation: string, model: EntityModel, id: unknown, data: unknown): RequestView {
  return { method, operation, entity: model.name, id, data };
}

function get(session: Session, method: string, model: EntityModel, [, id]: readonly unknown[]): Given | Promise<Given> {
  const request = view(method, 'read', model, id, null);
  const given = (row: StoredRow | undefined | Failure): Given => {
    if (isFailure(row)) return row;
    return row === undefined ? 'null' : model.jsonOf(row);
  };
  if (!model.isView) return given(findRow(session, model, request, model.idOf(id)));
  const row = findViewRow(session, model, request, id);
  return row instanceof Promise ? row.then(given) : given(row);
}

/** The states of a row with the events that the caller may fire now, by stateflow; null where the caller sees no such row. */
function state(session: Session, method: string, model: EntityModel, [, id]: readonly unknown[]): Given {
  if (model.isView) return failure(422, `${model.name} is a view: its rows have no states`);
  const row = findRow(session, model, view(method, 'read', model, id, null), model.idOf(id));
  if (isFailure(row)) return row;
  return row === undefined ? 'null' : JSON.stringify(statesOf(session, model, row.slots));
}

function list(
  session: Session,
  method: string,
  model: EntityModel,
  [, options]: readonly unknown[],
): Given | Promise<Given> {
  const parameters = parametersOf(options);
  if (isFailure(parameters)) return parameters;
  const request = view(method, 'read', model, null, null);
  const found = findRows(session, model, request, () =>
    bounded(model, parseQuery(model, parameters, null, NO_CONDITIONS, { session, request })),
  );
  return found instanceof Promise ? found.then((late) => rows(model, late)) : rows(model, found);
}

function bounded(model: EntityModel, parsed: ReturnType<typeof parseQuery>): ReturnType<typeof parseQuery> {
  if (isFailure(parsed)) return parsed;
  const computed = parsed.select?.find((name) => model.computed.has(name));
  if (computed !== undefined) return failure(422, `${computed} is computed: a script computes it from its fields`);
  if (parsed.limit <= limits.scripts.rowsMax) return parsed;
  return query(parsed.entity, { ...parsed, limit: limits.scripts.rowsMax });
}

function rows(model: EntityModel, found: Found | Failure): Given {
  if (isFailure(found)) return found;
  const { select } = found.query;
  if (select === null) return `[${found.rows.map(model.jsonOf).join(',')}]`;
  const write = jsonWriterOf(shownColumns(model, select));
  return `[${found.rows.map(({ slots }) => write(slots)).join(',')}]`;
}

const OPTION_NAMES: ReadonlySet<string> = new Set(['filter', 'orderby', 'limit', 'offset', 'select', 'deleted']);

/** `{filter: {field: value | {op: value}}, orderby, limit, offset, select, deleted}` as the parameters of a list. */
function parametersOf(options: unknown): Parameters | Failure {
  const search = new URLSearchParams();
  if (options === undefined || options === null) return new Parameters(search);
  if (!isRecord(options)) return failure(422, 'db.query takes an entity and options');
  for (const [name, value] of Object.entries(options)) {
    if (!OPTION_NAMES.has(name)) return failure(422, `db.query has no option ${shown(name)}`);
    if (name !== 'filter') search.append(name, Array.isArray(value) ? value.join(',') : String(value));
  }
  const { filter } = options;
  if (filter === undefined) return new Parameters(search);
  if (!isRecord(filter)) return failure(422, 'the filter of db.query is an object');
  for (const [field, value] of Object.entries(filter)) {
    if (!isRecord(value)) search.append('filter', `${field}=${String(value)}`);
    else
      for (const [op, operand] of Object.entries(value)) search.append('filter', `${field}[${op}]=${String(operand)}`);
  }
  return new Parameters(search);
}

/** A delete that takes more steps than a turn may is refused to a script: it would have to be replayed in later turns. */
function deleted(taken: { readonly result: Written | Failure } | null): Given {
  return taken === null
    ? failure(422, 'more rows depend on it than a script may delete at once')
    : written(taken.result);
}

function written(outcome: Written | Failure): Given {
  if (isFailure(outcome)) return outcome;
  return outcome.model.json((outcome.after ?? outcome.before)!);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
