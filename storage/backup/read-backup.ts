/** A backup's content in order, with everything checked that its frames say of one another. */
import { createHash, type Hash } from 'node:crypto';
import { DYNAMIC_TABLE_FIRST, RECORD_VERSIONS } from '../catalogue.ts';
import type { Bytes } from '../port.ts';
import { BackupFault, ENTRY_HEAD_BYTES, FORMAT, KIND } from './format.ts';
import type { BackupHeader, BackupTotals, BlobHead, NoteFrame, TableEnd } from './format.ts';
import { readFrames, type Frame } from './frame-reader.ts';

/** A name that can be one directory: it leads nowhere else. */
const STORE = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

export type BackupPart =
  | { readonly kind: 'header'; readonly header: BackupHeader }
  | { readonly kind: 'entries'; readonly entries: readonly (readonly [key: Bytes, value: Uint8Array])[] }
  | { readonly kind: 'note'; readonly note: NoteFrame }
  | { readonly kind: 'blob'; readonly blob: BlobHead }
  | { readonly kind: 'piece'; readonly bytes: Uint8Array; readonly last: boolean }
  | { readonly kind: 'end'; readonly totals: BackupTotals; readonly digest: string };

/** Every part. Throws BackupFault when the file is truncated, altered, of another version, or at odds with itself. */
export async function* readBackup(path: string): AsyncGenerator<BackupPart> {
  const check = new Check(path);
  const frames = readFrames(path);
  try {
    for (;;) {
      const step = await frames.next();
      if (step.done === true) {
        yield { kind: 'end', totals: check.totals, digest: step.value };
        return;
      }
      const part = check.frame(step.value);
      if (part !== null) yield part;
    }
  } finally {
    await frames.return('');
  }
}

class Check {
  readonly #path: string;
  #header: BackupHeader | null = null;
  #table: number | null = null;
  #lastTable = -1;
  #lastKey: Bytes = '';
  #inTable = 0;
  #blob: { readonly head: BlobHead; readonly hash: Hash; left: number } | null = null;
  #sum = { tables: 0, entries: 0, blobs: 0, blob_bytes: 0, notes: 0 };
  totals: BackupTotals = { ...this.#sum, missing_blobs: 0 };

  constructor(path: string) {
    this.#path = path;
  }

  frame({ kind, payload, at }: Frame): BackupPart | null {
    if (this.#header === null) return this.#begin(kind, payload, at);
    if (this.#blob !== null && kind !== KIND.piece) throw this.#wrong(at);
    if (kind === KIND.rows) return { kind: 'entries', entries: this.#entries(payload, at) };
    if (kind === KIND.table) return this.#endTable(this.#json(payload, at) as TableEnd, at);
    if (this.#table !== null) throw this.#wrong(at);
    if (kind === KIND.note) return this.#note(this.#json(payload, at) as NoteFrame, at);
    if (kind === KIND.blob) return this.#beginBlob(this.#json(payload, at) as BlobHead, at);
    if (kind === KIND.piece) return this.#piece(payload, at);
    if (kind === KIND.trailer) return this.#end(this.#json(payload, at) as BackupTotals, at);
    throw this.#wrong(at);
  }

  #begin(kind: number, payload: Buffer, at: number): BackupPart {
    if (kind !== KIND.header) throw this.#wrong(at);
    const header = this.#json(payload, at) as BackupHeader;
    if (header.format !== FORMAT) {
      const mend = `this program reads format ${FORMAT}: use the release of Skep that made it (${header.skep})`;
      throw new BackupFault(this.#path, `is a backup of format ${header.format}; ${mend}`);
    }
    this.#header = header;
    return { kind: 'header', header };
  }

  #entries(payload: Buffer, at: number): [Bytes, Uint8Array][] {
    const entries: [Bytes, Uint8Array][] = [];
    for (let i = 0; i < payload.length;) {
      if (i + ENTRY_HEAD_BYTES > payload.length) throw this.#wrong(at);
      const from = i + ENTRY_HEAD_BYTES;
      const keyEnd = from + payload.readUInt16LE(i);
      i = keyEnd + payload.readUInt32LE(i + 2);
      if (i > payload.length) throw this.#wrong(at);
      const key = payload.toString('latin1', from, keyEnd);
      this.#checkKey(key, at);
      entries.push([key, payload.subarray(keyEnd, i)]);
    }
    this.#inTable += entries.length;
    return entries;
  }

  #checkKey(key: Bytes, at: number): void {
    const table = (key.charCodeAt(0) << 8) | key.charCodeAt(1);
    this.#table ??= table;
    if (key.length < 2 || table !== this.#table || table <= this.#lastTable || key <= this.#lastKey)
      throw this.#wrong(at);
    this.#lastKey = key;
  }

  #endTable({ table, entries }: TableEnd, at: number): null {
    if (table !== this.#table || entries !== this.#inTable) throw this.#wrong(at);
    this.#checkVersion(table);
    this.#sum.tables++;
    this.#sum.entries += entries;
    this.#lastTable = table;
    this.#table = null;
    this.#inTable = 0;
    return null;
  }

  /** A table that is unknown here, or whose records are newer. */
  #checkVersion(table: number): void {
    const { records, skep } = this.#header!;
    if (table >= DYNAMIC_TABLE_FIRST || (records[table] ?? Infinity) <= (RECORD_VERSIONS[table] ?? 0)) return;
    throw new BackupFault(
      this.#path,
      `was made by Skep ${skep}, whose table ${table} is newer: restore it with that release`,
    );
  }

  #note(note: NoteFrame, at: number): BackupPart {
    if (!STORE.test(note.store) || !STORE.test(note.name) || typeof note.text !== 'string') throw this.#wrong(at);
    this.#sum.notes++;
    return { kind: 'note', note };
  }

  #beginBlob(head: BlobHead, at: number): BackupPart {
    if (head.store !== undefined && !STORE.test(head.store)) throw this.#wrong(at);
    if (!/^[0-9a-f]{64}$/.test(head.sha256) || !Number.isSafeInteger(head.size) || head.size < 0) throw this.#wrong(at);
    this.#blob = { head, hash: createHash('sha256'), left: head.size };
    return { kind: 'blob', blob: head };
  }

  #piece(bytes: Buffer, at: number): BackupPart {
    const blob = this.#blob;
    if (blob === null || bytes.length > blob.left) throw this.#wrong(at);
    blob.hash.update(bytes);
    blob.left -= bytes.length;
    const last = blob.left === 0;
    if (last) this.#endBlob(blob.head, blob.hash, at);
    return { kind: 'piece', bytes, last };
  }

  #endBlob({ sha256, size }: BlobHead, hash: Hash, at: number): void {
    if (hash.digest('hex') !== sha256) throw this.#wrong(at);
    this.#sum.blobs++;
    this.#sum.blob_bytes += size;
    this.#blob = null;
  }

  #end(totals: BackupTotals, at: number): null {
    for (const [name, value] of Object.entries(this.#sum)) {
      if ((totals[name as keyof BackupTotals] ?? 0) !== value) throw this.#wrong(at);
    }
    this.totals = totals;
    return null;
  }

  #json(payload: Buffer, at: number): unknown {
    try {
      return JSON.parse(payload.toString());
    } catch {
      throw this.#wrong(at);
    }
  }

  #wrong(at: number): BackupFault {
    return new BackupFault(this.#path, `is at odds with itself at byte ${at}: use another backup`);
  }
}
