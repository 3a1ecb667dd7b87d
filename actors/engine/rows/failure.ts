/** A refusal of the engine; the surface that serves the request adds its own code (docs/contract/data.md §10.1). */
import { faultsByField, type FieldFault } from '#actors/kit/field-check.ts';
import { shown } from '#actors/kit/shown.ts';
import { Refused } from '#actors/kit/refused.ts';
import type { Session } from './session.ts';
import { DEFAULT_DATASTORE } from './parameters.ts';

export type FailureStatus = 403 | 404 | 422 | 500;

export interface Failure {
  readonly kind: 'failure';
  readonly status: FailureStatus;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>> | undefined;
}

export function failure(status: FailureStatus, message: string, details?: Failure['details']): Failure {
  return { kind: 'failure', status, message, details };
}

/** 403: no rule of the entity allows the operation to this principal. */
export function denied(operation: string, entity: string): Failure {
  return failure(403, `${operation} on ${entity} is not allowed`);
}

/** 403: a rule denied this row, the row's own rule where `isRowRule`. Reported to the operator. */
export function deniedByRow(session: Session, operation: string, entity: string, isRowRule = false): Failure {
  const why = (): string => (isRowRule ? 'row_rule, for the row as it would be' : `access.${operation}`);
  session.denied?.({ entity, operation, fault: null, why });
  return denied(operation, entity);
}

/** 422 with every fault of the row under its field. */
export function invalid(faults: readonly FieldFault[]): Failure {
  const fields = faultsByField(faults);
  const first = faults[0]!;
  const more = faults.length === 1 ? '' : ` (and ${faults.length - 1} more)`;
  return failure(422, `${first.field} ${first.message}${more}`, { fields });
}

export function isFailure(value: unknown): value is Failure {
  return typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'failure';
}

/** The value, unless it is a failure, which is thrown: its statement ends there. */
export function accepted<T>(value: T | Failure): T {
  if (isFailure(value)) throw new Refused(value);
  return value;
}

/** The failure that was thrown, or null. */
export function thrownFailure(error: unknown): Failure | null {
  return error instanceof Refused && isFailure(error.refusal) ? error.refusal : null;
}

/** 404 for an entity that does not exist. */
export function noEntity(name: unknown): Failure {
  return failure(404, `no entity ${shown(name)}`);
}

/** 404 for a row that does not exist, or that the caller may not see. */
export function noRow(entity: string, id: unknown): Failure {
  return failure(404, `${entity} has no row ${shown(id)}`);
}

const DAMAGED = Object.freeze({ damaged: true });

/** 500 for a row whose stored bytes cannot be read. Only for a caller that may see every row of the entity. */
export function damagedRow(entity: string, id: unknown): Failure {
  const mend = 'restore it from a backup, or delete it: DELETE takes it out of the way and keeps its bytes';
  return failure(500, `${entity} ${shown(id)} is damaged: its stored bytes cannot be read; ${mend}`, DAMAGED);
}

/** 500 for the delete of a row when a row that its index lists as referring to it cannot be read: whether it refers is not known. */
export function damagedDependent(entity: string): Failure {
  const what = `a row of ${entity} that its index says refers to it is damaged: its stored bytes cannot be read`;
  return failure(500, `${what}; take that one out of the way first: DELETE it`, { entity });
}

export function isDamaged(value: unknown): value is Failure {
  return isFailure(value) && value.details === DAMAGED;
}

/** 422 for a datastore that the tenant does not have, null for the one it has. */
export function checkDatastore(name: string | null | undefined): Failure | null {
  const datastore = name ?? DEFAULT_DATASTORE;
  if (datastore === DEFAULT_DATASTORE) return null;
  return failure(422, `no datastore ${shown(datastore)}`, { datastore: shown(datastore) });
}
