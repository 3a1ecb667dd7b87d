/** The condition that leaves the rows alone that are marked as deleted, of those and all others. Pure. */
import type { Condition } from './view.ts';

export const DELETED_ALONE: Condition = { field: 'deleted_at', op: 'null', value: 'false' };
export const isDeletedAlone = ({ field, op, value }: Condition): boolean =>
  field === DELETED_ALONE.field && op === DELETED_ALONE.op && value === DELETED_ALONE.value;
export const withoutDeleted = (conditions: readonly Condition[]): readonly Condition[] =>
  conditions.filter((one) => !isDeletedAlone(one));
