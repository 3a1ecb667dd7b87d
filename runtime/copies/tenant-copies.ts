/** Backup, restore, export, move and deletion of tenants. Main records each step in the control plane before the tenant's host does it. */
import { randomUUID } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { FORMAT, type BackupHeader } from '#storage/backup/format.ts';
import { RECORD_VERSIONS } from '#storage/catalogue.ts';
import { makeDirectory } from '#storage/directory.ts';
import type { Log } from '#actors/host/activation.ts';
import type { Move, Unfinished } from '#actors/identity/tenant-life.ts';
import { timestamp, type Clock } from '#actors/kit/clock.ts';
import { heldState } from '#actors/protocol/held-state.ts';
import type { TenantEntry, TenantState } from '#actors/protocol/topics.ts';
import { runJob } from '#runtime/backups/run-job.ts';
import { CONTROL_ENTRY } from '#runtime/control-plane.ts';
import type { Directory } from '#runtime/door/directory.ts';
import type { Told } from '#runtime/provision.ts';
import type { TenantHostRoom } from '#runtime/rooms/tenant-host-room.ts';
import type { Tenants } from '#runtime/tenants.ts';
import { skepVersion } from '#runtime/version.ts';
import type { BackupReport, ExportReport, Job, Place, Reports, VerifyReport } from './job.ts';

export interface TenantCopiesPorts {
  readonly tenants: Pick<Tenants, 'checkoutOf' | 'control' | 'inTurn' | 'share'>;
  readonly hosts: Pick<TenantHostRoom, 'beginJob' | 'lookAtJob' | 'shardCount'>;
  readonly directory: Pick<Directory, 'get'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly dataDir: string;
  /** Makes the courier forget the parcels of deleted tenants; resolves when none of them can be sent any more. */
  recall(): Promise<unknown>;
  /** Reports operations on tenants, for the node's audit log. */
  readonly told: (action: string, key: string, data: Readonly<Record<string, unknown>>) => void;
}

export interface BackupWish {
  readonly tenant: string;
  /** Absolute. */
  readonly to: string;
  /** Overwrites an existing file. */
  readonly over?: boolean;
}

export interface RestoreWish {
  readonly from: string;
  /** Another name for the tenant. */
  readonly as?: string;
  /** The definitions may differ from those of the backup; `tenant provision` then brings the store up to date. */
  readonly otherDefinitions?: boolean;
}

/** The report of a copy to the operator. */
export interface CopyReport {
  readonly tenant: string;
  readonly [name: string]: unknown;
}

const ignore: Told = () => undefined;

export class TenantCopies {
  readonly #ports: TenantCopiesPorts;

  constructor(ports: TenantCopiesPorts) {
    this.#ports = ports;
  }

  /** Backs up a tenant into a file while it serves. */
  async backup({ tenant, to, over = false }: BackupWish, told: Told = ignore): Promise<CopyReport> {
    const entry = this.#found(tenant);
    if (!over && existsSync(to)) throw new Error(`${to} is there already: name another file, or add --overwrite`);
    told('copying');
    const report = await this.#run(entry, this.#backupJob(entry, to, { over, moving: false }), told);
    this.#ports.told('platform.tenant.backup', tenant, { sha256: report.digest, bytes: report.bytes });
    return { tenant, file: to, ...reported(report) };
  }

  #backupJob(entry: TenantEntry, path: string, how: { over: boolean; moving: boolean }) {
    const { no, shard, position, state, localdir } = entry;
    const made_at = timestamp(this.#ports.clock.now());
    const skep = skepVersion();
    const header = { format: FORMAT, tenant: position.key, state, made_at, skep, records: RECORD_VERSIONS };
    return { kind: 'backup', no, shard, path, localdir, header, ...how } as const;
  }

