/**
 * Opens the store of submissions: the JSONL log and LMDB (`backend: embedded`), or one of them (`wal_jsonl: false`, `backend: jsonl`), and watches
 * the free space of their disks; or the database of the log (`backend: postgres`).
 */
import { limits } from '#config/limits.ts';
import { openEnvironment } from '#storage/environment.ts';
import { openDirectory } from '#storage/log/directory.ts';
import type { PostgresSubmissions } from '#storage/submissions/postgres.ts';
import { Space } from '#storage/space.ts';
import type { Log } from '#actors/host/activation.ts';
import type { Clock } from '#actors/kit/clock.ts';
import { openEmbeddedStore } from './embedded/store.ts';
import { openJsonlStore } from './jsonl/store.ts';
import { bringOver, leftIn } from './bring-over.ts';
import { openPostgresStore } from './postgres/store.ts';
import type { IntakeStore, KindsOf, TenantOf } from './store-port.ts';
import type { StoreSettings } from './store-settings.ts';

export interface StoreCalls {
  readonly onFatal: (error: Error) => void;
  /** Absent without notices. */
  readonly kindsOf?: KindsOf | undefined;
  readonly tenantOf?: TenantOf | undefined;
  /** Takes what an operator must know. */
  readonly log?: Pick<Log, 'info' | 'warn'>;
  /** Of `backend: postgres`, where it was connected ahead. */
  readonly database?: PostgresSubmissions | null | undefined;
}

/** Opens the store. Throws Corruption when the log is damaged before its end, or older than the database, and OwnerLost where another node has the database. */
export async function openStore(settings: StoreSettings, clock: Clock, calls: StoreCalls): Promise<IntakeStore> {
  if (settings.backend === 'postgres') return openDatabase(settings, clock, calls);
  const store = await openFiles(settings, clock, calls);
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
  if (backend === 'postgres') return [];
  if (backend === 'jsonl') return [jsonlDir];
  return walJsonl ? [embeddedPath, jsonlDir] : [embeddedPath];
}

/** What another backend left on this machine is taken in first. */
function openDatabase(settings: StoreSettings, clock: Clock, calls: StoreCalls): Promise<IntakeStore> {
  const left = leftIn(settings);
  return openPostgresStore(settings.database!, clock, {
    onFatal: calls.onFatal,
    database: calls.database ?? null,
    log: calls.log,
    bring: (turns) =>
      left === null
        ? Promise.resolve(0)
        : bringOver(left, { turns, clock, log: calls.log, open: () => openFiles(left, clock, calls) }),
  });
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
