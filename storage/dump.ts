/** `skep storage dump`: one JSON line for each entry of a stopped data directory, readable by people. */
import type { Environment } from './environment.ts';
import { findShards, KEYS_END, placeOf, withShard } from './inspect.ts';
import { Decimal, type KeyPart } from './key.ts';
import type { Bytes, Entry } from './port.ts';
import { decodeRecord, recordVersion } from './record.ts';
import { untuple } from './untuple.ts';

export interface DumpFilter {
  readonly tenant?: number;
  readonly table?: number;
}

/**
 * Gives `line` each entry as JSON: shard, tenant, datastore, table (name, or the number that the tenant's schema gave), key,
 * value. What cannot be decoded is shown as `{hex}`. What still waits in a journal is not shown: start and stop once before.
 */
export async function dumpStorage(
  dataDir: string,
  line: (json: string) => void,
  filter: DumpFilter = {},
): Promise<void> {
  for (const no of findShards(dataDir)) await dumpShard(dataDir, no, line, filter);
}

/** As dumpStorage, for one shard. */
export function dumpShard(
  dataDir: string,
  no: number,
  line: (json: string) => void,
  filter: DumpFilter = {},
): Promise<void> {
  return withShard(dataDir, no, (environment) => dumpEntries(no, environment, line, filter));
}

function dumpEntries(shard: number, environment: Environment, line: (json: string) => void, filter: DumpFilter): void {
  for (const entry of environment.range('\0', KEYS_END)) {
    const place = placeOf(entry.key);
    if (place === null) continue;
    const { tenant, datastore, table, tableName, tuple } = place;
    if ((filter.tenant ?? tenant) !== tenant || (filter.table ?? table) !== table) continue;
    const where = { shard, tenant, datastore, table: tableName ?? table };
    line(JSON.stringify({ ...where, key: keyOf(tuple), ...valueOf(entry) }));
  }
}

function keyOf(bytes: Bytes): unknown {
  return untuple(bytes)?.map(plainPart) ?? { hex: Buffer.from(bytes, 'latin1').toString('hex') };
}

function plainPart(part: KeyPart): unknown {
  return part instanceof Decimal ? part.text : part;
}

/** A dump shows what it can of newer records, too. */
const ANY_VERSION = 255;

/** A sealed record with its version, an index entry as the id that it names, else bytes. */
function valueOf({ value }: Entry): object {
  try {
    return { version: recordVersion(value), value: plain(decodeRecord(value, 'dump', ANY_VERSION)) };
  } catch {
    const bytes = Buffer.from(value).toString('latin1');
    return bytes === '' ? { entry: null } : { entry: keyOf(bytes) };
  }
}

/** Byte fields as hex, big integers as text. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return { hex: Buffer.from(value).toString('hex') };
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, plain(field)]));
}
