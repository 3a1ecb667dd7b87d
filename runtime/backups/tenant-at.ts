/**
 * One tenant of a set as it was at a later moment, as a file of `skep tenant backup`: the set's rows in a scratch directory, brought forward by
 * the copy of the journals.
 */
import { rm } from 'node:fs/promises';
import { openArchive, type Archive } from '#storage/archive.ts';
import { BackupFault, type BackupHeader } from '#storage/backup/format.ts';
import { FrameWriter } from '#storage/backup/frame-writer.ts';
import { OF_NODE, takeBackup } from '#storage/backup/take.ts';
import { PacedWrites, verifyBackup, writeBack } from '#storage/backup/write-back.ts';
import { REVISION, type SetManifest, type SetTenant } from '#storage/backup-set/manifest.ts';
import { beganAt } from '#storage/backup-set/place.ts';
import { fetchPart, readListPart, type Reading } from '#storage/backup-set/read-part.ts';
import { UNHURRIED } from '#storage/backup-set/restore-set.ts';
import { makeDirectory } from '#storage/directory.ts';
import { nextEpoch } from '#storage/journal/directories.ts';
import { redo, type RedoWish } from '#storage/journal-copy/redo.ts';
import { u32 } from '#storage/key.ts';
import type { Snapshot, Store } from '#storage/port.ts';
import { findRevision } from '#actors/engine/schema/store.ts';
import { registryKey, registryRow } from '#actors/identity/store.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { heldState } from '#actors/protocol/held-state.ts';
import { CONTROL_ENTRY } from '#runtime/control-plane.ts';
import { SetFiles, type SetFile } from './set-files.ts';

/** A set that has the tenant. */
export interface TenantSet {
  readonly manifest: SetManifest;
  readonly tenant: SetTenant;
  readonly from: Reading;
}

export interface MomentWish {
  /** The set that begins before the moment. */
  readonly base: TenantSet;
  /** Sets made after it, oldest first: they may have files that were stored after the first one. */
  readonly later: readonly TenantSet[];
  /** In milliseconds. */
  readonly untilMs: number;
  /** The file to make; scratch files lie beside it meanwhile. */
  readonly path: string;
}

export interface MomentReport {
  /** Everything that was acknowledged by then is there, and nothing of later. */
  readonly moment: string;
  /** Records that were applied. */
  readonly records: number;
  /** Files that rows name and that no set has: they were stored after the first set, and removed before the next. */
  readonly missing_files: number;
}

