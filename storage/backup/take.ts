/** A tenant's store and files into one file, as they are at one moment, while the tenant serves. */
import { limits } from '#config/limits.ts';
import { TABLES } from '../catalogue.ts';
import type { BlobStore } from '#storage/blob/port.ts';
import { after, u16 } from '../key.ts';
import type { Bytes, Entry, Reader } from '../port.ts';
import { ENTRY_HEAD_BYTES, KIND } from './format.ts';
import type { BackupHeader, BackupTotals, BlobHead, NoteFrame } from './format.ts';
import type { FrameSink } from './frame-writer.ts';
import type { Pace } from './pace.ts';

/** Above every key of a store: no table has this number. */
export const STORE_END: Bytes = '\xff\xff\xff';

const DIGEST_BYTES = 32;
/** Tables that no backup holds: the node that took it sends what they hold. */
export const OF_NODE: ReadonlySet<number> = new Set(
  Object.values(TABLES).flatMap((row) => ('ofNode' in row ? [row.no] : [])),
);

/**
 * Tables that a set of the whole node leaves behind: its audit log takes no number of a tenant's event twice, so the outbox of events comes along;
 * mails and webhooks would go out a second time.
 */
export const OF_NODE_BUT_EVENTS: ReadonlySet<number> = new Set(
  [...OF_NODE].filter((table) => table !== TABLES.audit_outbox.no && table !== TABLES.audit_settled.no),
);

export interface TakeParts {
  readonly reader: Reader;
  /** Held meanwhile: what is swept from it would be missing. */
  readonly blobs: BlobStore;
  readonly header: BackupHeader;
  readonly writer: FrameSink;
  readonly pace: Pace;
  /** Content stores by name, held meanwhile too: all that lies in them. */
  readonly stores?: ReadonlyMap<string, BlobStore>;
  /** Tables that stay behind. */
  readonly without: ReadonlySet<number>;
  /** Takes files in place of the backup, which then names none. */
  readonly apart?: (kept: BlobStore, head: BlobHead) => Promise<void>;
}

/** Writes everything but the digest. */
export async function takeBackup(parts: TakeParts): Promise<BackupTotals> {
  const { reader, header, writer, pace } = parts;
  await writer.addJson(KIND.header, header);
  const rows = new Rows(writer, parts.without);
  for (const entry of reader.range('', STORE_END)) {
    const wait = rows.add(entry);
    if (wait !== null) await wait;
    pace.did(1);
    if (pace.over) await pace.rest();
  }
  await rows.endTable();
  let notes = 0;
  for (const [store, kept] of parts.stores ?? []) notes += await takeNotes(kept, store, parts);
  const files = await takeBlobs(parts);
  for (const [store, kept] of parts.stores ?? []) await takeStore(kept, store, files, parts);
  const totals: BackupTotals = { tables: rows.tables, entries: rows.entries, ...files, ...(notes > 0 && { notes }) };
  await writer.addJson(KIND.trailer, totals);
  return totals;
}

class Rows {
  readonly #writer: FrameSink;
  readonly #without: ReadonlySet<number>;
  #table = -1;
  #inTable = 0;
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  tables = 0;
  entries = 0;

  constructor(writer: FrameSink, without: ReadonlySet<number>) {
    this.#writer = writer;
    this.#without = without;
  }

  /** Takes a copy of an entry; null, or what is to be awaited before the next one. */
  add({ key, value }: Entry): Promise<void> | null {
    const table = (key.charCodeAt(0) << 8) | key.charCodeAt(1);
    if (this.#without.has(table)) return null;
    if (table === this.#table) return this.#push(key, value);
    const copy = Buffer.from(value);
    return this.endTable().then(() => {
      this.#table = table;
      return this.#push(key, copy) ?? undefined;
    });
  }

  #push(key: Bytes, value: Uint8Array): Promise<void> | null {
    const piece = Buffer.allocUnsafe(ENTRY_HEAD_BYTES + key.length + value.length);
    piece.writeUInt16LE(key.length, 0);
    piece.writeUInt32LE(value.length, 2);
    piece.write(key, ENTRY_HEAD_BYTES, 'latin1');
    piece.set(value, ENTRY_HEAD_BYTES + key.length);
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    this.#inTable++;
    return this.#bytes < limits.backup.frameBytes ? null : this.#flush();
  }

  async #flush(): Promise<void> {
    const payload = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#bytes = 0;
    await this.#writer.add(KIND.rows, payload);
  }

