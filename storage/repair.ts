/** `skep storage repair`: mends what `storage check` finds in a stopped data directory, as far as rows say what is right. */
import { appendFileSync, closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '#config/limits.ts';
import { shardPath } from './archive.ts';
import type { TenantCheck, TenantFault, Unread } from './check.ts';
import { dataFile } from './data-file.ts';
import { syncDirectory } from './directory.ts';
import { openEnvironment, type Environment, type Write } from './environment.ts';
import { findShards, KEYS_END, placeOf, refuseMissing, tenantLookup, tenantPrefixes, withShard } from './inspect.ts';
import { findJournals } from './journal/directories.ts';
import type { Bytes } from './port.ts';
import type { DamagedJournal } from './journal/replay.ts';

/** Mending an index may show what a wrong entry hid; more rounds find nothing new. */
const ROUNDS_MAX = 3;
/** Rows that were taken out, one line of JSON each. */
const SET_ASIDE = 'set-aside.jsonl';

export interface RepairReport {
  /** Shards whose keys were out of order, written anew; the old file lies beside the new one. */
  readonly rewritten: readonly number[];
  /** Faults that were mended, by kind. */
  readonly mended: Readonly<Partial<Record<TenantFault['kind'], number>>>;
  /** Rows that cannot be read and are still there. */
  readonly rowsLeft: number;
  /** What damaged journals could not give back, and what an operator gave up for it. */
  readonly givenUp: readonly DamagedJournal[];
  /** The file that holds the rows that were taken out, null where there were none. */
  readonly setAside: string | null;
  /** Shards that could not be read, by number; left out where there are none. */
  readonly unread?: Readonly<Record<number, Unread>>;
}

/** What was mended in one shard. */
export interface ShardRepair {
  readonly rewritten: boolean;
  readonly mended: RepairReport['mended'];
  readonly rowsLeft: number;
}

/** The parts that open shards. The command line does them in another process, since LMDB ends the process over some damaged pages. */
export interface ShardMending {
  /** Applies what can be read of the journals and removes them. */
  giveUp(): Promise<readonly DamagedJournal[]>;
  /** Mends shards in order. */
  mend(shards: readonly number[]): AsyncIterable<{ readonly no: number; readonly done: ShardRepair | Unread }>;
}

export interface RepairOptions {
  /** Takes out rows that cannot be read: their bytes go to a file of the directory first. */
  readonly dropRows: boolean;
  /** Gives up the records of a damaged journal that cannot be read, and applies the others. */
  readonly dropRecords?: boolean;
}

/** Mends every shard. Refuses where records of a journal wait: they are newer than what lies in LMDB. */
export async function repairStorage(
  dataDir: string,
  { dropRecords }: Pick<RepairOptions, 'dropRecords'>,
  mending: ShardMending,
): Promise<RepairReport> {
  const givenUp = dropRecords === true ? await mending.giveUp() : [];
  if (findJournals(dataDir).length > 0)
    throw new Error(
      `records of a journal of ${dataDir} wait for LMDB: start the node and stop it once, then repair; where a journal is damaged, --drop-records gives up what cannot be read`,
    );
  const rewritten: number[] = [];
  const mended: Partial<Record<TenantFault['kind'], number>> = {};
  const unread: Record<number, Unread> = {};
  let rowsLeft = 0;
  for await (const { no, done } of mending.mend(findShards(dataDir))) {
    if ('what' in done) {
      unread[no] = done;
      continue;
    }
    if (done.rewritten) rewritten.push(no);
    rowsLeft += done.rowsLeft;
    for (const [kind, count] of Object.entries(done.mended) as [TenantFault['kind'], number][])
      mended[kind] = (mended[kind] ?? 0) + count;
  }
  const aside = join(dataDir, SET_ASIDE);
  const report = { rewritten, mended, rowsLeft, givenUp, setAside: existsSync(aside) ? aside : null };
  return Object.keys(unread).length === 0 ? report : { ...report, unread };
}

/** Mends one shard. Throws what LMDB says where its pages cannot be read. */
export async function repairShard(
  dataDir: string,
  no: number,
  check: TenantCheck,
  { dropRows }: Pick<RepairOptions, 'dropRows'>,
): Promise<ShardRepair> {
  const rewritten = await withShard(dataDir, no, (environment) => isOutOfOrder(environment, no));
  if (rewritten) await rewrite(dataDir, no);
  const mended: Partial<Record<TenantFault['kind'], number>> = {};
  const environment = openEnvironment(shardPath(dataDir, no), { onFatal: refuse });
  try {
    const aside = join(dataDir, SET_ASIDE);
    const rowsLeft = await mendShard(no, environment, check, { aside, dropRows }, mended);
    return { rewritten, mended, rowsLeft };
  } finally {
    await environment.close();
  }
}

interface Mending extends Pick<RepairOptions, 'dropRows'> {
  readonly aside: string;
}

/** Gives how many rows are left that cannot be read. */
async function mendShard(
  no: number,
  environment: Environment,
  check: TenantCheck,
  { dropRows, aside }: Mending,
  mended: Partial<Record<TenantFault['kind'], number>>,
): Promise<number> {
  let left = 0;
  for (const prefix of tenantPrefixes(environment)) {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const faults = [...check(tenantLookup(environment, prefix))];
      const rows = faults.filter(({ kind }) => kind === 'row');
      const due = dropRows ? faults : faults.filter(({ kind }) => kind !== 'row');
      left += round === ROUNDS_MAX - 1 || due.length === 0 ? rows.length : 0;
      if (due.length === 0) break;
      if (dropRows) for (const fault of rows) setAside(aside, no, environment, prefix, fault);
      for (const { kind } of due) mended[kind] = (mended[kind] ?? 0) + 1;
      const writes = due.flatMap(({ mend }) => mend.map(([key, value]): Write => [prefix + key, value]));
      for (let at = 0; at < writes.length; at += limits.storage.commitPutsMax)
        await environment.commit(writes.slice(at, at + limits.storage.commitPutsMax));
    }
  }
  return left;
}

