/**
 * Backups of the whole node, on main: the order of steps, the schedule, what is told of them. The hosts do the work.
 *
 *   events settle ─▶ audit logs ─▶ vault ─▶ intake ─▶ tenants ─▶ control plane ─▶ manifest (the set is there) ─▶ retention
 *
 * The control plane comes last, and with it the registry: where tenants were made, moved or deleted meanwhile, what has changed is taken again.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasBackups, hasJournalCopy } from '#config/resolve-backups.ts';
import { limits } from '#config/limits.ts';
import { durationMs } from '#config/values/duration.ts';
import { FORMAT } from '#storage/backup/format.ts';
import { setIdOf } from '#storage/backup-set/place.ts';
import { SET_FORMAT, type SetTenant } from '#storage/backup-set/manifest.ts';
import { RECORD_VERSIONS } from '#storage/catalogue.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { BackupPlan as ShownPlan } from '#actors/protocol/node-view.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { CONTROL_ENTRY } from '#runtime/control-plane.ts';
import type { MetricFamily } from '#runtime/observe/exposition.ts';
import type { Told } from '#runtime/provision.ts';
import { skepVersion } from '#runtime/version.ts';
import { BackupMeter } from './backup-meter.ts';
import type { NodeBackupsPorts } from './ports.ts';
import { takeNodeParts, type TakenParts } from './parts-of-node.ts';
import { WORK } from './place-of.ts';
import { runJob } from './run-job.ts';
import { Schedule } from './schedule.ts';
import type { SetJob, SetReports, SetSummary, SetTenantJob, TakenTenant } from './set-job.ts';
import { SetProofs, type VerifyReport, type VerifyWish } from './set-proofs.ts';

export interface BackupReport {
  readonly set: string;
  readonly tenants: number;
  readonly files: number;
  readonly bytes: number;
  readonly new_bytes: number;
  readonly seconds: number;
  readonly removed_sets: number;
  readonly removed_parts: number;
  readonly [more: string]: unknown;
}

export interface BackupStatus {
  readonly backups: 'on' | 'off';
  readonly [more: string]: unknown;
}

const ignore: Told = () => undefined;
/** The name under which trouble is listed. */
const TROUBLE = 'backups';
const RETIRE_TROUBLE = 'backups keep';

export class NodeBackups {
  readonly #ports: NodeBackupsPorts;
  readonly #meter: BackupMeter;
  #schedule: Schedule | null = null;
  #timer: NodeJS.Timeout | undefined;
  readonly #proofs: SetProofs;
  #running: { readonly since: number; readonly end: Promise<unknown> } | null = null;
  #skipped = false;
  /** When parts that no set names were removed last, in milliseconds. */
  #sweptMs = 0;
  #stopped = false;

  constructor(ports: NodeBackupsPorts) {
    this.#ports = ports;
    const { backups } = ports.platform();
    this.#meter = new BackupMeter(hasBackups(ports.platform()) ? durationMs(backups.every) : 0);
    this.#proofs = new SetProofs({ ...ports, meter: this.#meter, list: () => this.list() });
  }

