import type { Bytes } from '../port.ts';

/** A lane holds the pending writes of one table: the first bytes of a key (tenant, datastore, table) name it. A shorter key is a lane of its own. */
export const LANE_KEY_BYTES = 7;

/** The lane of a key. */
export function laneOf(key: Bytes): Bytes {
  return key.slice(0, LANE_KEY_BYTES);
}
