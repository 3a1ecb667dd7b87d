/**
 * One tenant as it was at an instant, out of copies of shards, pieces of the log and the log itself, as a file of `skep tenant backup`. The registry of then says where the tenant lay: one that was moved or deleted since
 * is found, too. It is made by the command, beside the node, which goes on.
 */
import { randomUUID } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { loadProduct } from '#config/definitions/load-product.ts';
import { hasCopies } from '#config/journal-problems.ts';
import { limits } from '#config/limits.ts';
import type { Platform } from '#config/platform.ts';
import { renderProblems } from '#config/problem.ts';
import { contentSourceOf } from '#config/resolve-content.ts';
import { openArchive, shardPath, type Archive } from '#storage/archive.ts';
import { FORMAT, type BackupHeader } from '#storage/backup/format.ts';
import { FrameWriter } from '#storage/backup/frame-writer.ts';
import { OF_NODE, takeBackup } from '#storage/backup/take.ts';
import { REVISION } from '#storage/backup-set/manifest.ts';
import { UNHURRIED } from '#storage/backup-set/restore-set.ts';
import { RECORD_VERSIONS } from '#storage/catalogue.ts';
import { makeDirectory } from '#storage/directory.ts';
import { nextEpoch } from '#storage/journal/directories.ts';
import { HistoryGap } from '#storage/log-history/read-history.ts';
import { bringShardTo, TooEarly, type BroughtTo, type ShardAt } from '#storage/log-history/shard-at.ts';
import { PostgresEngine } from '#storage/log-engine/postgres/engine.ts';
import { clusterOf } from '#storage/log-engine/postgres/cluster.ts';
import { timeChanges } from '#storage/log-engine/postgres/survey.ts';
import type { Pause } from '#storage/log-engine/until-known.ts';
import type { LogSeal } from '#storage/log-seal/seal.ts';
import type { Snapshot } from '#storage/port.ts';
import { assertRoom } from '#storage/shard-copy/scratch-room.ts';
import { findRevision } from '#actors/engine/schema/store.ts';
import { registryKey, registryRow, type TenantRecord } from '#actors/identity/store.ts';
import { systemClock, timestamp } from '#actors/kit/clock.ts';
import { heldState } from '#actors/protocol/held-state.ts';
import { CONTROL_ENTRY } from '#runtime/control-plane.ts';
import { onlyBlob } from '#runtime/copies/only-blob.ts';
import { productChecksum } from '#runtime/copies/product-checksum.ts';
import { Revisions } from '#runtime/revisions.ts';
import { BlobRooms } from '#runtime/threads/blob-rooms.ts';
import { skepVersion } from '#runtime/version.ts';
import { copyPlaceOf } from './copy-place.ts';
import { asked, pause, sessionOf } from './log-of.ts';
import { logSeal } from './log-seal.ts';

export interface ThenWish {
  readonly tenant: string;
  /** Milliseconds since 1970. */
  readonly untilMs: number;
  /** A directory of `thenScratch`. */
  readonly scratch: string;
  /** Whether a revision of the product that is not on this machine is done without. */
  readonly otherDefinitions: boolean;
  readonly told: (step: string) => void;
}

export interface ThenMade {
  /** Of the file, which lies in the scratch. */
  readonly path: string;
  readonly report: ThenReport;
}

export interface ThenReport {
  /** Everything that was answered by then is there, and nothing that was written later. */
  readonly moment: string;
  /** When the copies were made that it goes on from: of the registry's shard, and of the tenant's. */
  readonly copied: string;
  /** Records that were applied to them. */
  readonly records: number;
  /** Files that rows name and that are not on this machine any more. */
  readonly missing_files: number;
}

const { commitPutsMax: putsMax, logReadBytes: readBytesMax, sweepCells: gatherMax } = limits.storage;
/** Below the data directory, beside what lies there of copies for moments. */
const SCRATCH = 'shard-copies';
const OWN = 'then-';

/** A directory below the data directory for one call of `writeTenantThen`, which its caller removes. What commands that were killed left goes after a day. Rejects where the platform has no log with copies. */
export async function thenScratch(platform: Pick<Platform, 'storage'>): Promise<string> {
  if (!hasCopies(platform))
    throw new Error(
      'the node has no log with copies of its shards, so there is no history\n    a tenant of a node on files is brought to a moment by skep backup restore --at (backups.journal.every); a log keeps one with storage.history and storage.journal.snapshots',
    );
  const folder = makeDirectory(join(platform.storage.dir, SCRATCH));
  const before = Date.now() - limits.backup.unusedPartMs;
  for (const name of readdirSync(folder).filter((one) => one.startsWith(OWN)))
    if (statSync(join(folder, name)).mtimeMs < before) await rm(join(folder, name), { recursive: true, force: true });
  return makeDirectory(join(folder, `${OWN}${randomUUID()}`));
}

