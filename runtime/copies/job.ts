/** Jobs that main sends to a tenant's host to copy or sweep a tenant. Main starts a job, then asks until it has ended. */
import type { SetJob, SetReports } from '#runtime/backups/set-job.ts';
import type { ShardCopyJob } from '#runtime/cluster/copy-job.ts';
import type { ShardHistoryJob } from '#runtime/cluster/history-job.ts';
import type { BackupHeader, BackupTotals } from '#storage/backup/format.ts';
import type { Published } from '#storage/log-history/publish.ts';
import type { MadeCopy } from '#storage/shard-copy/take-copy.ts';
import type { MendReport } from '#actors/data/integrity/mend/store.ts';

export interface Place {
  readonly shard: number;
  readonly no: number;
}

/** Backs up a tenant into a file. */
export interface BackupJob extends Place {
  readonly kind: 'backup';
  readonly path: string;
  readonly over: boolean;
  readonly localdir: string | null;
  readonly header: Omit<BackupHeader, 'product' | 'journal'>;
  /** The tenant moves to another shard of this node: no more writes are accepted, and its outboxes go along. */
  readonly moving: boolean;
}

/** Reads a file to its end and verifies it. */
export interface VerifyJob {
  readonly kind: 'verify';
  readonly path: string;
}

/** The identity of a checkout's product. */
export interface ProductJob {
  readonly kind: 'product';
  readonly localdir: string | null;
}

/** Restores a verified file into an unused place. */
export interface RestoreJob extends Place {
  readonly kind: 'restore';
  readonly tenant: string;
  /** Files under the tenant's key stay where they are. */
  readonly moving: boolean;
  readonly path: string;
  readonly digest: string;
}

/** Unless the tenant moves, the audit log must first have accepted its events. */
export interface EraseJob extends Place {
  readonly kind: 'erase';
  readonly tenant: string;
  readonly moving: boolean;
}

/** A move was given up: the tenant may write again. */
export interface AdmitJob extends Place {
  readonly kind: 'admit';
}

/** Exports a tenant's rows and files in a readable form. */
export interface ExportJob extends Place {
  readonly kind: 'export';
  readonly path: string;
  readonly tenant: string;
  readonly madeAt: string;
}

/** Rebuilds indexes, counts and file uses of a served tenant where they do not match its rows. */
export interface RepairJob extends Place {
  readonly kind: 'repair';
  /** Removes unreadable rows; their bytes are kept. */
  readonly dropRows: boolean;
}

export type Job =
  | BackupJob
  | VerifyJob
  | ProductJob
  | RestoreJob
  | EraseJob
  | AdmitJob
  | ExportJob
  | RepairJob
  | SetJob
  | ShardCopyJob
  | ShardHistoryJob;

export interface BackupReport extends BackupTotals {
  readonly bytes: number;
  readonly digest: string;
}

export interface VerifyReport {
  readonly header: BackupHeader;
  readonly totals: BackupTotals;
  readonly digest: string;
}

export interface ExportReport {
  readonly entities: number;
  readonly rows: number;
  /** What rows were before. */
  readonly versions: number;
  readonly users: number;
  /** Files of rows; those of content stores. */
  readonly files: number;
  readonly assets: number;
}

export interface Reports extends SetReports {
  readonly backup: BackupReport;
  readonly verify: VerifyReport;
  /** `before`: the checksum under which backups of an earlier Skep know the product. */
  readonly product: BackupHeader['product'] & { readonly before: string };
  readonly restore: BackupTotals;
  readonly erase: { readonly entries: number };
  readonly admit: null;
  readonly export: ExportReport;
  readonly repair: MendReport;
  readonly 'shard.copy': MadeCopy | null;
  readonly 'shard.history': Published;
}

/** Whether a job has ended, the number of entries so far, and its report at the end. */
export type Step =
  | { readonly ended: false; readonly done: number }
  | { readonly ended: true; readonly report: unknown };
