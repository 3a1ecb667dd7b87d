/** Real damage in a stopped data directory. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shardPath } from '#storage/archive.ts';
import { openEnvironment, type Write } from '#storage/environment.ts';
import { findShards, KEYS_END, placeOf, withShard, type Place } from '#storage/inspect.ts';
import { decodeRecord } from '#storage/record.ts';

export interface FoundEntry {
  readonly shard: number;
  readonly key: string;
  readonly value: Buffer;
  readonly place: Place;
}

/** Entries of all shards, copied. */
export async function entriesOf(
  dataDir: string,
  wanted: (place: Place, value: Uint8Array) => boolean,
): Promise<FoundEntry[]> {
  const found: FoundEntry[] = [];
  for (const shard of findShards(dataDir))
    await withShard(dataDir, shard, (environment) => {
      for (const { key, value } of environment.range('\0', KEYS_END)) {
        const place = placeOf(key);
        if (place !== null && wanted(place, value)) found.push({ shard, key, value: Buffer.from(value), place });
      }
    });
  return found;
}

export async function writeEntries(dataDir: string, shard: number, ...writes: Write[]): Promise<void> {
  const environment = openEnvironment(shardPath(dataDir, shard), {
    onFatal: (error) => {
      throw error;
    },
  });
  await environment.commit(writes);
  await environment.close();
}

/** Whether an entry is of an entity's table and holds a row with this id. */
export function isRowOf(id: string): (place: Place, value: Uint8Array) => boolean {
  return (place, value) => {
    if (place.table < 256 || value.length < 40) return false;
    try {
      const slots = decodeRecord(value, 'row') as unknown[];
      return Array.isArray(slots) && slots[5] === id;
    } catch {
      return false; // damaged before
    }
  };
}

/** Turns a bit in the record of a row. */
export async function damageRow(dataDir: string, id: string): Promise<FoundEntry> {
  const [row] = await entriesOf(dataDir, isRowOf(id));
  if (row === undefined) throw new Error(`no row ${id}`);
  const damaged = Buffer.from(row.value);
  damaged[12]! ^= 1;
  await writeEntries(dataDir, row.shard, [row.key, damaged]);
  return { ...row, value: damaged };
}

/** Turns a bit of `text` in every copy of an entry's key that lies in the shard's file; how many there were. */
export function flipKey(dataDir: string, { shard, key }: FoundEntry, text: string): number {
  const file = join(shardPath(dataDir, shard), 'data.mdb');
  const bytes = readFileSync(file);
  const raw = Buffer.from(key, 'latin1');
  let flips = 0;
  for (let at = bytes.indexOf(raw); at !== -1; at = bytes.indexOf(raw, at + 1)) {
    bytes[at + key.indexOf(text)]! ^= 0x10;
    flips++;
  }
  writeFileSync(file, bytes);
  return flips;
}

/** Turns a bit in a file. */
export function flipByte(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at]! ^= 1;
  writeFileSync(path, bytes);
}
