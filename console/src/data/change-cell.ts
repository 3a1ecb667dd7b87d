/** Changes one field of a row from the value that its reader saw; what another caller has written there meanwhile is not lost. */
import { isSkepError } from '@skep/client';
import type { Place } from '../session/session.ts';
import { lookAt, update } from './queries.ts';
import type { EntityDoc, Row } from './shapes.ts';
import { textOf } from './value.ts';

/** So often a row is looked at anew whose other fields are changed at the same time. */
const TRIES = 4;

/** The field has another value by now. */
export class Overtaken extends Error {
  readonly newer: unknown;

  constructor(newer: unknown) {
    super('another value was written meanwhile');
    this.newer = newer;
  }
}

/** Gives the row after the change. Throws Overtaken, and what the node refuses. */
export async function changeCell(
  place: Place,
  entity: EntityDoc,
  id: string,
  name: string,
  { seen, value }: { readonly seen: unknown; readonly value: unknown },
): Promise<Row> {
  for (let tries = 1; ; tries++) {
    const { row, version } = await lookAt(place, entity, id);
    if (textOf(row[name]) !== textOf(seen)) throw new Overtaken(row[name]);
    try {
      return (await update(place, entity, id, { [name]: value }, version)).row;
    } catch (error) {
      if (tries >= TRIES || !isSkepError(error, 'v2.precondition_failed')) throw error;
    }
  }
}
