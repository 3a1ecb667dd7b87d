/**
 * Checks an environment that is served, in steps: the order of its keys, and each value by itself. A step reads LMDB as it is at that
 * moment and holds nothing open; the next one goes on behind it. Writes that wait in the overlay are checked once they are in LMDB.
 */
import { entryFault } from './entry-fault.ts';
import { KEYS_END, placeOf } from './inspect.ts';
import { after } from './key.ts';
import type { Bytes, Lookup } from './port.ts';

export interface ShardFault {
  readonly kind: 'value' | 'order';
  readonly key: Bytes;
  /** The number of the tenant that the key says; null where it says none. */
  readonly tenant: number | null;
  readonly what: string;
}

/** What one step saw. */
export interface Looked<F> {
  readonly entries: number;
  readonly bytes: number;
  readonly faults: readonly F[];
}

/** Of a key: tenant and datastore; these and the table. */
const TENANT_BYTES = 5;
const TABLE_BYTES = 7;

/**
 * `isOver`: whether the step has lasted long enough; a step takes at least one entry. A table is checked up to the key that is its last
 * when a step first ends in it: otherwise a table to which callers keep appending would never end.
 */
export function* scrubShard(environment: Lookup, isOver: () => boolean): Generator<Looked<ShardFault>, void> {
  let table = { prefix: '', last: '' };
  for (let from: Bytes | null = '\0'; from !== null;) {
    const step = stepFrom(environment, from, isOver);
    yield step;
    from = step.next;
    if (from === null || from.length <= TABLE_BYTES) continue;
    const prefix = from.slice(0, TABLE_BYTES);
    if (prefix !== table.prefix) table = { prefix, last: lastOf(environment, prefix) };
    else if (from > table.last) from = behind(prefix);
  }
}

function lastOf(environment: Lookup, prefix: Bytes): Bytes {
  const end = behind(prefix);
  if (end === null) return prefix;
  for (const { key } of environment.range(prefix, end, true)) return key;
  return prefix;
}

interface Step extends Looked<ShardFault> {
  /** Where the next step begins, always above where this one did; null behind the last key. Keys out of order may lead back: the rest of that tenant is left out then. */
  readonly next: Bytes | null;
}

function stepFrom(environment: Lookup, from: Bytes, isOver: () => boolean): Step {
  const faults: ShardFault[] = [];
  let last = '';
  let entries = 0;
  let bytes = 0;
  for (const entry of environment.range(from, KEYS_END)) {
    const { key, value } = entry;
    entries++;
    bytes += key.length + value.length;
    const place = placeOf(key);
    const tenant = place?.tenant ?? null;
    if (key <= last || key < from) faults.push({ kind: 'order', key, tenant, what: orderOf(last) });
    last = key;
    const fault = place === null ? null : entryFault(entry, place, 'its value');
    if (fault !== null) faults.push({ kind: 'value', key, tenant, what: textOf(fault) });
    if (isOver())
      return { entries, bytes, faults, next: last >= from ? `${last}\0` : behind(from.slice(0, TENANT_BYTES)) };
  }
  return { entries, bytes, faults, next: null };
}

const orderOf = (last: Bytes): string =>
  `its key is not above the one before it, ${Buffer.from(last, 'latin1').toString('hex')}`;

const textOf = (fault: unknown): string => (fault instanceof Error ? fault.message : String(fault));

/** Above every key with a prefix; null where there is none. */
function behind(prefix: Bytes): Bytes | null {
  return /^\xff*$/.test(prefix) ? null : after(prefix);
}
