/** A host's share of a set: its tenants into parts; and, on the host of the control plane, trees, manifest, retention. */
import { readFileSync } from 'node:fs';
import { limits } from '#config/limits.ts';
import type { Platform } from '#config/platform.ts';
import { BackupFault, type BlobHead } from '#storage/backup/format.ts';
import type { Pace } from '#storage/backup/pace.ts';
import { OF_NODE_BUT_EVENTS, takeBackup } from '#storage/backup/take.ts';
import type { BlobStore } from '#storage/blob/port.ts';
import { decryptWith, encryptionFor, partName } from '#storage/backup-set/encryption.ts';
import { FramesIntoPart } from '#storage/backup-set/frames-into-part.ts';
import { readManifest, REVISION, writeList, writeManifest } from '#storage/backup-set/manifest.ts';
import type { ListedFile, PartRef, SetManifest } from '#storage/backup-set/manifest.ts';
import { readListPart, readPart, type Reading } from '#storage/backup-set/read-part.ts';
import { retireSets, sweepParts } from '#storage/backup-set/retire.ts';
import { isThere, PartWriter, storePieces, type Storing } from '#storage/backup-set/store-part.ts';
import { retireChunks } from '#storage/journal-copy/retire-chunks.ts';
import { KnownFiles, takeTree, type Picks } from '#storage/backup-set/take-tree.ts';
import type { EventOutbox } from '#actors/host/outbox/event-outbox.ts';
import type { HeldBlobs } from '#runtime/copies/held-blobs.ts';
import type { Archive } from '#storage/archive.ts';
import type {
  Pick as TreePick,
  SetJob,
  SetRetireJob,
  SetSummary,
  SetTenantJob,
  SetTreeJob,
  TakenTenant,
  VerifiedSet,
} from './set-job.ts';

/** In rows of a set: equal rows are one part, so nothing in it may say when it was taken. The manifest does. */
const UNDATED = '1970-01-01T00:00:00.000Z';

const HEADS = /^(?:.*\/)?(?:checkpoint|keys|segments\/\d+\.json)$/;
const PICKS: Readonly<Record<TreePick, Picks>> = {
  all: () => true,
  'log-heads': (path) => HEADS.test(path) && !path.startsWith('.state/'),
  'log-records': (path) => !HEADS.test(path) && !/^\.state\/|(?:^|\/)lock$|\.tmp$/.test(path),
};

export interface HostSetsPorts {
  readonly archive: Archive;
  readonly blobs: HeldBlobs;
  /** Archives of the revisions that tenants serve. */
  readonly revisions: BlobStore;
  /** Undefined when auditing is off. */
  events(tenantNo: number): EventOutbox | undefined;
  readonly platform: Pick<Platform, 'backups' | 'storage' | 'vault'>;
  /** The place for sets; throws where there is none. */
  readonly place: () => Storing['place'];
  /** What identifies the product that a tenant serves, and its revision in a view of its store. */
  productOf(job: SetTenantJob): Promise<{ readonly name: string; readonly checksum: string }>;
  revisionIn(reader: Parameters<typeof takeBackup>[0]['reader']): string | undefined;
  onlyBlob(blobs: BlobStore, sha256: string): BlobStore;
}

export class HostSets {
  readonly #ports: HostSetsPorts;
  readonly #known = new KnownFiles();

  constructor(ports: HostSetsPorts) {
    this.#ports = ports;
  }

  run(job: SetJob, pace: Pace): Promise<unknown> {
    switch (job.kind) {
      case 'set.settle':
        return this.#settle(job.tenants, pace);
      case 'set.tenant':
        return this.#tenant(job, pace);
      case 'set.tree':
        return this.#tree(job, pace);
      case 'set.publish':
        return this.#publish(job.manifest);
      case 'set.retire':
        return this.#retire(job, pace);
      case 'set.list':
        return this.#list();
      case 'set.verify':
        return this.#verify(job.id, job.identity, pace);
    }
  }