/**
 * Makes the file, which has its name only when it is whole. Rejects with an error that says what is missing, where, and how to mend it: an instant that is not over or before the oldest copy, a piece that is missing or
 * altered, a tenant that was not there, a key that is gone.
 */
export async function writeTenantThen(platform: Platform, wish: ThenWish): Promise<ThenMade> {
  const path = join(wish.scratch, 'tenant.skep');
  const stores = join(wish.scratch, 'stores');
  const past = await Past.open(platform, wish, stores);
  try {
    return { path, report: await past.write(path) };
  } catch (error) {
    throw platform.storage.history === undefined ? withoutHistory(error as Error) : error;
  } finally {
    await past.close();
    await rm(stores, { recursive: true, force: true });
  }
}

/** What the log has let go is nowhere then: the copies that it keeps, and what is behind them, is all that there is. */
function withoutHistory(error: Error): Error {
  if (!(error instanceof TooEarly || error instanceof HistoryGap)) return error;
  const mend = 'no history is kept: with storage.history times from then on can be had';
  return new Error(`${error.message}\n    ${mend}`, { cause: error });
}

/** What is missing is never made anew here: another key opens nothing. */
async function sealOf(platform: Platform): Promise<LogSeal | null> {
  try {
    return await logSeal(platform);
  } catch (error) {
    const [what] = (error as Error).message.split('\n');
    const mend = 'put the root key where vault.seal.current names it, and the vault of this log back as it was';
    throw new Error(`the keys of the log cannot be had: ${what}\n    ${mend}`, { cause: error });
  }
}

/** A database that does not answer is waited for; what it waits for is told once. */
function waiting(told: ThenWish['told']): Pause {
  let isTold = false;
  return async (why) => {
    if (!isTold) told(`waiting: ${why.message}`);
    isTold = true;
    await pause();
  };
}

/** Where a tenant lay at the instant, and its rows. */
interface Found {
  readonly record: TenantRecord;
  readonly snapshot: Snapshot;
}

/** What all shards have in common. */
type Work = Omit<ShardAt, 'path' | 'shard'>;

class Past {
  readonly #platform: Platform;
  readonly #wish: ThenWish;
  readonly #scratch: string;
  readonly #work: Work;
  readonly #engine: PostgresEngine;
  readonly #brought: BroughtTo[] = [];
  #archive: Archive | null = null;

  private constructor(platform: Platform, wish: ThenWish, scratch: string, work: Work, engine: PostgresEngine) {
    this.#platform = platform;
    this.#wish = wish;
    this.#scratch = scratch;
    this.#work = work;
    this.#engine = engine;
  }

  static async open(platform: Platform, wish: ThenWish, scratch: string): Promise<Past> {
    const options = sessionOf(platform);
    const { id, time } = await asked(options, () => clusterOf(options));
    const nowMs = Math.max(systemClock.now(), time);
    if (wish.untilMs > nowMs)
      throw new Error(
        `${timestamp(wish.untilMs)} has not come yet: it is ${timestamp(nowMs)}\n    name an instant that is over`,
      );
    const seal = await sealOf(platform);
    const freeBytesMin = platform.storage.free_bytes_min;
    const engine = new PostgresEngine(options);
    const work: Work = {
      engine,
      place: copyPlaceOf(platform, id)!,
      seal,
      scratch: join(scratch, 'piece'),
      readBytesMax,
      bounds: { gatherMax, putsMax },
      pause: waiting(wish.told),
      untilMs: wish.untilMs,
      settle: async () => void (await timeChanges(options, 1)),
      room: () => assertRoom('what is brought back', 0, { scratch, freeBytesMin }),
    };
    return new Past(platform, wish, scratch, work, engine);
  }

  async close(): Promise<void> {
    await this.#archive?.close();
    await this.#engine.close();
  }

  async write(path: string): Promise<ThenReport> {
    const { tenant, untilMs } = this.#wish;
    const { record, snapshot } = await this.#find();
    try {
      const revision = findRevision(snapshot);
      const header: BackupHeader = {
        format: FORMAT,
        tenant,
        state: record.state,
        product: await this.#productOf(record, revision),
        journal: 0,
        made_at: timestamp(untilMs),
        skep: skepVersion(),
        records: RECORD_VERSIONS,
      };
      const missing = await this.#writeFile(path, { record, snapshot }, revision, header);
      return {
        moment: timestamp(untilMs),
        copied: this.#brought.map(({ copyMs }) => timestamp(copyMs)).join(', '),
        records: this.#brought.reduce((sum, { records }) => sum + records, 0),
        missing_files: missing,
      };
    } finally {
      snapshot.close();
    }
  }

