/** `skep storage check`: reads every entry and every journal record of a stopped data directory. */
import { readApplied } from './applied.ts';
import type { Environment, Write } from './environment.ts';
import { entryFault } from './entry-fault.ts';
import { Corruption, isPageDamage } from './fault.ts';
import { findShards, KEYS_END, placeOf, refuseMissing, tenantLookup, tenantPrefixes, withShard } from './inspect.ts';
import { findJournals } from './journal/directories.ts';
import { recordWrites } from './journal/record.ts';
import { readJournal } from './journal/replay.ts';
import type { Bytes, Lookup } from './port.ts';

/** How many faults of each kind the report lists. Further ones are only counted, so that many faults of one kind hide none of another. */
const FAULTS_LISTED_MAX = 20;

/**
 * What is wrong: a value (its CRC, its form), the order of keys, an environment that cannot be read, a journal; and of a tenant's
 * entities a row, an index entry, a count, the use of a file.
 */
export type FaultKind = 'value' | 'order' | 'environment' | 'journal' | 'row' | 'index' | 'count' | 'use';

/** What the floor above knows of a tenant's entities: their faults, each with the writes that mend it. */
export type TenantCheck = (store: Lookup) => Iterable<TenantFault>;

export interface TenantFault {
  readonly kind: 'row' | 'index' | 'count' | 'use';
  readonly entity: string;
  readonly key: Bytes;
  readonly what: string;
  readonly mend: readonly Write[];
}

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
  /** False where records of a journal wait for LMDB: what is half swept is no fault. Start the node and stop it once. */
  readonly entitiesChecked: boolean;
  /** The first ones of each kind. */
  readonly faults: readonly StorageFault[];
}

/** Why a shard was not read to its end. */
export interface Unread {
  readonly what: string;
  /** Its pages are damaged, so that no part of it can be relied on. */
  readonly pages: boolean;
}

/** What one shard holds. */
export interface ShardLook {
  readonly no: number;
  readonly report: CheckReport['shards'][number] | null;
  readonly unread: Unread | null;
  readonly faults: Pick<CheckReport, 'faults' | 'faultCount' | 'kinds'>;
}

/** Looks at shards in order. The command line does it in another process, since LMDB ends the process over some damaged pages. */
export type ShardLooks = (shards: readonly number[], withEntities: boolean) => AsyncIterable<ShardLook>;

/** Verifies the CRC of every sealed value, the form of every index entry, and every journal's records and their sequence. */
export async function checkStorage(
  dataDir: string,
  tenants: TenantCheck | null = null,
  looks: ShardLooks = looksHere(dataDir, tenants),
): Promise<CheckReport> {
  const faults = new Faults();
  const shards = [];
  const entitiesChecked = tenants !== null && findJournals(dataDir).length === 0;
  for await (const look of looks(findShards(dataDir), entitiesChecked)) {
    faults.join(look.faults);
    if (look.report !== null) shards.push(look.report);
    if (look.unread !== null) faults.add('environment', look.unread.what, `shard ${look.no}`);
  }
  const journals = findJournals(dataDir).map((path) => checkJournal(path, faults));
  return { shards, journals, faultCount: faults.count, kinds: faults.kinds, entitiesChecked, faults: faults.listed };
}

function looksHere(dataDir: string, tenants: TenantCheck | null): ShardLooks {
  return async function* (shards, withEntities) {
    for (const no of shards) yield await lookAtShard(dataDir, no, withEntities ? tenants : null);
  };
}

/** Reads one shard; what cannot be read is part of the answer. `tenants`: null where entities are not checked. */
export async function lookAtShard(dataDir: string, no: number, tenants: TenantCheck | null): Promise<ShardLook> {
  const faults = new Faults();
  const look = (environment: Environment): CheckReport['shards'][number] => {
    const report = checkShard(no, environment, faults);
    if (tenants !== null) checkTenants(no, environment, tenants, faults);
    return report;
  };
  const found = { faults: faults.listed, kinds: faults.kinds };
  try {
    const report = await withShard(dataDir, no, look);
    return { no, report, unread: null, faults: { ...found, faultCount: faults.count } };
  } catch (error) {
    const unread = { what: textOf(error), pages: isPageDamage(error) };
    return { no, report: null, unread, faults: { ...found, faultCount: faults.count } };
  }
}

class Faults {
  readonly listed: StorageFault[] = [];
  readonly kinds: Partial<Record<FaultKind, number>> = {};
  count = 0;

  add(kind: FaultKind, error: unknown, where: string): void {
    this.#count(kind, 1);
    this.#add({ kind, where, what: textOf(error) });
  }

  /** Adds what another look has found. */
  join({ faults, kinds }: ShardLook['faults']): void {
    for (const fault of faults) this.#add(fault);
    for (const [kind, count] of Object.entries(kinds)) this.#count(kind as FaultKind, count);
  }

  #count(kind: FaultKind, count: number): void {
    this.count += count;
    this.kinds[kind] = (this.kinds[kind] ?? 0) + count;
  }

  #add(fault: StorageFault): void {
    const listedOfKind = this.listed.filter(({ kind }) => kind === fault.kind).length;
    if (listedOfKind < FAULTS_LISTED_MAX) this.listed.push(fault);
  }
}

function checkShard(no: number, environment: Environment, faults: Faults): CheckReport['shards'][number] {
  let entries = 0;
  let met = 0;
  let last = '';
  for (const entry of environment.range('\0', KEYS_END)) {
    met++;
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
    const fault = entryFault(entry, place, 'its value');
    if (fault !== null) faults.add('value', fault, `shard ${no}, key ${hexOf(entry.key)}`);
  }
  refuseMissing(environment, no, met);
  return { no, entries, ...readApplied(environment) };
}

function checkTenants(no: number, environment: Environment, check: TenantCheck, faults: Faults): void {
  for (const prefix of tenantPrefixes(environment)) {
    const tenant = placeOf(`${prefix}\0\0`)!.tenant;
    try {
      for (const { kind, entity, key, what } of check(tenantLookup(environment, prefix)))
        faults.add(kind, what, `shard ${no}, tenant ${tenant}${entity && `, ${entity}`}, key ${hexOf(key)}`);
    } catch (error) {
      if (isPageDamage(error)) throw error;
      faults.add('row', error, `shard ${no}, tenant ${tenant}`);
    }
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
    if (error instanceof Corruption) faults.add('journal', error.what, error.where);
    else faults.add('journal', error, path);
  }
  return { path, records, writes };
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
const hexOf = (key: string): string => Buffer.from(key, 'latin1').toString('hex');
