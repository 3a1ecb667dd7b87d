/** `skep storage check`: reads every entry and every journal record of a stopped data directory. */
import { readApplied } from './applied.ts';
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

/** More are counted and not told. */
const FAULTS_TOLD_MAX = 20;

export interface StorageFault {
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
  /** The first ones. */
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
      faults.add(error, `shard ${no}`);
    }
  }
  const journals = findJournals(dataDir).map((path) => checkJournal(path, faults));
  return { shards, journals, faultCount: faults.count, faults: faults.told };
}

class Faults {
  readonly told: StorageFault[] = [];
  count = 0;

  add(error: unknown, where: string): void {
    this.count++;
    const what = error instanceof Error ? error.message : String(error);
    if (this.told.length < FAULTS_TOLD_MAX) this.told.push({ where, what });
  }
}

function checkShard(no: number, environment: Environment, faults: Faults): CheckReport['shards'][number] {
  let entries = 0;
  for (const entry of environment.range('\0', KEYS_END)) {
    const place = placeOf(entry.key);
    if (place === null) continue;
    entries++;
    checkEntry(entry, place, `shard ${no}, key ${hexOf(entry.key)}`, faults);
  }
  return { no, entries, ...readApplied(environment) };
}

/** Tables of a tenant's schema hold sealed rows and index entries; an entry's value is a row's id or the length of the one that ends its key. */
function checkEntry({ key, value }: Entry, place: Place, where: string, faults: Faults): void {
  try {
    unseal(value, where);
  } catch (error) {
    const id = value.length === 1 ? key.slice(-value[0]!) : Buffer.from(value).toString('latin1');
    if (isDynamic(place) && untuple(id) !== null) return;
    faults.add(error, where);
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
    faults.add(error, error instanceof Corruption ? error.where : path);
  }
  return { path, records, writes };
}

const hexOf = (key: string): string => Buffer.from(key, 'latin1').toString('hex');