  /** The registry is in the control plane's shard: it says in which one the tenant lay. */
  async #find(): Promise<Found> {
    const { tenant, untilMs } = this.#wish;
    await this.#bring(CONTROL_ENTRY.shard);
    const registry = await this.#open([CONTROL_ENTRY.shard]);
    const row = registry.store(CONTROL_ENTRY.shard, CONTROL_ENTRY.no).snapshot();
    let record: TenantRecord | null;
    try {
      const value = row.get(registryKey(tenant));
      record = value === undefined ? null : registryRow(Buffer.from(value));
    } finally {
      row.close();
    }
    const at = timestamp(untilMs);
    if (record === null)
      throw new Error(`there was no tenant ${tenant} at ${at}\n    name a time at which it was registered`);
    if (heldState(record.state) !== null)
      throw new Error(
        `${tenant} was in the state ${record.state} at ${at}, so that not all of it lay in one place\n    name a time before or behind that`,
      );
    const { no, shard } = record;
    let archive = registry;
    if (shard !== CONTROL_ENTRY.shard) {
      await registry.close();
      this.#archive = null;
      await this.#bring(shard);
      archive = await this.#open([shard]);
    }
    return { record, snapshot: archive.store(shard, no).snapshot(limits.backup.snapshotMsMax) };
  }

  async #bring(shard: number): Promise<void> {
    this.#wish.told(`shard ${shard}`);
    const path = shardPath(this.#scratch, shard);
    const brought = await bringShardTo({ ...this.#work, shard, path });
    for (const fault of brought.faults) this.#wish.told(`a copy cannot be used, and an older one was taken: ${fault}`);
    this.#brought.push(brought);
  }

  async #open(shards: readonly number[]): Promise<Archive> {
    this.#archive = await openArchive({
      dataDir: this.#scratch,
      shards,
      replay: [],
      epoch: nextEpoch(this.#scratch),
      name: 'then',
      onFatal: (error) => {
        throw error;
      },
    });
    return this.#archive;
  }

  /** The product that the tenant served, as the header of a backup names it. */
  async #productOf({ localdir }: TenantRecord, revision: string | undefined): Promise<BackupHeader['product']> {
    const { dir } = this.#platform.storage;
    const content = contentSourceOf(this.#platform);
    const revisions = new Revisions(dir, join(this.#scratch, 'loading'));
    if (localdir === null) return { name: '', checksum: '' };
    if (revision !== undefined && (await revisions.blobs.size(revision)) !== null) {
      const { product, problem } = await revisions.load(revision, localdir, content);
      if (problem !== null) throw new Error(`the product that the tenant served then does not load:\n${problem}`);
      return { name: product.name, checksum: productChecksum(product) };
    }
    if (revision !== undefined && !this.#wish.otherDefinitions)
      throw new Error(
        `revision ${revision.slice(0, 12)} of the product, which the tenant served then, is not in ${dir}\n` +
          '    run this on the machine that served the tenant then, or add --other-definitions and run skep tenant provision afterwards',
      );
    const loaded = loadProduct(localdir, { content });
    if ('problems' in loaded)
      throw new Error(`the product in ${localdir} does not load:\n${renderProblems(loaded.problems)}`);
    const { product } = loaded;
    return { name: product.name, checksum: revision === undefined ? productChecksum(product) : '' };
  }

  /** Files come from where the node keeps them now. Gives how many are missing. */
  async #writeFile(
    path: string,
    { record: { key, no }, snapshot: reader }: Found,
    revision: string | undefined,
    header: BackupHeader,
  ): Promise<number> {
    this.#wish.told('writing');
    const rooms = new BlobRooms(this.#platform);
    const revisions = new Revisions(this.#platform.storage.dir).blobs;
    const stores = rooms.contentStores({ tenantNo: no, position: { key } }, true);
    if (revision !== undefined && (await revisions.size(revision)) !== null)
      stores.set(REVISION, onlyBlob(revisions, revision));
    const parts = { reader, blobs: rooms.of(no), stores, header, pace: UNHURRIED, without: OF_NODE };
    const totals = await FrameWriter.whole(path, (writer) => takeBackup({ ...parts, writer }));
    return totals.missing_blobs;
  }
}
