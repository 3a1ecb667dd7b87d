/**
 * The record of a secret: its own key and the states of its versions. States (docs/contract/vault.md §4.3): a write makes a new `active` version
 * and the previous one `inactive`; three stay readable, and a further write destroys the oldest; a delete makes readable versions `deleted`, and a
 * later write that pushes a version out of the window makes it `destroyed`.
 */
import { limits } from '#config/limits.ts';
import { EnvelopeBroken } from '../seal/envelope.ts';

export type VersionState = 'active' | 'inactive' | 'deleted' | 'destroyed';

export interface VersionRow {
  readonly version: number;
  readonly state: VersionState;
  readonly created_at: string;
  readonly created_by: string;
  readonly deleted_at?: string;
}

export interface SecretRecord {
  readonly created_at: string;
  readonly updated_at: string;
  /** The number of the newest version; it never decreases. */
  readonly latest: number;
  /** Oldest first. */
  readonly versions: readonly VersionRow[];
}

const KEY_BYTES = limits.vault.rootKeyBytes;

/** Key and record as the bytes to seal. */
export function encodeRecord(key: Buffer, record: SecretRecord): Buffer {
  return Buffer.concat([key, Buffer.from(JSON.stringify(record))]);
}

/** `key` is a view into the given bytes: zero them when it is no longer needed. */
export function decodeRecord(bytes: Buffer): { readonly key: Buffer; readonly record: SecretRecord } {
  try {
    const record = JSON.parse(bytes.toString('utf8', KEY_BYTES)) as SecretRecord;
    return { key: bytes.subarray(0, KEY_BYTES), record };
  } catch {
    throw new EnvelopeBroken('the record of the secret cannot be read');
  }
}

export interface Changed {
  readonly record: SecretRecord;
  /** Versions whose values are removed. */
  readonly destroyed: readonly number[];
}

/** A new version. */
export function withNewVersion(before: SecretRecord | null, at: string, by: string): Changed {
  const version = (before?.latest ?? 0) + 1;
  const destroyed: number[] = [];
  const older = (before?.versions ?? []).map((row): VersionRow => {
    if (row.version <= version - limits.vault.readableVersionsMax && row.state !== 'destroyed') {
      destroyed.push(row.version);
      return { ...row, state: 'destroyed', deleted_at: row.deleted_at ?? at };
    }
    return row.state === 'active' ? { ...row, state: 'inactive' } : row;
  });
  const rows: VersionRow[] = [...older, { version, state: 'active', created_at: at, created_by: by }];
  const versions = rows.slice(-limits.vault.versionRowsMax);
  return { record: { created_at: before?.created_at ?? at, updated_at: at, latest: version, versions }, destroyed };
}

/** Deletes or destroys readable versions: all, or the named one. Null when there is none. */
export function withoutVersions(
  before: SecretRecord,
  at: string,
  wish: { readonly destroy: boolean; readonly version: number | null },
): Changed | null {
  const destroyed: number[] = [];
  const state: VersionState = wish.destroy ? 'destroyed' : 'deleted';
  let touched = false;
  const versions = before.versions.map((row): VersionRow => {
    if (wish.version !== null && row.version !== wish.version) return row;
    if (row.state === 'destroyed' || (!wish.destroy && row.state === 'deleted')) return row;
    touched = true;
    if (wish.destroy) destroyed.push(row.version);
    return { ...row, state, deleted_at: at };
  });
  return touched ? { record: { ...before, updated_at: at, versions }, destroyed } : null;
}

/** The row that a read gives: the newest version, which must be active, or the named one while it is readable. */
export function readableRow({ latest, versions }: SecretRecord, version: number | null): VersionRow | null {
  const row = versions.find((one) => one.version === (version ?? latest));
  return row !== undefined && (row.state === 'active' || row.state === 'inactive') ? row : null;
}