/** Throws BackupFault where set or copy are damaged, or do not reach the moment; then no file is left. */
export async function writeTenantAt(wish: MomentWish): Promise<MomentReport> {
  const scratch = `${wish.path}.scratch`;
  let archive: Archive | null = null;
  try {
    makeDirectory(scratch);
    archive = await openArchive({
      dataDir: scratch,
      shards: [0],
      replay: [],
      epoch: nextEpoch(scratch),
      name: 'scratch',
      onFatal: (error) => {
        throw error;
      },
    });
    return await bring(wish, archive.store(0, wish.base.tenant.no), scratch);
  } finally {
    await archive?.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

async function bring({ base, later, path, untilMs }: MomentWish, store: Store, scratch: string): Promise<MomentReport> {
  const { from, manifest, tenant } = base;
  const { journal } = tenant;
  const name = `${from.place.where}: set ${manifest.id}`;
  if (journal === undefined)
    throw new BackupFault(name, 'does not say where its journal was: use a set of a later release');
  const files = await filesOf([base, ...later]);
  const rows = `${scratch}/rows`;
  await fetchPart(from, tenant.rows, `the rows of ${tenant.key}`, rows);
  const { digest, header } = await verifyBackup(rows, UNHURRIED);
  await writeBack(rows, digest, store, (of) => storeOf(files, of, tenant), UNHURRIED);
  const revision = revisionOf(store);
  const writes = new PacedWrites(store, UNHURRIED);
  const { momentMs, records } = await redo({
    place: from.place,
    from: {
      shard: tenant.shard,
      prefix: `${u32(tenant.no)}\0`,
      ...journal,
      beganMs: beganAt(manifest.id),
    },
    decrypt: from.decrypt,
    untilMs,
    watch: watchPlace(base),
    write: (key, value) => (value === null ? writes.del(key) : writes.put(key, Buffer.from(value))),
    pace: UNHURRIED,
  });
  await writes.durable();
  assertSamePlace(base, later);
  const snapshot = store.snapshot();
  try {
    const moment = timestamp(Math.max(momentMs, Date.parse(tenant.made_at)));
    const product = await productAt(snapshot, revision, header, later);
    const made: BackupHeader = { ...header, product, made_at: moment };
    const missing = await writeFile(path, snapshot, made, files);
    return { moment, records, missing_files: missing };
  } finally {
    snapshot.close();
  }
}

/** A content store may have an index and no file. */
function storeOf(files: Map<string | undefined, SetFiles>, name: string | undefined, { key }: SetTenant): SetFiles {
  const known = files.get(name) ?? new SetFiles(`a file of ${key}`, new Map());
  files.set(name, known);
  return known;
}

function revisionOf(store: Store): string | undefined {
  const snapshot = store.snapshot();
  try {
    return findRevision(snapshot);
  } finally {
    snapshot.close();
  }
}

/**
 * Watches the registry in the control plane's records: a tenant that is deleted or moved is swept from its place, and a moment in the middle of
 * that would show a part of it.
 */
function watchPlace({ from, manifest, tenant }: TenantSet): RedoWish['watch'] {
  const control = manifest.tenants.find(({ no }) => no === CONTROL_ENTRY.no);
  const row = `${u32(CONTROL_ENTRY.no)}\0${registryKey(tenant.key)}`;
  return ({ epoch, number, shard }, { key, value }, momentMs) => {
    if (key !== row || control?.journal === undefined || shard !== control.shard) return;
    const { journal } = control;
    if (epoch < journal.epoch || (epoch === journal.epoch && number <= journal.number)) return;
    const now = value === null ? null : registryRow(value);
    if (now?.no === tenant.no && now.shard === tenant.shard && heldState(now.state) === null) return;
    throw new BackupFault(
      `${from.place.where}: set ${manifest.id}`,
      `${tenant.key} was deleted, moved or restored at ${timestamp(momentMs)}: name a moment before that`,
    );
  };
}

/** A tenant that was moved has its records under another number from then on: what the old place has of it ends with its removal. */
function assertSamePlace({ from, manifest, tenant }: TenantSet, later: readonly TenantSet[]): void {
  const moved = later.find((set) => set.tenant.no !== tenant.no || set.tenant.shard !== tenant.shard);
  if (moved === undefined) return;
  throw new BackupFault(
    `${from.place.where}: set ${manifest.id}`,
    `${tenant.key} was moved or restored between this set and ${moved.manifest.id}: restore one of the two, or a moment after the second`,
  );
}

const listLabel = ({ key }: SetTenant): string => `the list of the files of ${key}`;

/** The product that the tenant served at the moment, as the header of a backup names it. */
async function productAt(
  snapshot: Snapshot,
  before: string | undefined,
  { product }: BackupHeader,
  later: readonly TenantSet[],
): Promise<BackupHeader['product']> {
  const revision = findRevision(snapshot);
  if (revision === before || revision === undefined) return product;
  for (const { from, tenant } of later) {
    for await (const { store, sha256 } of readListPart(from, tenant.list, listLabel(tenant)))
      if (store === REVISION && sha256 === revision) return tenant.product ?? product;
  }
  throw new BackupFault(
    `the revision ${revision.slice(0, 12)}`,
    'was provisioned after the set and is in no later one: restore the set itself (without --at), or an earlier moment',
  );
}

/** Every file of these sets, by the store that it is of; undefined stands for files of rows. A file is the same wherever it lies. */
async function filesOf(sets: readonly TenantSet[]): Promise<Map<string | undefined, SetFiles>> {
  const byStore = new Map<string | undefined, Map<string, SetFile>>([[undefined, new Map()]]);
  for (const [i, { from, tenant }] of sets.entries())
    for await (const file of readListPart(from, tenant.list, listLabel(tenant))) {
      // What lies in content stores is taken as the first set has it.
      if (i > 0 && file.store !== undefined && file.store !== REVISION) continue;
      const of = byStore.get(file.store) ?? new Map<string, SetFile>();
      byStore.set(file.store, of);
      if (!of.has(file.sha256)) of.set(file.sha256, { file, from });
    }
  const label = `a file of ${sets[0]!.tenant.key}`;
  return new Map(Array.from(byStore, ([store, files]) => [store, new SetFiles(label, files)]));
}

/** Gives how many files are missing. */
async function writeFile(
  path: string,
  reader: Snapshot,
  header: BackupHeader,
  files: ReadonlyMap<string | undefined, SetFiles>,
): Promise<number> {
  const stores = new Map([...files].flatMap(([store, kept]) => (store === undefined ? [] : [[store, kept] as const])));
  const parts = { reader, blobs: files.get(undefined)!, stores, header, pace: UNHURRIED, without: OF_NODE };
  const totals = await FrameWriter.whole(path, (writer) => takeBackup({ ...parts, writer }));
  return totals.missing_blobs;
}
