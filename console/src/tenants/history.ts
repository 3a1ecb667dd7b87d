/** What the log of the node says of a tenant: docs/contract/audit.md §2.3. Pure. */
import type { AuditRecord } from '../audit/shapes.ts';

/** Where acts of the people who run the node are on record. */
export const NODE_LOG = 'node/platform';

const SHOWN: readonly string[] = ['reason', 'bytes', 'from', 'from_shard', 'to_shard', 'rows', 'left', 'entries'];

/** What a record says beside its name, member by member. */
export const detailsOf = ({ data = {} }: AuditRecord): readonly (readonly [string, string | number])[] =>
  SHOWN.flatMap((name) => {
    const value = data[name];
    return typeof value === 'string' || typeof value === 'number' ? [[name, value] as const] : [];
  });

export interface Backup {
  readonly seq: number;
  readonly at: string;
  /** The id of a set of the whole node; null for a file of this tenant. */
  readonly set: string | null;
  readonly bytes: number | null;
  /** Of the file; null for a set. */
  readonly sha256: string | null;
}

/** The backups that hold this tenant, in the order of the records: files of its own, and sets of the whole node. */
export const backupsOf = (records: readonly AuditRecord[], key: string): readonly Backup[] =>
  records.flatMap(({ action, target, seq, ts, outcome, data = {} }) => {
    const isOwn = action === 'platform.tenant.backup' && target === key;
    if (outcome !== 'ok' || !(isOwn || action === 'platform.backup')) return [];
    const { bytes, sha256 } = data;
    return [
      {
        seq,
        at: ts,
        set: isOwn ? null : target,
        bytes: typeof bytes === 'number' ? bytes : null,
        sha256: typeof sha256 === 'string' ? sha256 : null,
      },
    ];
  });

/** When and why the tenant stands as it does; null where no record that was read says so. `records`: newest first. */
export function standingSince(
  records: readonly AuditRecord[],
): { readonly at: string; readonly reason: string } | null {
  const found = records.find(({ action }) => /^platform\.tenant\.(?:suspend|read_only|resume)$/.test(action));
  if (found === undefined) return null;
  const reason = found.data?.['reason'];
  return { at: found.ts, reason: typeof reason === 'string' ? reason : '' };
}
