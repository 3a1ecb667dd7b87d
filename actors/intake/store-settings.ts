/** Where submissions lie. */

import type { DatabaseSettings } from './postgres/settings/store.ts';

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
