/** Changes fields of a row from the values that its reader saw, or deletes it; what another caller has written there meanwhile is not lost. */
import { isSkepError } from '@skep/client';
import type { Place } from '../session/session.ts';
import { lookAt, update } from './queries.ts';
import type { EntityDoc, Row } from './shapes.ts';
import { textOf } from './value.ts';

/** So often a row is looked at anew whose other fields are changed at the same time. */
const TRIES = 4;

/** A field has another value by now. */
export class Overtaken extends Error {
  readonly newer: unknown;
  readonly field: string;

  constructor(field: string, newer: unknown) {
    super('another value was written meanwhile');
    this.field = field;
    this.newer = newer;
  }
}

/** A row as its reader was told that it is by now, so that another try is one over that. */
export const asTold = (row: Row, error: Error): Row =>
  error instanceof Overtaken ? { ...row, [error.field]: error.newer } : row;

/** Gives the row after the change. `seen`: the row as its reader saw it. Throws Overtaken, and what the node refuses. */
export function changeRow(place: Place, entity: EntityDoc, id: string, seen: Row, values: Row): Promise<Row> {
  return guarded(place, entity, id, { seen, names: Object.keys(values) }, async (version) => {
    const { row } = await update(place, entity, id, values, version);
    return row;
  });
}

/** The service writes them with each change: they tell a reader nothing that another field does not. */
const WITH_EACH_CHANGE: ReadonlySet<string> = new Set(['version', 'updated_at', 'updated_by']);

/** Deletes a row that is in its fields as its reader saw it. Throws Overtaken, and what the node refuses. */
export function deleteRow(place: Place, entity: EntityDoc, id: string, seen: Row): Promise<void> {
  const names = entity.fields
    .map(({ name }) => name)
    .filter((name) => Object.hasOwn(seen, name) && !WITH_EACH_CHANGE.has(name));
  return guarded(place, entity, id, { seen, names }, async (version) => {
    await place.skep.from(entity.name).delete(id, { version });
  });
}

/** Brings a row back that its reader saw deleted. Throws what the node refuses. */
export const restoreRow = (place: Place, entity: EntityDoc, id: string): Promise<unknown> =>
  place.skep.from(entity.name).restore(id);

interface Seen {
  readonly seen: Row;
  /** The fields that must be as they were. */
  readonly names: readonly string[];
}

/** Acts on the version of a reading in which these fields are as they were seen. */
async function guarded<T>(
  place: Place,
  entity: EntityDoc,
  id: string,
  { seen, names }: Seen,
  act: (version: number | undefined) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    const { row, version } = await lookAt(place, entity, id);
    const other = names.find((name) => textOf(row[name]) !== textOf(seen[name]));
    if (other !== undefined) throw new Overtaken(other, row[other]);
    try {
      return await act(version);
    } catch (error) {
      if (tries >= TRIES || !isSkepError(error, 'v2.precondition_failed')) throw error;
    }
  }
}
