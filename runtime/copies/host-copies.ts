/** Backs up and restores tenants on the thread that has their shards open, between the turns of its tenants. */
import { limits } from '#config/limits.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import type { Archive } from '#storage/archive.ts';
import { eraseStore } from '#storage/backup/erase.ts';
import { FrameWriter } from '#storage/backup/frame-writer.ts';
import type { Pace } from '#storage/backup/pace.ts';
import { OF_NODE, takeBackup } from '#storage/backup/take.ts';
import { verifyBackup, writeBack } from '#storage/backup/write-back.ts';
import { REVISION } from '#storage/backup-set/manifest.ts';
import type { BlobStore } from '#storage/blob/port.ts';
import { TABLES } from '#storage/catalogue.ts';
import { findRevision } from '#actors/engine/schema/store.ts';
import type { Activation } from '#actors/host/activation.ts';
import type { EventOutbox } from '#actors/host/outbox/event-outbox.ts';
import { copyShard } from '#runtime/cluster/copy-job.ts';
import { publishShard } from '#runtime/cluster/history-job.ts';
import { HostSets, type HostSetsPorts } from '#runtime/backups/host-sets.ts';
import { exportTenant } from './export-tenant.ts';
import { repairTenant } from './repair-tenant.ts';
import type { BackupJob, BackupReport, EraseJob, ExportJob, Job, RepairJob, Reports, RestoreJob, Step } from './job.ts';
import type { HeldBlobs, Owner } from './held-blobs.ts';
import type { Pulse } from '#actors/host/pulse.ts';
import { LongWork } from './long-work.ts';
import { onlyBlob } from './only-blob.ts';
import { checksumOfBefore, productChecksum } from './product-checksum.ts';

const ownerOf = (tenantNo: number, key: string): Owner => ({ tenantNo, position: { key } });

export interface HostCopiesPorts {
  readonly archive: Archive;
  readonly blobs: HeldBlobs;
  /** Shows that callers had turns. */
  readonly pulse: Pick<Pulse, 'turns'>;
  /** A checkout as it is now. */
  product(localdir: string | null): ProductDefinition;
  /** The revision that a tenant serves. */
  served(tenantNo: number): Promise<ProductDefinition>;
  /** Archives of the revisions that tenants serve. */
  readonly revisions: BlobStore;
  activation(tenantNo: number): Promise<Activation>;
  /** Drops a tenant's activation. */
  forget(tenantNo: number): void;
  /** A shard was repaired: the scrubber may look again. */
  repaired(shard: number): void;
  /** Undefined when auditing is off. */
  events(tenantNo: number): EventOutbox | undefined;
  /** The place for sets of the whole node. */
  readonly sets: Pick<HostSetsPorts, 'place' | 'platform'>;
}

const MOVED_WITHOUT: ReadonlySet<number> = new Set([TABLES.audit_outbox.no, TABLES.audit_settled.no]);

function knownBy(product: ProductDefinition): Reports['product'] {
  return { name: product.name, checksum: productChecksum(product), before: checksumOfBefore(product) };
}

export class HostCopies {
  readonly #ports: HostCopiesPorts;
  readonly #work: LongWork;
  readonly #sets: HostSets;

