/** `skep storage check`: reads every entry and every journal record of a stopped data directory. */
import { readApplied } from './applied.ts';
import { BARE_TABLES } from './catalogue.ts';
import type { Environment } from './environment.ts';
import { Corruption } from './fault.ts';
import { findShards, isDynamic, KEYS_END, placeOf, withShard } from './inspect.ts';
import type { Place } from './inspect.ts';
import { findJournals } from './journal/directories.ts';
import { recordWrites } from './journal/record.ts';
import { readJournal } from './journal/replay.ts';
import type { Entry } from './port.ts';
import { unseal } from './record.ts';
import { untuple } from './untuple.ts';

/** Of each kind; more are counted and not told, so that many faults of one kind hide none of another. */
const FAULTS_TOLD_MAX = 20;

/** What is wrong: a value (its CRC, its form), the order of keys, an environment that cannot be read, a journal. */
export type FaultKind = 'value' | 'order' | 'environment' | 'journal';

export interface StorageFault {
  readonly kind: FaultKind;
  readonly where: string;
  readonly what: string;
}

export interface CheckReport {
  readonly shards: readonly {
    readonly no: number;
    readonly entries: number;
    readonly epoch: number;
    readonly number: number;
  }[];
  readonly journals: readonly { readonly path: string; readonly records: number; readonly writes: number }[];
  readonly faultCount: number;
  /** How many of each kind, of those that there are. */
  readonly kinds: Readonly<Partial<Record<FaultKind, number>>>;
  /** The first ones of each kind. */
  readonly faults: readonly StorageFault[];
}

/** Verifies the CRC of every sealed value, the form of every index entry, and every journal's records and their sequence. */
export async function checkStorage(dataDir: string): Promise<CheckReport> {
  const faults = new Faults();
  const shards = [];
  for (const no of findShards(dataDir)) {
    try {
      shards.push(await withShard(dataDir, no, (environment) => checkShard(no, environment, faults)));
    } catch (error) {
      faults.add('environment', error, `shard ${no}`);
    }
  }
  const journals = findJournals(dataDir).map((path) => checkJournal(path, faults));
  return { shards, journals, faultCount: faults.count, kinds: faults.kinds, faults: faults.told };
}

class Faults {
  readonly told: StorageFault[] = [];
  readonly kinds: Partial<Record<FaultKind, number>> = {};
  count = 0;

  add(kind: FaultKind, error: unknown, where: string): void {
    this.count++;
    const ofKind = (this.kinds[kind] ?? 0) + 1;
    this.kinds[kind] = ofKind;
    const what = error instanceof Error ? error.message : String(error);
    if (ofKind <= FAULTS_TOLD_MAX) this.told.push({ kind, where, what });
  }
}

function checkShard(no: number, environment: Environment, faults: Faults): CheckReport['shards'][number] {
  let entries = 0;
  let last = '';
  for (const entry of environment.range('\0', KEYS_END)) {
    if (entry.key <= last)
      faults.add(
        'order',
        `its key is not above the one before it, ${hexOf(last)}`,
        `shard ${no}, key ${hexOf(entry.key)}`,
      );
    last = entry.key;
    const place = placeOf(entry.key);
    if (place === null) continue;
    entries++;
    checkEntry(entry, place, `shard ${no}, key ${hexOf(entry.key)}`, faults);
  }
  return { no, entries, ...readApplied(environment) };
}

/** Tables of a tenant's schema hold sealed rows and index entries; an entry's value is a row's id or the length of the one that ends its key. */
function checkEntry({ key, value }: Entry, place: Place, where: string, faults: Faults): void {
  if (BARE_TABLES.has(place.table)) {
    if (value.length > 0) faults.add('value', 'its table keeps no values, and there is one', where);
    return;
  }
  try {
    unseal(value, where);
  } catch (error) {
    const id = value.length === 1 ? key.slice(-value[0]!) : Buffer.from(value).toString('latin1');
    if (isDynamic(place) && untuple(id) !== null) return;
    faults.add('value', error, where);
  }
}

function checkJournal(path: string, faults: Faults): CheckReport['journals'][number] {
  let records = 0;
  let writes = 0;
  try {
    for (const record of readJournal(path)) {
      records++;
      for (const _ of recordWrites(record)) writes++;
    }
  } catch (error) {
    faults.add('journal', error, error instanceof Corruption ? error.where : path);
  }
  return { path, records, writes };
}

const hexOf = (key: string): string => Buffer.from(key, 'latin1').toString('hex');
