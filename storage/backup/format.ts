/**
 * A tenant in one file. Every number is little endian.
 *
 *   "skep tenant backup\n"
 *   frame*      length of the payload (u32), CRC-32 of kind and payload (u32), kind (u8), payload
 *   SHA-256     of everything before it; nothing follows
 *
 *   frames: header, then for each table of the tenant (rows* table), then for each note (note), then for each file (blob piece*), then trailer
 *   a payload of rows: entries, each key length (u16), value length (u32), key, value; the others: JSON, a piece: bytes
 */
import { crc32 } from 'node:zlib';

/** Raised when an older reader would misread what is written now. */
export const FORMAT = 1;
export const MAGIC: Buffer = Buffer.from('skep tenant backup\n', 'latin1');
export const HEAD_BYTES = 9;
export const DIGEST_BYTES = 32;
export const ENTRY_HEAD_BYTES = 6;

export const KIND = { header: 1, rows: 2, table: 3, blob: 4, piece: 5, trailer: 6, note: 7 } as const;
export type Kind = (typeof KIND)[keyof typeof KIND];

/** What a backup says of itself before anything else. */
export interface BackupHeader {
  readonly format: number;
  /** customer:product:env:tenant. */
  readonly tenant: string;
  /** How far its provisioning had come. */
  readonly state: string;
  readonly product: { readonly name: string; readonly checksum: string };
  /** Epoch-less number of the newest journal record that the backup can show; 0 when LMDB had everything. */
  readonly journal: number;
  /** RFC 3339. */
  readonly made_at: string;
  readonly skep: string;
  /** Versions of the records of the tables that the catalogue numbers, by number: a reader knows earlier ones, no later. */
  readonly records: Readonly<Record<number, number>>;
}

/** Behind the rows of one table. */
export interface TableEnd {
  readonly table: number;
  readonly entries: number;
}

export interface BlobHead {
  /** The content store that it is of; absent for files of rows. */
  readonly store?: string;
  readonly sha256: string;
  readonly size: number;
}

/** What a content store says of one of its assets, where files are its index. */
export interface NoteFrame {
  readonly store: string;
  readonly name: string;
  readonly text: string;
}

export interface BackupTotals {
  readonly tables: number;
  readonly entries: number;
  readonly blobs: number;
  readonly blob_bytes: number;
  /** Files that rows name and that the disk did not have when the backup was made. */
  readonly missing_blobs: number;
  /** Absent in backups of before, and where there are none. */
  readonly notes?: number;
}

/** A backup that cannot be used: what is wrong, where, and how to mend it. */
export class BackupFault extends Error {
  constructor(path: string, what: string) {
    super(`${path}: ${what}`);
  }
}

export function frameCrc(kind: number, payload: Uint8Array): number {
  return crc32(payload, crc32(Uint8Array.of(kind)));
}