  #to(): Storing {
    const { place, platform } = this.#ports;
    return { place: place(), encryption: encryptionFor(platform.backups.encrypt.recipients) };
  }

  async #settle(tenants: readonly number[], pace: Pace): Promise<null> {
    const waiting: { readonly events: EventOutbox; readonly last: number }[] = [];
    for (const no of tenants) {
      const events = this.#ports.events(no);
      events?.resume();
      if (events !== undefined && events.depth > 0) waiting.push({ events, last: events.last });
      if (pace.over) await pace.rest();
    }
    const until = performance.now() + limits.backup.eventsWaitMs;
    while (waiting.some(({ events, last }) => events.last - events.depth < last)) {
      if (performance.now() > until)
        throw new Error('the audit log does not accept the events of tenants: mend the audit service, then try again');
      await pace.wait(limits.backup.waitMs);
    }
    return null;
  }

  async #tenant(job: SetTenantJob, pace: Pace): Promise<TakenTenant> {
    const { archive, revisions } = this.#ports;
    const { header, madeAt, no, shard } = job;
    const to = this.#to();
    const product = await this.#ports.productOf(job);
    const owner = { tenantNo: no, position: { key: header.tenant } };
    const blobs = this.#ports.blobs.of(no);
    const present = this.#ports.blobs.contentStores(owner, true);
    const here = this.#ports.blobs.contentStores(owner, false);
    const elsewhere = [...present.keys()].filter((name) => !here.has(name));
    const store = archive.store(shard, no);
    const frames = new FramesIntoPart(await PartWriter.begin(to));
    const snapshot = store.snapshot(limits.backup.snapshotMsMax);
    // Not `snapshot.newest`: that is 0 where LMDB had everything, and records would be applied again.
    const shown = archive.shown(shard);
    const revision = this.#ports.revisionIn(snapshot);
    if (revision !== undefined) present.set(REVISION, this.#ports.onlyBlob(revisions, revision));
    const stores = new Map([...present].toSorted(([a], [b]) => (a < b ? -1 : 1))); // equal stores are equal parts
    const releases = [blobs, ...stores.values()].map((kept) => kept.hold());
    const files = new TakenFiles(to, pace);
    try {
      // What a set shows is on the disk.
      await new Promise<void>((resolve) => store.whenDurable(snapshot.newest, resolve));
      const totals = await takeBackup({
        reader: snapshot,
        blobs,
        stores,
        header: { ...header, made_at: UNDATED, product, journal: 0 },
        writer: frames,
        pace,
        without: OF_NODE_BUT_EVENTS,
        apart: (kept, head) => files.take(kept, head),
      });
      const rows = await frames.end();
      const list = await storeList(to, files.listed, pace);
      const tenant = {
        key: header.tenant,
        no,
        shard,
        state: header.state,
        rows: rows.part,
        list: list.part,
        entries: totals.entries,
        files: files.listed.length,
        file_bytes: files.bytes,
        ...(totals.missing_blobs > 0 && { missing_files: totals.missing_blobs }),
        ...(elsewhere.length > 0 && { elsewhere }),
        made_at: madeAt,
        product,
        journal: shown,
      };
      return { tenant, newBytes: files.newBytes + newBytesOf(rows) + newBytesOf(list) };
    } catch (error) {
      await frames.drop();
      throw error;
    } finally {
      snapshot.close();
      for (const release of releases) release();
    }
  }

  async #tree({ as, from, root, pick }: SetTreeJob, pace: Pace) {
    const to = this.#to();
    const taken = await takeTree({ ...to, root, picks: PICKS[pick], known: this.#known, pace });
    const list = await storeList(to, taken.files, pace);
    const tree = { as, from, list: list.part, files: taken.files.length, bytes: taken.bytes };
    return { tree, newBytes: taken.newBytes + newBytesOf(list) };
  }

  async #publish(manifest: Omit<SetManifest, 'encryption'>): Promise<null> {
    const { place, encryption } = this.#to();
    await place.writeSet(manifest.id, writeManifest({ ...manifest, encryption }));
    return null;
  }

  async #retire({ chunksBefore, keep, sweepAt }: SetRetireJob, pace: Pace): Promise<{ sets: number; parts: number }> {
    const { place } = this.#to();
    const sets = await retireSets(place, keep);
    await retireChunks(place, chunksBefore, pace);
    return { sets, parts: sweepAt === null ? 0 : await sweepParts(place, sweepAt, pace) };
  }

  async #list(): Promise<SetSummary[]> {
    const { place } = this.#to();
    const sets: SetSummary[] = [];
    for (const id of await place.sets()) {
      const text = await place.readSet(id);
      if (text !== null) sets.push(summaryOf(text, id, place.where));
    }
    return sets;
  }

  async #verify(id: string, identity: string | null, pace: Pace): Promise<VerifiedSet> {
    const { place } = this.#to();
    const text = await place.readSet(id);
    if (text === null)
      throw new BackupFault(`${place.where}: set ${id}`, 'is not there: skep backup list names those that are');
    const { encryption, tenants, trees } = readManifest(text, id, place.where);
    const decrypt = identity === null ? null : decryptWith(readFileSync(identity, 'utf8'));
    const check = new PartCheck({ place, encryption, decrypt }, pace);
    for (const { key, rows, list } of tenants) {
      await check.part(rows, `the rows of ${key}`);
      await check.list(list, `the files of ${key}`);
    }
    for (const { as, list } of trees) await check.list(list, as);
    return { id, ...check.sums };
  }
}