  /** Begins the schedule, where the platform file names a place. */
  async start(): Promise<void> {
    const { clock, platform } = this.#ports;
    if (!hasBackups(platform())) return;
    const everyMs = durationMs(platform().backups.every);
    const first = clock.now() + limits.backup.firstAfterMs;
    await rm(join(platform().storage.dir, WORK), { recursive: true, force: true });
    const newest = await this.#newest().catch((error: unknown) => {
      this.#failed(error as Error);
      return undefined;
    });
    if (this.#stopped) return;
    if (newest !== undefined) this.#meter.found(Date.parse(newest.ended_at), newest.bytes);
    const last = newest === undefined ? null : Date.parse(newest.moment);
    this.#schedule = new Schedule(everyMs, limits.backup.retryMs, last, first);
    this.#proofs.start(first);
    this.#timer = setInterval(() => this.#tick(), limits.backup.tickMs).unref();
  }

  /** Begins nothing more; resolves when what runs has been given up. The hosts give up their jobs when they drain. */
  stop(): void {
    this.#stopped = true;
    this.#proofs.stop();
    clearInterval(this.#timer);
  }

  families(): MetricFamily[] {
    return [...this.#meter.families(), ...this.#ports.copy.families()];
  }

  #tick(): void {
    const step = this.#schedule!.step(this.#ports.clock.now());
    if (step === 'begin') void this.now().catch(() => undefined); // it was logged
    if (step === 'skip' && !this.#skipped)
      this.#ports.log.warn(
        { since: timestamp(this.#running?.since ?? 0) },
        'a backup of the node is due, and the one before still runs: this one is skipped. Let backups.every be longer, or the place be faster',
      );
    if (step !== 'wait') this.#skipped = step === 'skip';
    if (this.#running === null) this.#proofs.tick();
  }

  /** Makes a set of the whole node, and gives what it holds. One at a time. */
  async now(told: Told = ignore): Promise<BackupReport> {
    if (!hasBackups(this.#ports.platform()))
      throw new Error(
        'the platform file names no place for backups\n    add for example backups: { to: /mnt/backups/node-1 }',
      );
    if (this.#running !== null)
      throw new Error(
        `a backup runs since ${timestamp(this.#running.since)}: wait for its end (skep backup status shows it)`,
      );
    const since = this.#ports.clock.now();
    this.#schedule?.began();
    const made = this.#make(since, told);
    this.#running = { since, end: made };
    try {
      const report = await made;
      this.#succeeded(report, since);
      return report;
    } catch (error) {
      this.#failed(error as Error);
      throw error;
    } finally {
      this.#running = null;
    }
  }

  async #make(since: number, told: Told): Promise<BackupReport> {
    const platform = this.#ports.platform();
    const moment = timestamp(since);
    told('settling');
    await this.#settle();
    const taken: TakenParts = { trees: [], leftOut: [], newBytes: 0 };
    told('node');
    await takeNodeParts(
      {
        platform,
        channel: this.#ports.channel,
        tree: async (wish) => this.#run(CONTROL_ENTRY, { kind: 'set.tree', ...wish }, told),
      },
      taken,
    );
    const tenants = await this.#tenants(taken, told);
    const sum = (of: (tenant: SetTenant) => number): number => tenants.reduce((all, one) => all + of(one), 0);
    const bytes =
      sum(({ rows, file_bytes }) => rows.bytes + file_bytes) + taken.trees.reduce((all, one) => all + one.bytes, 0);
    const id = setIdOf(since);
    const manifest = {
      format: SET_FORMAT,
      id,
      skep: skepVersion(),
      node: platform.audit.name,
      moment,
      ended_at: timestamp(this.#ports.clock.now()),
      shards: this.#ports.hosts.shardCount,
      tenants,
      trees: taken.trees,
      left_out: taken.leftOut,
      bytes,
      new_bytes: taken.newBytes,
    };
    await this.#run(CONTROL_ENTRY, { kind: 'set.publish', manifest });
    told('retention');
    const retired = await this.#retire(told);
    const files = sum((tenant) => tenant.files) + taken.trees.reduce((all, one) => all + one.files, 0);
    const missing = sum((tenant) => tenant.missing_files ?? 0);
    return {
      set: id,
      tenants: tenants.length,
      files,
      ...(missing > 0 && { missing_files: missing }),
      ...(taken.leftOut.length > 0 && { left_out: taken.leftOut.join('; ') }),
      bytes,
      new_bytes: taken.newBytes,
      seconds: (this.#ports.clock.now() - since) / 1000,
      removed_sets: retired.sets,
      removed_parts: retired.parts,
    };
  }

  /** The set is there already: what fails here costs room and no set. */
  async #retire(told: Told): Promise<{ readonly sets: number; readonly parts: number }> {
    const { clock, degraded, log, platform } = this.#ports;
    const now = clock.now();
    const sweepAt = now - this.#sweptMs >= limits.backup.sweepMs ? now : null;
    try {
      const { journal, keep } = platform().backups;
      const chunksBefore = now - durationMs(journal.keep);
      const retired = await this.#run(CONTROL_ENTRY, { kind: 'set.retire', keep, sweepAt, chunksBefore }, told);
      if (sweepAt !== null) this.#sweptMs = sweepAt;
      degraded.clear('backup', RETIRE_TROUBLE);
      return retired;
    } catch (error) {
      const reason = `the node was backed up, and what is kept no longer was not removed: ${(error as Error).message}. The place grows; where it is a damaged set, remove its manifest (sets/<id>.json), and the next backup goes on`;
      log.error({ err: error }, reason);
      degraded.report({ scope: 'backup', name: RETIRE_TROUBLE, reason, lasts: 'cleared' });
      return { sets: 0, parts: 0 };
    }
  }

  /** The audit log has every event that was committed before the moment of the set. */
  async #settle(): Promise<void> {
    if (!this.#ports.platform().audit.enabled) return;
    const byShard = Map.groupBy(this.#held(), ({ shard }) => shard);
    await Promise.all(
      [...byShard].map(([shard, entries]) =>
        this.#run({ shard, no: entries[0]!.no }, { kind: 'set.settle', tenants: entries.map(({ no }) => no) }),
      ),
    );
  }

  async #tenants(taken: TakenParts, told: Told): Promise<SetTenant[]> {
    const done = new Map<string, SetTenant>();
    for (let round = 0; round < limits.backup.roundsMax; round++) {
      const wanted = this.#held();
      const before = placesOf(wanted);
      for (const entry of wanted) {
        const isControl = entry.no === CONTROL_ENTRY.no;
        if (isControl || done.has(placeKey(entry))) continue;
        told(entry.position.key);
        done.set(placeKey(entry), this.#count(await this.#tenant(entry, told), taken));
      }
      const control = this.#count(await this.#tenant(CONTROL_ENTRY, told), taken);
      if (placesOf(this.#held()) !== before) continue;
      const keys = wanted.filter(({ no }) => no !== CONTROL_ENTRY.no).map(placeKey);
      return [control, ...keys.map((key) => done.get(key)!)];
    }
    throw new Error('tenants were made, moved or deleted all the while: the backup is tried again');
  }

  #count({ tenant, newBytes }: TakenTenant, taken: TakenParts): SetTenant {
    taken.newBytes += newBytes;
    return tenant;
  }

  /** Tenants with data that a set takes: a restore or deletion under way is finished by the operator or the next start. */
  #held(): TenantEntry[] {
    return this.#ports.directory.all().filter(({ state }) => state !== 'restoring' && state !== 'deleting');
  }

  #tenant({ no, shard, position, state, localdir }: TenantEntry, told: Told): Promise<TakenTenant> {
    const madeAt = timestamp(this.#ports.clock.now());
    const header = { format: FORMAT, tenant: position.key, state, skep: skepVersion(), records: RECORD_VERSIONS };
    const job: SetTenantJob = { kind: 'set.tenant', no, shard, localdir, header, madeAt };
    return this.#run({ no, shard }, job, told);
  }

  /** The sets in the place, newest first. */
  async list(): Promise<readonly SetSummary[]> {
    return (await this.#run(CONTROL_ENTRY, { kind: 'set.list' })).toReversed();
  }

  async #newest(): Promise<SetSummary | undefined> {
    return (await this.list()).find(({ fault }) => fault === undefined);
  }

  /** How backups are made, for operators who look from elsewhere; null where none are. The place is named without what opens it. */
  get plan(): ShownPlan | null {
    const { every, encrypt, s3, to, verify } = this.#ports.platform().backups;
    if (!hasBackups(this.#ports.platform())) return null;
    const { failed = null, failed_at: failedAt = null } = this.#meter.trouble();
    return {
      to: to ?? `${s3!.url}/${s3!.bucket}/${s3!.prefix}`,
      every_seconds: durationMs(every) / 1000,
      verify_every_seconds: verify === 'off' ? null : durationMs(verify) / 1000,
      encrypted: encrypt.recipients.length > 0,
      running_since: this.#running === null ? null : timestamp(this.#running.since),
      next: this.#schedule === null ? null : timestamp(this.#schedule.due),
      failed,
      failed_at: failedAt,
    };
  }

  async status(): Promise<BackupStatus> {
    const platform = this.#ports.platform();
    if (!hasBackups(platform)) return { backups: 'off' };
    const { every, encrypt, s3, to } = platform.backups;
    const sets = await this.list();
    const newest = sets.find(({ fault }) => fault === undefined);
    return {
      backups: 'on',
      to: to ?? `${s3!.url}/${s3!.bucket}/${s3!.prefix}`,
      every,
      encrypted: encrypt.recipients.length > 0,
      sets: sets.length,
      newest: newest?.id ?? 'none',
      ...(newest !== undefined && { newest_bytes: newest.bytes }),
      running: this.#running === null ? 'no' : `since ${timestamp(this.#running.since)}`,
      ...(this.#schedule !== null && { next: timestamp(this.#schedule.due) }),
      ...this.#meter.trouble(),
      ...(hasJournalCopy(platform) && this.#ports.copy.status()),
    };
  }

  verify(wish: VerifyWish, told: Told = ignore): Promise<VerifyReport> {
    return this.#proofs.verify(wish, told);
  }

  #succeeded(report: BackupReport, since: number): void {
    const { clock, copy, degraded, log, told } = this.#ports;
    this.#schedule?.ended(true, clock.now());
    this.#meter.succeeded(clock.now(), report.bytes, clock.now() - since);
    degraded.clear('backup', TROUBLE);
    copy.setMade(since);
    log.info(report, 'the node was backed up');
    told('platform.backup', report.set, { bytes: report.bytes, new_bytes: report.new_bytes, tenants: report.tenants });
  }

  #failed(error: Error): void {
    const { clock, degraded, log } = this.#ports;
    this.#schedule?.ended(false, clock.now());
    this.#meter.failed(error.message, timestamp(clock.now()));
    if (this.#stopped) return;
    const reason = `the node was not backed up: ${error.message}. Sets made before are as they were; it is tried again in ${limits.backup.retryMs / 60_000} minutes (or: skep backup now)`;
    log.error({ err: error }, reason);
    degraded.report({ scope: 'backup', name: TROUBLE, reason, lasts: 'cleared' });
  }

  #run<J extends SetJob>(place: { readonly shard: number; readonly no: number }, job: J, told: Told = ignore) {
    return runJob(this.#ports.hosts, place, job, told) as Promise<SetReports[J['kind']]>;
  }
}

const placeKey = ({ no, position, shard, state }: TenantEntry): string => `${no} ${shard} ${state} ${position.key}`;

const placesOf = (entries: readonly TenantEntry[]): string => entries.map(placeKey).toSorted().join('\n');