  constructor(ports: HostCopiesPorts) {
    this.#ports = ports;
    const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
    this.#work = new LongWork({ turns: () => ports.pulse.turns, now: () => performance.now(), pause });
    this.#sets = new HostSets({
      ...ports,
      ...ports.sets,
      productOf: async ({ no, localdir }) => {
        if (localdir === null) return { name: '', checksum: '' };
        const { name, checksum } = knownBy(await ports.served(no));
        return { name, checksum };
      },
      revisionIn: findRevision,
      onlyBlob,
    });
  }

  /** Starts a job; gives its number. */
  begin(job: Job): number {
    return this.#work.begin((pace) => this.#run(job, pace));
  }

  look(id: number): Promise<Step> {
    return this.#work.look(id);
  }

  stop(): Promise<void> {
    return this.#work.stop();
  }

  async #run(job: Job, pace: Pace): Promise<unknown> {
    switch (job.kind) {
      case 'backup':
        return this.#backup(job, pace);
      case 'verify':
        return verifyBackup(job.path, pace);
      case 'product':
        return knownBy(this.#ports.product(job.localdir));
      case 'restore':
        return this.#restore(job, pace);
      case 'erase':
        return this.#erase(job, pace);
      case 'export':
        return this.#export(job, pace);
      case 'repair':
        return this.#repair(job, pace);
      case 'admit':
        this.#ports.archive.admit(job.shard, job.no);
        return null;
      case 'shard.copy':
        return copyShard(job, { archive: this.#ports.archive, platform: this.#ports.sets.platform }, pace);
      case 'shard.history':
        return publishShard(job, this.#ports.sets.platform, pace);
      default:
        return this.#sets.run(job, pace);
    }
  }

  async #backup(job: BackupJob, pace: Pace): Promise<BackupReport> {
    const { archive } = this.#ports;
    const { path, shard, no, moving } = job;
    const { name, checksum } = knownBy(await this.#ports.served(no));
    const product = { name, checksum };
    if (moving) {
      await this.#awaitEvents(no, pace);
      archive.retire(shard, no);
    }
    const writer = await FrameWriter.create(path);
    const store = archive.store(shard, no);
    const blobs = this.#ports.blobs.of(no);
    const stores = this.#ports.blobs.contentStores(ownerOf(no, job.header.tenant), !moving);
    const snapshot = store.snapshot(limits.backup.snapshotMsMax);
    const revision = moving ? undefined : findRevision(snapshot);
    if (revision !== undefined) stores.set(REVISION, onlyBlob(this.#ports.revisions, revision));
    const releases = [blobs, ...stores.values()].map((kept) => kept.hold());
    try {
      // The backup is on the disk before it is reported.
      await new Promise<void>((resolve) => store.whenDurable(snapshot.newest, resolve));
      const header = { ...job.header, product, journal: snapshot.newest };
      const without = moving ? MOVED_WITHOUT : OF_NODE;
      const totals = await takeBackup({ reader: snapshot, blobs, stores, header, writer, pace, without });
      const digest = await writer.seal();
      const { bytes, partial } = writer;
      snapshot.close();
      const again = await verifyBackup(partial, pace);
      if (again.digest !== digest) throw new Error(`${path}: what was written cannot be read back`);
      await writer.publish(job.over);
      return { ...totals, bytes, digest };
    } catch (error) {
      await writer.drop();
      throw error;
    } finally {
      snapshot.close();
      for (const release of releases) release();
    }
  }

  /** Files of an earlier attempt are deleted first. */
  async #restore(job: RestoreJob, pace: Pace): Promise<unknown> {
    const { archive, blobs } = this.#ports;
    const { path, digest, shard, no, tenant } = job;
    const store = archive.store(shard, no);
    this.#ports.forget(no);
    await eraseStore(store, pace);
    await this.#eraseFiles(job);
    const owner = ownerOf(no, tenant);
    return writeBack(
      path,
      digest,
      store,
      (name) => {
        if (name === REVISION) return this.#ports.revisions;
        return name === undefined ? blobs.of(no) : blobs.content(owner, name);
      },
      pace,
    );
  }

  async #eraseFiles({ no, tenant, moving }: RestoreJob | EraseJob): Promise<void> {
    const { blobs } = this.#ports;
    await blobs.of(no).erase();
    for (const store of blobs.contentStores(ownerOf(no, tenant), !moving).values()) await store.erase();
  }

  async #erase(job: EraseJob, pace: Pace): Promise<{ entries: number }> {
    const { shard, no } = job;
    if (!job.moving) await this.#awaitEvents(no, pace);
    const store = this.#ports.archive.retire(shard, no);
    this.#ports.forget(no);
    const entries = await eraseStore(store, pace);
    await this.#eraseFiles(job);
    return { entries };
  }

  /** Events belong to the audit log, which outlives the tenant. */
  async #awaitEvents(no: number, pace: Pace): Promise<void> {
    const events = this.#ports.events(no);
    if (events === undefined) return;
    events.resume();
    const until = performance.now() + limits.backup.eventsWaitMs;
    while (events.depth > 0) {
      if (performance.now() > until)
        throw new Error(
          `the audit log has not accepted ${events.depth} events of the tenant yet: mend the audit service, then try again`,
        );
      await pace.wait(limits.backup.waitMs);
    }
  }

  async #repair(job: RepairJob, pace: Pace): Promise<Reports['repair']> {
    const ports = this.#ports;
    const atRest = ports.archive.atRest(job.shard);
    const report = await repairTenant(job, atRest, () => ports.activation(job.no), pace);
    ports.repaired(job.shard);
    return report;
  }

  async #export(job: ExportJob, pace: Pace): Promise<unknown> {
    const activation = await this.#ports.activation(job.no);
    const blobs = this.#ports.blobs.of(job.no);
    const stores = this.#ports.blobs.contentStores(ownerOf(job.no, job.tenant), true);
    const releases = [blobs, ...stores.values()].map((kept) => kept.hold());
    const snapshot = activation.store.snapshot(limits.backup.snapshotMsMax);
    try {
      return await exportTenant(job, { activation, snapshot, blobs, stores, pace });
    } finally {
      snapshot.close();
      for (const release of releases) release();
    }
  }
}
