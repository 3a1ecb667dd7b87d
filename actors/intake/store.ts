/**
 * Opens the store of submissions: the JSONL log and LMDB (`backend: embedded`), or one of them (`wal_jsonl: false`, `backend: jsonl`), and watches
 * the free space of their disks.
 */
import { limits } from '#config/limits.ts';
import { openEnvironment } from '#storage/environment.ts';
import { openDirectory } from '#storage/log/directory.ts';
import { Space } from '#storage/space.ts';
import type { Clock } from '#actors/kit/clock.ts';
import { openEmbeddedStore } from './embedded/store.ts';
import { openJsonlStore } from './jsonl/store.ts';
import type { IntakeStore, KindsOf, TenantOf } from './store-port.ts';

export interface StoreSettings {
  readonly backend: 'embedded' | 'jsonl';
  readonly walJsonl: boolean;
  /** `embedded.path`: the directory of the LMDB environment. */
  readonly embeddedPath: string;
  readonly jsonlDir: string;
  readonly jsonlRotate: 'daily' | 'none';
  /** `storage.free_bytes_min` of the node; the default when absent. */
  readonly freeBytesMin?: number;
}

/** Opens the store's files. Throws Corruption when the log is damaged before its end, or older than the database. `kindsOf`: absent without notices. */
export async function openStore(
  settings: StoreSettings,
  clock: Clock,
  onFatal: (error: Error) => void,
  kindsOf?: KindsOf,
  tenantOf?: TenantOf,
): Promise<IntakeStore> {
  const store = await openFiles(settings, clock, { onFatal, kindsOf, tenantOf });
  const { freeBytesMin } = settings;
  const spaces = pathsOf(settings).map((path) => new Space(path, freeBytesMin === undefined ? {} : { freeBytesMin }));
  await Promise.all(spaces.map((space) => space.check()));
  return {
    ...store,
    hasRoom: (bytes) => spaces.every((space) => space.admits(limits.storage.growthPerByte * bytes, false)),
    close: () => {
      for (const space of spaces) space.close();
      return store.close();
    },
  };
}

/** The directories whose disks must have room. */
export function pathsOf({ backend, walJsonl, embeddedPath, jsonlDir }: StoreSettings): string[] {
  if (backend === 'jsonl') return [jsonlDir];
  return walJsonl ? [embeddedPath, jsonlDir] : [embeddedPath];
}

interface StoreCalls {
  readonly onFatal: (error: Error) => void;
  readonly kindsOf: KindsOf | undefined;
  readonly tenantOf: TenantOf | undefined;
}

async function openFiles(
  settings: StoreSettings,
  clock: Clock,
  { onFatal, kindsOf, tenantOf }: StoreCalls,
): Promise<IntakeStore> {
  const disk = settings.backend === 'jsonl' || settings.walJsonl ? openDirectory(settings.jsonlDir) : null;
  const log = disk === null ? null : { disk, rotate: settings.jsonlRotate };
  if (settings.backend === 'jsonl') return openJsonlStore(log!, clock, kindsOf);
  const database = openEnvironment(settings.embeddedPath, { onFatal });
  try {
    return await openEmbeddedStore(database, log, clock, kindsOf, tenantOf);
  } catch (error) {
    await database.close();
    throw error;
  }
}