  /** Restores a tenant from a file, after the whole file was verified. */
  async restore({ from, as, otherDefinitions = false }: RestoreWish, told: Told = ignore): Promise<CopyReport> {
    told('verifying');
    const verified: VerifyReport = await this.#run(CONTROL_ENTRY, { kind: 'verify', path: from }, told);
    const { digest, header } = verified;
    const tenant = as ?? header.tenant;
    const { tenants } = this.#ports;
    return tenants.inTurn(tenant, async () => {
      const localdir = await tenants.checkoutOf(tenant);
      const product = await this.#run(CONTROL_ENTRY, { kind: 'product', localdir });
      checkProduct(from, { header, product }, tenant, otherDefinitions);
      const wish = { key: tenant, localdir, shards: this.#ports.hosts.shardCount };
      const entry = (await tenants.control('restore.begin', wish)) as TenantEntry;
      await tenants.share(tenant);
      told('restoring');
      const { no, shard } = entry;
      const totals = await this.#run(
        entry,
        { kind: 'restore', no, shard, tenant, moving: false, path: from, digest },
        told,
      );
      await tenants.control('restore.end', { key: tenant, state: header.state as TenantState });
      await tenants.share(tenant);
      this.#ports.told('platform.tenant.restore', tenant, { sha256: digest, from: header.tenant });
      return { tenant, state: header.state, made_at: header.made_at, from: header.tenant, ...totals };
    });
  }

  /** Exports a tenant's rows and files in a readable form into a new directory. */
  async export({ tenant, to }: { tenant: string; to: string }, told: Told = ignore): Promise<CopyReport> {
    const { no, shard } = this.#found(tenant);
    const madeAt = timestamp(this.#ports.clock.now());
    told('exporting');
    const job = { kind: 'export', no, shard, path: to, tenant, madeAt } as const;
    const report: ExportReport = await this.#run({ no, shard }, job, told);
    this.#ports.told('platform.tenant.export', tenant, { ...report });
    return { tenant, directory: to, ...report };
  }

  /** Repairs a tenant's entities from its rows while it serves. */
  async repair({ tenant, dropRows }: { tenant: string; dropRows: boolean }, told: Told = ignore): Promise<CopyReport> {
    const { no, shard } = this.#found(tenant);
    told('mending');
    const { mended, left } = await this.#run({ no, shard }, { kind: 'repair', no, shard, dropRows }, told);
    this.#ports.told('platform.tenant.repair', tenant, { mended, left, drop_rows: dropRows });
    return { tenant, ...Object.fromEntries(Object.entries(mended).map(([kind, n]) => [`mended_${kind}`, n])), left };
  }

  /** Deletes a tenant for good. `confirm` repeats its key. */
  async delete({ tenant, confirm }: { tenant: string; confirm: string }, told: Told = ignore): Promise<CopyReport> {
    this.#found(tenant, ['restoring', 'deleting']);
    if (confirm !== tenant) throw new Error(`a deleted tenant is gone for good: repeat its name, --confirm ${tenant}`);
    return this.#ports.tenants.inTurn(tenant, () => this.#delete(tenant, told));
  }

  async #delete(tenant: string, told: Told): Promise<CopyReport> {
    const { tenants } = this.#ports;
    told('closing');
    const { no, shard } = (await tenants.control('delete.begin', { key: tenant })) as TenantEntry;
    await tenants.share(tenant);
    await this.#ports.recall();
    told('deleting');
    const { entries } = await this.#run({ no, shard }, { kind: 'erase', no, shard, tenant, moving: false }, told);
    await tenants.control('delete.end', { key: tenant });
    await tenants.share(tenant);
    this.#ports.told('platform.tenant.delete', tenant, { entries });
    return { tenant, entries };
  }

  /** Moves a tenant to another shard. Meanwhile it answers as an inactive tenant. */
  async move({ tenant, shard }: { tenant: string; shard: number }, told: Told = ignore): Promise<CopyReport> {
    const { shardCount } = this.#ports.hosts;
    if (!Number.isInteger(shard) || shard < 0 || shard >= shardCount)
      throw new Error(`there is no shard ${shard}: this node has shards 0 to ${shardCount - 1}`);
    this.#found(tenant);
    return this.#ports.tenants.inTurn(tenant, () => this.#move(tenant, shard, told));
  }

