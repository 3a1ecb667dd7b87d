/** What is wrong with one entry of an environment by itself: its CRC, the version of its record, the form of an index entry. */
import { RECORD_VERSIONS, ROW_VERSION, TABLES, type TableRow } from './catalogue.ts';
import { NewerRecord } from './fault.ts';
import { isDynamic, type Place } from './inspect.ts';
import type { Entry } from './port.ts';
import { recordVersion, unseal } from './record.ts';
import { untuple } from './untuple.ts';

/** Tables whose values are empty. */
const BARE_TABLES: ReadonlySet<number> = new Set(
  Object.values(TABLES)
    .filter((row: TableRow) => row.bare === true)
    .map(({ no }) => no),
);

/**
 * Null for a sound entry. Tables of a tenant's schema hold sealed rows and index entries; an entry's value is a row's id or the
 * length of the one that ends its key.
 */
export function entryFault({ key, value }: Entry, place: Place, where: string): unknown {
  if (BARE_TABLES.has(place.table)) return value.length > 0 ? 'its table keeps no values, and there is one' : null;
  try {
    unseal(value, where);
    const known = isDynamic(place) ? ROW_VERSION : RECORD_VERSIONS[place.table];
    if (known !== undefined && recordVersion(value) > known) return new NewerRecord(where, recordVersion(value), known);
    return null;
  } catch (error) {
    const id = value.length === 1 ? key.slice(-value[0]!) : Buffer.from(value).toString('latin1');
    return isDynamic(place) && untuple(id) !== null ? null : error;
  }
}