  async endTable(): Promise<void> {
    if (this.#inTable === 0) return;
    if (this.#bytes > 0) await this.#flush();
    await this.#writer.addJson(KIND.table, { table: this.#table, entries: this.#inTable });
    this.tables++;
    this.entries += this.#inTable;
    this.#inTable = 0;
  }
}

interface FileTotals {
  blobs: number;
  blob_bytes: number;
  missing_blobs: number;
}

/** How many. Before the blobs: what a note names was there when it was written, and is held. */
async function takeNotes({ notes }: BlobStore, store: string, { writer, pace }: TakeParts): Promise<number> {
  let taken = 0;
  for (const name of ((await notes?.names()) ?? []).toSorted()) {
    const text = await notes!.read(name);
    if (text === null) continue; // its asset was deleted meanwhile
    await writer.addJson(KIND.note, { store, name, text } satisfies NoteFrame);
    taken++;
    pace.did(1);
    if (pace.over) await pace.rest();
  }
  return taken;
}

/** A blob that disappears between the listing and the reading was being swept before the hold: no row uses it. */
async function takeStore(kept: BlobStore, store: string, files: FileTotals, parts: TakeParts): Promise<void> {
  for await (const sha256 of kept.digests()) {
    const size = await kept.size(sha256);
    if (size === null) continue;
    await takeFile(kept, { store, sha256, size }, files, parts);
    await parts.pace.rest();
  }
}

async function takeBlobs(parts: TakeParts): Promise<FileTotals> {
  const { reader, blobs, pace } = parts;
  const totals = { blobs: 0, blob_bytes: 0, missing_blobs: 0 };
  for (let digest = nextBlob(reader, ''); digest !== null; digest = nextBlob(reader, digest)) {
    const sha256 = Buffer.from(digest, 'latin1').toString('hex');
    const size = await blobs.size(sha256);
    if (size === null) totals.missing_blobs++;
    else await takeFile(blobs, { sha256, size }, totals, parts);
    await pace.rest();
  }
  return totals;
}

async function takeFile(
  kept: BlobStore,
  head: BlobHead,
  totals: FileTotals,
  { apart, writer, pace }: TakeParts,
): Promise<void> {
  if (apart !== undefined) return apart(kept, head);
  await takeBlob(kept, head, writer, pace);
  totals.blobs++;
  totals.blob_bytes += head.size;
}

export async function takeBlob(
  blobs: Pick<BlobStore, 'read'>,
  head: BlobHead,
  writer: FrameSink,
  pace: Pace,
): Promise<void> {
  await writer.addJson(KIND.blob, head);
  if (head.size === 0) await writer.add(KIND.piece, new Uint8Array(0));
  for await (const bytes of blobs.read(head.sha256, 0, head.size)) {
    await writer.add(KIND.piece, bytes);
    if (pace.over) await pace.rest();
  }
}

const USES = u16(TABLES.blob_use.no);

/** The digest of the first file in use behind another one; null behind the last. */
export function nextBlob(reader: Reader, digest: Bytes): Bytes | null {
  const from = digest === '' ? USES : afterDigest(digest);
  for (const { key } of reader.range(from, after(USES))) return key.slice(USES.length, USES.length + DIGEST_BYTES);
  return null;
}

function afterDigest(digest: Bytes): Bytes {
  return /^\xff*$/.test(digest) ? after(USES) : after(USES + digest);
}
