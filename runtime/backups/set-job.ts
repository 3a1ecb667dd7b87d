/** What main has hosts do for a set of the whole node. Part lists stay on the hosts and in the place: main sees sums. */
import type { BackupHeader } from '#storage/backup/format.ts';
import type { SetManifest, SetTenant, SetTree } from '#storage/backup-set/manifest.ts';
import type { Keep } from '#storage/backup-set/retention.ts';

/** Which files of a tree are taken: all; of audit logs first what says how far they are, then the rest, which may be further. */
export type Pick = 'all' | 'log-heads' | 'log-records';

export interface TreeWish {
  readonly as: string;
  readonly from: string;
  /** The directory that is read; `from` unless a copy was made. */
  readonly root: string;
  readonly pick: Pick;
}

/** Waits until the audit log has the events of these tenants that were committed before it began. */
export interface SetSettleJob {
  readonly kind: 'set.settle';
  readonly tenants: readonly number[];
}

export interface SetTenantJob {
  readonly kind: 'set.tenant';
  readonly shard: number;
  readonly no: number;
  readonly localdir: string | null;
  readonly header: Omit<BackupHeader, 'product' | 'journal' | 'made_at'>;
  readonly madeAt: string;
}

export interface SetTreeJob extends TreeWish {
  readonly kind: 'set.tree';
}

/** Writes the manifest: from then on the set is there. */
export interface SetPublishJob {
  readonly kind: 'set.publish';
  readonly manifest: Omit<SetManifest, 'encryption'>;
}

export interface SetRetireJob {
  readonly kind: 'set.retire';
  readonly keep: Keep;
  /** Whether parts that no set names are removed; the time of the node, in milliseconds. */
  readonly sweepAt: number | null;
  /** Chunks of the journal's copy are kept from the first set after this instant on, in milliseconds. */
  readonly chunksBefore: number;
}

export interface SetListJob {
  readonly kind: 'set.list';
}

/** Reads every part of a set, as far as it can be read without an identity. */
export interface SetVerifyJob {
  readonly kind: 'set.verify';
  readonly id: string;
  readonly identity: string | null;
}

export type SetJob =
  | SetSettleJob
  | SetTenantJob
  | SetTreeJob
  | SetPublishJob
  | SetRetireJob
  | SetListJob
  | SetVerifyJob;

export interface TakenTenant {
  readonly tenant: SetTenant;
  readonly newBytes: number;
}

export interface TakenTreeReport {
  readonly tree: SetTree;
  readonly newBytes: number;
}

/** A set as `skep backup list` shows it. `fault`: its manifest cannot be read. */
export interface SetSummary {
  readonly id: string;
  readonly moment: string;
  readonly ended_at: string;
  readonly tenants: number;
  readonly bytes: number;
  readonly new_bytes: number;
  readonly encrypted: boolean;
  readonly fault?: string;
}

export interface VerifiedSet {
  readonly id: string;
  readonly parts: number;
  readonly bytes: number;
  /** Parts whose bytes were compared; encrypted ones need an identity, and without it only their lengths are known. */
  readonly read: number;
}

export interface SetReports {
  readonly 'set.settle': null;
  readonly 'set.tenant': TakenTenant;
  readonly 'set.tree': TakenTreeReport;
  readonly 'set.publish': null;
  readonly 'set.retire': { readonly sets: number; readonly parts: number };
  readonly 'set.list': readonly SetSummary[];
  readonly 'set.verify': VerifiedSet;
}
