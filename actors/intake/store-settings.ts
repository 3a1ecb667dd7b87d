/** Where submissions lie. */

/** The database of the log, and how its word counts (storage/log-engine/postgres/session.ts). */
export interface DatabaseSettings {
  readonly url: string;
  readonly replication: 'strict' | 'managed';
  /** Milliseconds that one answer may take before the connection is given up. */
  readonly answerMs: number;
  /** The name of this node among those on the log; null where it knows of none. */
  readonly node: string | null;
}

export interface StoreSettings {
  readonly backend: 'embedded' | 'jsonl' | 'postgres';
  /** Of `backend: postgres`. */
  readonly database?: DatabaseSettings;
  readonly walJsonl: boolean;
  /** `embedded.path`: the directory of the LMDB environment. */
  readonly embeddedPath: string;
  readonly jsonlDir: string;
  readonly jsonlRotate: 'daily' | 'none';
  /** `storage.free_bytes_min` of the node; the default when absent. */
  readonly freeBytesMin?: number;
}
