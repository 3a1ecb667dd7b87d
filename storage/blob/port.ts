/**
 * What the floors above may ask of a store of files. Blobs have no names of their own: the SHA-256 of the bytes finds them, so
 * that equal files lie there once. `directory.ts` keeps them under the data directory, `memory.ts` in a map; both pass
 * test/storage/blob/blob.cases.ts.
 */

/** Lower-case hex. */
export type Digest = string;

export interface BlobReceipt {
  readonly sha256: Digest;
  readonly size: number;
}

/** A file on its way in. No digest finds it until it is published; one that is neither published nor dropped is swept. */
export interface BlobUpload {
  /** Takes bytes; resolves when further ones may come, and these are the caller's again. Throws StorageFull when the disk has no room. */
  write(bytes: Uint8Array): Promise<void>;
  /** All bytes are there, and durable. */
  seal(): Promise<BlobReceipt>;
  /** From here on its digest finds it, also after a power loss. After seal(). */
  publish(): Promise<void>;
  drop(): Promise<void>;
}

/** Whether a row or an asset uses a blob. */
export type IsUsed = (sha256: Digest) => boolean | Promise<boolean>;

/**
 * Small texts beside the blobs of an owner, each under a name of letters, digits, `_`, `-` and `.`. Once a write has resolved, its text
 * is whole and durable, also after a power loss; until then the name shows the earlier text.
 */
export interface NoteStore {
  names(): Promise<string[]>;
  /** Null where there is none. */
  read(name: string): Promise<string | null>;
  /** Throws StorageFull when the disk has no room; then the earlier text stays. */
  write(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Where a note lies: an error or a log line names this place. */
  placeOf(name: string): string;
}

/**
 * Files that were made of a blob and can be made again, each under a name of letters, digits, `_`, `-` and `.`. They end with their blob, and are in no
 * backup and no copy.
 */
export interface DerivedFiles {
  /** Null where there is none. */
  read(of: Digest, name: string): Promise<Uint8Array | null>;
  /** Whole or not at all. Throws StorageFull when the disk has no room. */
  write(of: Digest, name: string, bytes: Uint8Array): Promise<void>;
  /** Of one blob. */
  names(of: Digest): Promise<string[]>;
  removeOne(of: Digest, name: string): Promise<void>;
  /** All of one blob. */
  remove(of: Digest): void;
  /** The blobs of which there are some. */
  digests(): AsyncIterable<Digest>;
  bytes(): Promise<number>;
  erase(): Promise<void>;
}

/** A file that comes in several requests. */
export interface PartialWriter {
  /** Takes bytes; resolves when further ones may come. Throws StorageFull when the disk has no room. */
  write(bytes: Uint8Array): Promise<void>;
  /** What was written is durable. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Files that are not whole yet, each with a note, under ids of letters, digits, `_` and `-`. What was synced stays, also after a power loss. They are in no
 * backup and no copy.
 */
export interface PartialFiles {
  /** Those that have a note. */
  ids(): Promise<string[]>;
  /** Null where there is none. */
  note(id: string): Promise<string | null>;
  /** Writes a note, and makes its empty file where there is none. Durable when it resolves. */
  keep(id: string, note: string): Promise<void>;
  /** The bytes that are there. */
  size(id: string): Promise<number>;
  /** Writes on from a byte; what lies behind it is dropped. */
  append(id: string, from: number): Promise<PartialWriter>;
  read(id: string): AsyncIterable<Uint8Array>;
  /** Removes the bytes alone. */
  empty(id: string): Promise<void>;
  remove(id: string): Promise<void>;
  /** Removes files that a crash left without a note; gives how many. To be called before the first `keep` of a thread. */
  removeUnnoted(): Promise<number>;
  erase(): Promise<void>;
}

/** The files of one owner: a handle cannot reach another's. */
export interface BlobStore {
  /** Null where the store cannot keep any. */
  readonly notes: NoteStore | null;
  /** On a disk of this node, wherever the blobs are. */
  readonly derived: DerivedFiles;
  /** On a disk of this node, wherever the blobs are. */
  readonly partials: PartialFiles;
  begin(): Promise<BlobUpload>;
  /** The size of a blob, or null when it is not there. */
  size(sha256: Digest): Promise<number | null>;
  /** Bytes `from` (counted from 0) up to and without `to`, in pieces. Throws when the blob is not there. */
  read(sha256: Digest, from: number, to: number): AsyncIterable<Uint8Array>;
  /**
   * Removes blobs and uploads that were not published or written since `beforeMs` and that `isUsed` does not know; gives how many. After
   * `isUsed` has answered, the blob's time is read again, because it may have been published meanwhile; between that and the removal
   * nothing else of this thread runs. What was made of a blob goes with it. So a blob that is published and used only in a later turn is safe for as long as `beforeMs` says.
   */
  sweep(beforeMs: number, isUsed: IsUsed, yieldTurn: () => Promise<void>): Promise<number>;
  /** Bytes of all blobs that are there, used or not. Other turns of the thread run meanwhile. */
  bytes(): Promise<number>;
  /** Every blob that is there, used or not, in no particular order. */
  digests(): AsyncIterable<Digest>;
  /** Nothing is swept until the function that it gives is called: a copy of all files is being made. */
  hold(): () => void;
  /** Removes everything: the owner is gone. */
  erase(): Promise<void>;
}
