/** The body of the operations envelope: `{operations: [{action, data: {<entity>: <row>}}]}` (docs/contract/data.md §6.6). */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import type { Input } from '#actors/kit/field-check.ts';
import { bodyText } from '#actors/kit/json.ts';
import { isJsonObject } from '#actors/kit/long-number.ts';
import { shown } from '#actors/kit/shown.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import { ACTIONS, type Action } from '#actors/engine/rows/action.ts';
import { failure, type Failure } from '#actors/engine/rows/failure.ts';
import type { Operation } from '#actors/engine/rows/operations.ts';
import { refuse } from '../refusals.ts';
import { objectBody } from './body.ts';

type Unread = Refusal<'v2.body_read' | 'v2.bad_json' | 'v2.empty_envelope' | 'v2.bulk_failed'>;

/** What an operation without an action does. */
const DEFAULTS: Readonly<Record<string, Action>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'update',
  DELETE: 'delete',
};

/** The operations in order. 400 for a body of another shape, 422 for an operation that means nothing, or for too many. */
export function readOperations(call: Call): readonly Operation[] | Unread {
  if (bodyText(call.body) === null) return refuse('v2.body_read', { message: 'the body is not valid UTF-8' });
  const body = objectBody(call);
  if (isRefusal(body)) return body;
  const listed = Object.hasOwn(body, 'operations') ? body['operations'] : [];
  if (!Array.isArray(listed)) return refuse('v2.bad_json', { message: 'operations must be an array' });
  if (listed.length === 0) return refuse('v2.empty_envelope');
  const most = limits.data.envelopeOperationsMax;
  if (listed.length > most) return tooMany('operations', listed.length, most);
  const operations: Operation[] = [];
  for (const [at, written] of listed.entries()) {
    const operation = readOperation(written, at, DEFAULTS[call.method]!);
    if (isRefusal(operation)) return operation;
    operations.push(operation);
  }
  const rows = operations.reduce((sum, operation) => sum + operation.rows.length, 0);
  return rows > limits.data.envelopeRowsMax ? tooMany('rows', rows, limits.data.envelopeRowsMax) : operations;
}

function readOperation(written: unknown, at: number, otherwise: Action): Operation | Unread {
  if (!isJsonObject(written)) return refuse('v2.bad_json', { message: `operations[${at}] must be an object` });
  const action = own(written, 'action') ?? '';
  if (typeof action !== 'string')
    return refuse('v2.bad_json', { message: `operations[${at}].action must be a string` });
  const data = own(written, 'data');
  if (!isJsonObject(data)) return refuse('v2.bad_json', { message: `operations[${at}].data must be an object` });
  const known = action === '' ? otherwise : ACTIONS.find((name) => name === action);
  if (known === undefined) return undone(at, failure(422, `action must be one of ${ACTIONS.join(', ')}`));
  const [entity, more] = Object.keys(data);
  if (entity === undefined || more !== undefined)
    return undone(at, failure(422, 'data must have exactly one key, the name of the entity'));
  const rows = readRows(data[entity], known);
  if (rows === null)
    return undone(
      at,
      failure(422, `${known} takes ${known === 'create' ? 'an object or an array of objects' : 'one object'}`),
      {
        action: known,
        entity,
      },
    );
  return { action: known, entity, rows };
}

/** Only a create takes an array. */
function readRows(value: unknown, action: Action): readonly Input[] | null {
  if (isJsonObject(value)) return [value];
  return action === 'create' && Array.isArray(value) && value.every(isJsonObject) ? value : null;
}

/** 422: the operation at a place failed; nothing of the envelope is kept. */
export function undone(
  at: number,
  { status, message, details }: Failure,
  operation: Readonly<Partial<Pick<Operation, 'action' | 'entity'>>> = {},
): Refusal<'v2.bulk_failed'> {
  const { action, entity } = operation;
  return refuse('v2.bulk_failed', {
    message: `operations[${at}]: ${message}`,
    details: {
      ...details,
      operation: at,
      ...(action !== undefined && { action }),
      ...(entity !== undefined && { entity: shown(entity) }),
      status,
    },
  });
}

function tooMany(what: string, given: number, most: number): Refusal<'v2.bulk_failed'> {
  return refuse('v2.bulk_failed', {
    message: `at most ${most} ${what} in one envelope`,
    details: { [what]: given, most },
  });
}

function own(value: Input, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}