const newBytesOf = ({ known, part }: { readonly known: boolean; readonly part: PartRef }): number =>
  known ? 0 : part.bytes;

/** Lists are never encrypted: retention reads them on a node that has no identity. */
function storeList({ place }: Storing, files: readonly ListedFile[], pace: Pace) {
  return storePieces({ place, encryption: null }, writeList(files), () => pace.rest());
}

/** Files of one tenant on their way into parts. */
class TakenFiles {
  readonly #to: Storing;
  readonly #pace: Pace;
  readonly listed: ListedFile[] = [];
  bytes = 0;
  newBytes = 0;

  constructor(to: Storing, pace: Pace) {
    this.#to = to;
    this.#pace = pace;
  }

  async take(kept: BlobStore, { sha256, size, store }: BlobHead): Promise<void> {
    const part = { sha256, bytes: size };
    if (!(await isThere(this.#to, part))) {
      const stored = await storePieces(this.#to, kept.read(sha256, 0, size), async () => {
        if (this.#pace.over) await this.#pace.rest();
      });
      if (stored.part.sha256 !== sha256)
        throw new Error(
          `file ${sha256}${store === undefined ? '' : ` of the content store ${store}`} is damaged on the disk: its bytes have another digest\n` +
            '    skep storage check and the scrubber name the tenant; restore the file from an earlier set',
        );
      this.newBytes += size;
    }
    this.bytes += size;
    this.listed.push({ ...(store !== undefined && { store }), ...part });
    this.#pace.did(1);
  }
}

class PartCheck {
  readonly #from: Reading;
  readonly #pace: Pace;
  readonly #seen = new Set<string>();
  sums = { parts: 0, bytes: 0, read: 0 };

  constructor(from: Reading, pace: Pace) {
    this.#from = from;
    this.#pace = pace;
  }

  async list(list: PartRef, label: string): Promise<void> {
    for await (const file of readListPart(this.#from, list, `the list of ${label}`))
      await this.part(file, `${label} ${file.path ?? file.store ?? ''}`.trimEnd());
  }

  async part(part: PartRef, label: string): Promise<void> {
    if (this.#seen.has(part.sha256)) return;
    this.#seen.add(part.sha256);
    const { encryption, decrypt, place } = this.#from;
    const isReadable = encryption === null || decrypt !== null;
    if (isReadable) await this.#read(part, label);
    else if (!(await isThere({ place, encryption }, part)))
      throw new BackupFault(
        `${place.where}: ${label} (part ${partName(part.sha256, encryption)})`,
        'is missing or truncated: use another set',
      );
    const { parts, bytes, read } = this.sums;
    this.sums = { parts: parts + 1, bytes: bytes + part.bytes, read: read + (isReadable ? 1 : 0) };
    this.#pace.did(1);
    await this.#pace.rest();
  }

  async #read(part: PartRef, label: string): Promise<void> {
    for await (const piece of readPart(this.#from, part, label))
      if (piece.length > 0 && this.#pace.over) await this.#pace.rest();
  }
}

function summaryOf(text: string, id: string, where: string): SetSummary {
  try {
    const { moment, ended_at, tenants, bytes, new_bytes, encryption } = readManifest(text, id, where);
    return { id, moment, ended_at, tenants: tenants.length, bytes, new_bytes, encrypted: encryption !== null };
  } catch (error) {
    const none = { moment: '', ended_at: '', tenants: 0, bytes: 0, new_bytes: 0, encrypted: false };
    return { id, ...none, fault: (error as Error).message };
  }
}
