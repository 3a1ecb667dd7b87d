/** Opens a data directory as a start does, part by part without the node around it, and reads what it then holds. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkEntities, readerOf } from '#actors/engine/integrity/store.ts';
import { isDeleted, padderOf, positionOf, type Slots } from '#actors/engine/rows/codec.ts';
import { tableRange } from '#actors/engine/rows/keys/store.ts';
import { decodeSlots } from '#actors/engine/rows/store.ts';
import { loadSchema } from '#actors/engine/schema/store.ts';
import { eachStored, verify } from '#actors/intake/archive/store.ts';
import { openEmbeddedStore } from '#actors/intake/embedded/store.ts';
import { systemClock } from '#actors/kit/clock.ts';
import { openArchive } from '#storage/archive.ts';
import { checkStorage } from '#storage/check.ts';
import { openEnvironment } from '#storage/environment.ts';
import { findShards, placeOf, tenantLookup, tenantPrefixes, withShard } from '#storage/inspect.ts';
import { findJournals, nextEpoch, retireJournals } from '#storage/journal/directories.ts';
import { openDirectory } from '#storage/log/directory.ts';
import type { Lookup } from '#storage/port.ts';
import { auditFacts } from './audit-facts.ts';
import type { Facts } from './facts.ts';

const SEGMENT_BYTES = 64 * 1024;
const SHOWN = 300;

type Fault = (text: string) => void;
/** Rows of an entity: each field by its name. */
type Rows = (entity: string) => Iterable<Readonly<Record<string, unknown>>>;

/** Every fault is part of the answer; what could not be opened counts as empty. */
export async function recover(dataDir: string): Promise<Facts> {
  const faults: string[] = [];
  const attempt = async <T>(part: string, empty: T, run: (fault: Fault) => Promise<T>): Promise<T> => {
    try {
      return await run((text) => void faults.push(`${part}: ${text}`));
    } catch (error) {
      faults.push(`${part}: ${String((error as Error).stack).slice(0, SHOWN)}`);
      return empty;
    }
  };
  await attempt('shards', null, (fault) => recoverShards(dataDir, fault));
  const rows = await attempt('rows', { items: [], envelopes: [], assets: [] }, (fault) => readRows(dataDir, fault));
  const submissions = await attempt('intake', [], (fault) => recoverIntake(dataDir, fault));
  const records = existsSync(join(dataDir, 'audit'))
    ? await attempt('audit', [], (fault) => auditFacts(dataDir, fault))
    : [];
  return { faults, ...rows, submissions, records };
}

/** Journals are replayed, and everything is in LMDB afterwards. */
async function recoverShards(dataDir: string, fault: Fault): Promise<null> {
  const replay = findJournals(dataDir);
  const archive = await openArchive({
    dataDir,
    shards: findShards(dataDir),
    replay,
    epoch: nextEpoch(dataDir),
    name: 'image',
    onFatal: (error) => fault(error.message),
    limits: { segmentBytes: SEGMENT_BYTES, freeBytesMin: 0 },
  });
  for (const [shard, { what }] of archive.stats().stopped) fault(`shard ${shard} is not served: ${what}`);
  retireJournals(replay);
  await archive.close();
  for (const { kind, where, what } of (await checkStorage(dataDir, checkEntities)).faults)
    fault(`${kind}: ${where}: ${what}`);
  return null;
}

type RowFacts = Pick<Facts, 'items' | 'envelopes' | 'assets'>;

async function readRows(dataDir: string, fault: Fault): Promise<RowFacts> {
  const items: [string, string, number][] = [];
  const envelopes = new Map<string, number>();
  const assets: [string, string, string][] = [];
  for (const shard of findShards(dataDir)) {
    await withShard(dataDir, shard, (environment) => {
      for (const prefix of tenantPrefixes(environment)) {
        const rows = rowsIn(tenantLookup(environment, prefix));
        for (const { name, id, stock } of rows('item')) items.push([name as string, id as string, Number(stock)]);
        for (const { title } of rows('paper')) {
          const token = (title as string).split('/')[0]!;
          envelopes.set(token, (envelopes.get(token) ?? 0) + 1);
        }
        const blobs = join(dataDir, 'content', String(placeOf(`${prefix}\0\0`)!.tenant), 'media');
        for (const { title, id, sha256 } of rows('asset')) {
          checkBlob(blobs, sha256 as string, fault);
          assets.push([title as string, id as string, sha256 as string]);
        }
      }
    });
  }
  return { items, envelopes: [...envelopes], assets };
}

function rowsIn(tenant: Lookup): Rows {
  const reader = readerOf(tenant);
  const { entities } = loadSchema(reader);
  return function* (name) {
    for (const { table, fields } of entities.filter((entity) => entity.name === name)) {
      const pad = padderOf(fields);
      const { from, to } = tableRange(table);
      for (const { value } of reader.range(from, to)) {
        const slots: Slots = pad(decodeSlots(value));
        if (!isDeleted(slots))
          yield Object.fromEntries(fields.map((field) => [field.name, slots[positionOf(field.slot)]]));
      }
    }
  };
}

function checkBlob(root: string, sha256: string, fault: Fault): void {
  const path = join(root, sha256.slice(0, 2), sha256);
  if (!existsSync(path)) return fault(`the file of an asset is missing: ${sha256}`);
  const found = createHash('sha256').update(readFileSync(path)).digest('hex');
  if (found !== sha256) fault(`the file of an asset has other bytes: ${sha256}`);
}

/** The database takes in what the log has, and then both hold the same. */
async function recoverIntake(dataDir: string, fault: Fault): Promise<Facts['submissions']> {
  const at = { embeddedPath: join(dataDir, 'intake', 'embedded'), jsonlDir: join(dataDir, 'intake', 'jsonl') };
  const settings = { backend: 'embedded', walJsonl: true, jsonlRotate: 'daily', ...at } as const;
  const database = openEnvironment(at.embeddedPath, { onFatal: (error) => fault(error.message) });
  try {
    const log = { disk: openDirectory(at.jsonlDir), rotate: settings.jsonlRotate };
    await (await openEmbeddedStore(database, log, systemClock)).close();
  } finally {
    await database.close().catch(() => undefined);
  }
  for (const text of (await verify(settings)).faults) fault(text);
  if (readdirSync(at.jsonlDir).length === 0) return [];
  const found: [string, string][] = [];
  await eachStored(settings, null, ({ id, fields }) => void found.push([fields['name'] as string, id]));
  return found;
}
