/** Which rows use which blobs. Every write updates these entries in its turn, so that the sweep knows the blobs that are unused. */
import { TABLES } from '#storage/catalogue.ts';
import type { Bytes, Reader, Turn } from '#storage/port.ts';
import { after, u16 } from '#storage/key.ts';
import type { FileRecord } from '#config/values/file-value.ts';
import type { Slots } from '../rows/codec.ts';

export type { BlobStore } from '#storage/blob/port.ts';

export const NOTHING = new Uint8Array(0);
const DIGEST_BYTES = 32;

/** The fields of an entity that hold files, by their position in the slots. */
interface FileTable {
  readonly table: number;
  readonly files: readonly number[];
  readonly versioned: boolean;
}

/**
 * Replaces the uses of a row's old files by those of its new ones (null: no row). An entity with versions keeps the uses of
 * older versions for as long as the row exists.
 */
export function moveUses(turn: Turn, model: FileTable, id: Bytes, before: Slots | null, now: Slots | null): void {
  for (const at of model.files) {
    const old = digestAt(before, at);
    const next = digestAt(now, at);
    if (old === next) continue;
    if (old !== null && !(model.versioned && now !== null)) turn.del(useKey(old, model.table, at, id));
    if (next !== null) turn.put(useKey(next, model.table, at, id), NOTHING);
  }
}

/** Whether any row uses a blob. */
export function isUsed(reader: Reader, sha256: string): boolean {
  const from = prefixOf(sha256);
  for (const _ of reader.range(from, after(from))) return true;
  return false;
}

function digestAt(slots: Slots | null, at: number): string | null {
  const file = slots?.[at] as FileRecord | null | undefined;
  return file?.sha256 ?? null;
}

/** The use that a key records; null for bytes that are no such key. */
export function useOf(key: Bytes): { sha256: string; table: number; at: number; id: Bytes } | null {
  const digestEnd = 2 + DIGEST_BYTES;
  if (key.length <= digestEnd + 4) return null;
  const no = (at: number): number => (key.charCodeAt(at) << 8) | key.charCodeAt(at + 1);
  const sha256 = Buffer.from(key.slice(2, digestEnd), 'latin1').toString('hex');
  return { sha256, table: no(digestEnd), at: no(digestEnd + 2), id: key.slice(digestEnd + 4) };
}

/** Keys of all uses. */
export const USES = { from: u16(TABLES.blob_use.no), to: after(u16(TABLES.blob_use.no)) };

const prefixOf = (sha256: string): Bytes => u16(TABLES.blob_use.no) + Buffer.from(sha256, 'hex').toString('latin1');

export function useKey(sha256: string, table: number, at: number, id: Bytes): Bytes {
  return prefixOf(sha256) + u16(table) + u16(at) + id;
}
