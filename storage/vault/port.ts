/** The vault's key-value store: what every backend does. One case file (test/storage/vault/store.cases.ts) says it for all of them. */

export interface Stored {
  /** The caller's own. */
  readonly value: Buffer;
  /** The revision of the commit that wrote it. */
  readonly version: number;
}

export interface Listed extends Stored {
  readonly path: string;
}

export interface Change {
  readonly path: string;
  /** Undefined deletes. */
  readonly value: Uint8Array | undefined;
  /** The version that must be there, 0 for no entry; absent where any version will do. */
  readonly expect?: number;
}

/** The revision counts up with every commit, also across restarts: a revision below one seen before means that the store was replaced by an older copy. */
export type Committed =
  | { readonly ok: true; readonly revision: number }
  | { readonly ok: false; readonly conflict: string };

export type Health = { readonly ok: true; readonly revision: number } | { readonly ok: false; readonly why: string };

export interface VaultStore {
  /** What is durable at a path. */
  get(path: string): Promise<Stored | undefined>;
  /** Entries whose path begins with `prefix`, in byte order, those behind `after` only. */
  list(prefix: string, after: string | null, limit: number): Promise<readonly Listed[]>;
  /**
   * Makes all changes or none, each path at most once; durable when it resolves. A version that is not the expected one changes
   * nothing. Rejects with BackendDown: then it is unknown whether the changes were made.
   */
  commit(changes: readonly Change[]): Promise<Committed>;
  healthy(): Promise<Health>;
  /** Copies the store as it is now into an empty directory; false where its files are not here. */
  copyTo(directory: string): Promise<boolean>;
  close(): Promise<void>;
}

/** The store does not answer. */
export class BackendDown extends Error {}

/** The longest path; LMDB's keys hold 1,978 bytes. */
const PATH_CHARS_MAX = 1024;

const PATH = /^[\x21-\x7e]+$/;

/** Paths are printable ASCII, so that every backend orders them alike. Throws on another one, and on one that comes twice. */
export function checkChanges(changes: readonly Change[]): void {
  for (const { path } of changes)
    if (path.length > PATH_CHARS_MAX || !PATH.test(path)) throw new RangeError(`not a path of the vault: ${path}`);
  if (new Set(changes.map(({ path }) => path)).size !== changes.length) throw new RangeError('a path comes twice');
}

/** The first text behind every text that begins with the prefix; paths end below DEL. */
export function endOf(prefix: string): string {
  return `${prefix}\x7f`;
}
