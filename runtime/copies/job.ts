/** What main asks of a tenant's host when it copies or sweeps a tenant: a job is begun, then looked at until it has ended. */
import type { BackupHeader, BackupTotals } from '#storage/backup/format.ts';
import type { MendReport } from '#actors/data/integrity/mend/store.ts';

export interface Place {
  readonly shard: number;
  readonly no: number;
}

/** A tenant into a file. */
export interface BackupJob extends Place {
  readonly kind: 'backup';
  readonly path: string;
  readonly over: boolean;
  readonly localdir: string | null;
  readonly header: Omit<BackupHeader, 'product' | 'journal'>;
  /** The tenant goes elsewhere on this node: nobody writes any more, and what waits to leave goes along. */
  readonly moving: boolean;
}

/** A file read to its end. */
export interface VerifyJob {
  readonly kind: 'verify';
  readonly path: string;
}

/** What the product of a checkout is known by. */
export interface ProductJob {
  readonly kind: 'product';
  readonly localdir: string | null;
}

/** A verified file into a place where nobody is. */
export interface RestoreJob extends Place {
  readonly kind: 'restore';
  readonly tenant: string;
  /** What lies by the tenant's key stays where it is. */
  readonly moving: boolean;
  readonly path: string;
  readonly digest: string;
}

/** Unless it moves, not before the audit log has taken the tenant's events. */
export interface EraseJob extends Place {
  readonly kind: 'erase';
  readonly tenant: string;
  readonly moving: boolean;
}

/** A move that came to nothing: the tenant may write again. */
export interface AdmitJob extends Place {
  readonly kind: 'admit';
}

/** A tenant's rows and files as people read them. */
export interface ExportJob extends Place {
  readonly kind: 'export';
  readonly path: string;
  readonly tenant: string;
  readonly madeAt: string;
}

/** Indexes, counts and file uses of a tenant that is served, made anew where they do not fit its rows. */
export interface RepairJob extends Place {
  readonly kind: 'repair';
  /** Takes out rows that cannot be read; their bytes are kept. */
  readonly dropRows: boolean;
}

export type Job = BackupJob | VerifyJob | ProductJob | RestoreJob | EraseJob | AdmitJob | ExportJob | RepairJob;

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
  /** Of rows; those of content stores. */
  readonly files: number;
  readonly assets: number;
}

export interface Reports {
  readonly backup: BackupReport;
  readonly verify: VerifyReport;
  /** `before`: the checksum that backups of an earlier Skep name it by. */
  readonly product: BackupHeader['product'] & { readonly before: string };
  readonly restore: BackupTotals;
  readonly erase: { readonly entries: number };
  readonly admit: null;
  readonly export: ExportReport;
  readonly repair: MendReport;
}

/** Whether a job has ended, how many entries it has done until now, and its report when it has. */
export type Step =
  | { readonly ended: false; readonly done: number }
  | { readonly ended: true; readonly report: unknown };
