/**
 * Where the sets of a node lie: parts by name, and one manifest for each set. A part is there whole or not at all, and so is a manifest.
 * Beside them lie the chunks of the journal's copy.
 * `directory-place.ts` keeps them under a directory, `s3-place.ts` in a bucket; both pass test/storage/backup-set/place.cases.ts.
 */

export interface StoredPart {
  readonly name: string;
  /** When it was stored last, in milliseconds. */
  readonly storedMs: number;
}

/** A part on its way in: its name is often known only when all of it is there. */
export interface PartUpload {
  write(bytes: Uint8Array): Promise<void>;
  /** Gives it its name; durable when it resolves. */
  publish(name: string): Promise<void>;
  /** Removes what was written. After `publish` it does nothing. */
  drop(): Promise<void>;
}

export interface BackupPlace {
  /** How an error or a log line names the place. */
  readonly where: string;
  begin(): Promise<PartUpload>;
  /** The bytes of a part as it lies there, or null where it is missing. */
  sizeOf(part: string): Promise<number | null>;
  /** Throws PartMissing. */
  read(part: string): AsyncIterable<Uint8Array>;
  /** Every part, in no particular order. */
  parts(): AsyncIterable<StoredPart>;
  removePart(part: string): Promise<void>;
  /** Ids of the sets, oldest first. */
  sets(): Promise<string[]>;
  /** The text of a manifest, or null where there is no such set. */
  readSet(id: string): Promise<string | null>;
  writeSet(id: string, text: string): Promise<void>;
  removeSet(id: string): Promise<void>;
  /** Names of the chunks of the journal's copy (storage/journal-copy/), oldest first. */
  chunks(): Promise<string[]>;
  /** Durable when it resolves. */
  writeChunk(name: string, bytes: Uint8Array): Promise<void>;
  /** Null where there is none of the name. */
  readChunk(name: string): Promise<Buffer | null>;
  removeChunk(name: string): Promise<void>;
}

/** A part that a set names is not in the place. */
export class PartMissing extends Error {}

/** A name of a part: its SHA-256, and behind a point for whom it is encrypted. */
export const PART_NAME: RegExp = /^[0-9a-f]{64}(?:\.[0-9a-f]{16})?$/;
/** The name of a chunk: its number, and the moment that it reaches, in milliseconds. */
export const CHUNK_NAME: RegExp = /^\d{10}-\d{13}$/;
/** The id of a set: when it began, in UTC. */
export const SET_ID: RegExp = /^\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}\.\d{3}Z$/;

/** The id of a set that begins at an instant (milliseconds). Ids sort by time. */
export function setIdOf(ms: number): string {
  return new Date(ms).toISOString().replaceAll(':', '-');
}

/** When a set began, in milliseconds. */
export function beganAt(id: string): number {
  return Date.parse(id.replace(/T(\d{2})-(\d{2})-/, 'T$1:$2:'));
}

/** The folder of chunks in a place; below it one for each thousand. */
export const CHUNKS = 'journal';

export function chunkFolder(name: string): string {
  return name.slice(0, 7);
}