/** The bytes of a row are on the disk before it goes. */
function setAside(path: string, shard: number, environment: Environment, prefix: Bytes, fault: TenantFault): void {
  const physical = prefix + fault.key;
  const value = environment.get(physical);
  const { tenant, table } = placeOf(physical)!;
  const hex = (bytes: Bytes): string => Buffer.from(bytes, 'latin1').toString('hex');
  const line = {
    shard,
    tenant,
    table,
    entity: fault.entity,
    key: hex(fault.key),
    what: fault.what,
    value: value === undefined ? null : Buffer.from(value).toString('hex'),
  };
  const fd = openSync(path, 'a', 0o600);
  try {
    appendFileSync(fd, `${JSON.stringify(line)}\n`);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Writing a shard anew keeps what can be reached: it is refused where that is not all of it. */
function isOutOfOrder(environment: Environment, no: number): boolean {
  let last = '';
  let met = 0;
  let found = false;
  for (const { key } of environment.range('\0', KEYS_END)) {
    met++;
    found ||= key <= last;
    last = key;
  }
  refuseMissing(environment, no, met);
  return found;
}

/** All entries into a new file, in order, which takes the old one's name; the old one stays as `data.mdb.before-repair`. */
async function rewrite(dataDir: string, no: number): Promise<void> {
  const path = shardPath(dataDir, no);
  const fresh = `${path}.new`;
  rmSync(fresh, { recursive: true, force: true });
  const environment = openEnvironment(fresh, { onFatal: refuse });
  try {
    await withShardAsync(dataDir, no, async (old) => {
      let writes: Write[] = [];
      for (const { key, value } of old.range('\0', KEYS_END)) {
        writes.push([key, Buffer.from(value)]);
        if (writes.length < limits.storage.commitPutsMax) continue;
        await environment.commit(writes);
        writes = [];
      }
      if (writes.length > 0) await environment.commit(writes);
    });
  } finally {
    await environment.close();
  }
  const file = dataFile(path);
  const kept = `${file}.before-repair`;
  rmSync(kept, { force: true });
  linkSync(file, kept);
  renameSync(dataFile(fresh), file);
  rmSync(join(path, 'lock.mdb'), { force: true });
  syncDirectory(path);
  rmSync(fresh, { recursive: true, force: true });
}

async function withShardAsync(
  dataDir: string,
  no: number,
  use: (environment: Environment) => Promise<void>,
): Promise<void> {
  const environment = openEnvironment(shardPath(dataDir, no), { readOnly: true, onFatal: refuse });
  try {
    await use(environment);
  } finally {
    await environment.close();
  }
}

function refuse(error: Error): never {
  throw error;
}