  async #move(tenant: string, shard: number, told: Told): Promise<CopyReport> {
    const { tenants, dataDir } = this.#ports;
    const { entry, to } = (await tenants.control('move.begin', { key: tenant, shard })) as Move;
    await tenants.share(tenant);
    const path = join(makeDirectory(join(dataDir, 'moving')), `${randomUUID()}.skep`);
    try {
      told('copying');
      const { digest } = await this.#run(entry, this.#backupJob(entry, path, { over: false, moving: true }), told);
      await this.#run(to, { kind: 'restore', ...to, tenant, moving: true, path, digest }, told);
    } catch (error) {
      await this.#undoMove(entry, to);
      throw error;
    } finally {
      rmSync(path, { force: true });
    }
    await tenants.control('move.turn', { key: tenant });
    await tenants.share(tenant);
    told('sweeping');
    await this.#endMove(tenant, entry);
    this.#ports.told('platform.tenant.move', tenant, { from_shard: entry.shard, to_shard: shard });
    return { tenant, shard };
  }

  async #undoMove(entry: TenantEntry, to: Place): Promise<void> {
    const { no, shard } = entry;
    await this.#run(entry, { kind: 'admit', no, shard });
    await this.#endMove(entry.position.key, to);
  }

  /** Sweeps the place that is no longer used. */
  async #endMove(key: string, { no, shard }: Place): Promise<void> {
    await this.#run({ no, shard }, { kind: 'erase', no, shard, tenant: key, moving: true });
    await this.#ports.tenants.control('move.end', { key });
    await this.#ports.tenants.share(key);
  }

  /** Finishes what a crash interrupted: deletions continue, moves without a complete copy are undone. A restore waits for its file. */
  async resume(): Promise<void> {
    const { dataDir, log, tenants } = this.#ports;
    rmSync(join(dataDir, 'moving'), { recursive: true, force: true });
    const left = (await tenants.control('life.unfinished', null)) as Unfinished[];
    for (const one of left) {
      const { key } = one.entry.position;
      try {
        await tenants.inTurn(key, () => this.#finish(one));
        log.info({ tenant: key }, 'an interrupted deletion or move was finished');
      } catch (error) {
        log.error(
          { err: error, tenant: key },
          'an interrupted deletion or move could not be finished: the next start tries again',
        );
      }
    }
  }

  async #finish({ entry, to, was }: Unfinished): Promise<void> {
    const { key } = entry.position;
    if (entry.state === 'deleting') await this.#delete(key, ignore);
    else if (was !== null) await this.#endMove(key, was);
    else if (to !== null) await this.#undoMove(entry, to);
  }

  #found(tenant: string, also: readonly TenantState[] = []): TenantEntry {
    const entry = this.#ports.directory.get(tenant);
    if (entry === undefined) throw new Error(`no tenant ${tenant} in the registry`);
    if (tenant === CONTROL_ENTRY.position.key)
      throw new Error('the control plane is the node itself: it is not copied');
    const held = also.includes(entry.state) ? null : heldState(entry.state);
    if (held !== null) throw new Error(`${tenant} ${held}`);
    return entry;
  }

  /** Runs a job on the host of a place and waits for its end. */
  #run<J extends Job>(place: Place, job: J, told: Told = ignore): Promise<Reports[J['kind']]> {
    return runJob(this.#ports.hosts, place, job, told);
  }
}

function reported({ tables, entries, blobs, missing_blobs, bytes, digest }: BackupReport) {
  const missing = missing_blobs === 0 ? {} : { missing_files: missing_blobs };
  return { tables, entries, files: blobs, ...missing, bytes, sha256: digest };
}

function checkProduct(
  path: string,
  { header, product }: { readonly header: BackupHeader; readonly product: Reports['product'] },
  tenant: string,
  otherDefinitions: boolean,
): void {
  if (header.product.name !== product.name) {
    const what = `is a backup of the product ${header.product.name}; ${tenant} has the product ${product.name}`;
    throw new Error(`${path}: ${what}\n    restore it where that product is served, --as a tenant of it`);
  }
  if (otherDefinitions || [product.checksum, product.before].includes(header.product.checksum)) return;
  const what = `was made with other definitions of ${product.name} than those of ${tenant} here`;
  const mend = 'serve the checkout of that time, or add --other-definitions and run skep tenant provision afterwards';
  throw new Error(`${path}: ${what}\n    ${mend}`);
}
