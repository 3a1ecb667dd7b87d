/** Reads a stopped data directory for people: `skep storage check` and `skep storage dump`. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { META_PREFIX } from './applied.ts';
import { DYNAMIC_TABLE_FIRST, TABLES } from './catalogue.ts';
import { openEnvironment, type Environment } from './environment.ts';
import { PageDamage } from './fault.ts';
import { after } from './key.ts';
import type { Bytes, Lookup } from './port.ts';

/** Where a physical key belongs. */
export interface Place {
  readonly tenant: number;
  readonly datastore: number;
  readonly table: number;
  /** Undefined for tables that a tenant's schema numbers. */
  readonly tableName: string | undefined;
  /** The tuple behind the table number. */
  readonly tuple: Bytes;
}

const PREFIX_BYTES = 5;
const NAMES = new Map<number, string>(Object.entries(TABLES).map(([name, { no }]) => [no, name]));

/** The place of a physical key; null for the environment's own keys. */
export function placeOf(key: Bytes): Place | null {
  if (key.startsWith(META_PREFIX) || key.length < PREFIX_BYTES + 2) return null;
  const at = (i: number): number => key.charCodeAt(i);
  const table = (at(5) << 8) | at(6);
  return {
    tenant: ((at(0) << 24) | (at(1) << 16) | (at(2) << 8) | at(3)) >>> 0,
    datastore: at(4),
    table,
    tableName: NAMES.get(table),
    tuple: key.slice(PREFIX_BYTES + 2),
  };
}

export function isDynamic(place: Place): boolean {
  return place.table >= DYNAMIC_TABLE_FIRST;
}

/** Numbers of the shards that have an environment, in order. */
export function findShards(dataDir: string): number[] {
  const root = join(dataDir, 'shards');
  if (!existsSync(root)) return [];
  const names = readdirSync(root).filter((name) => /^\d+$/.test(name) && existsSync(join(root, name, 'data.mdb')));
  return names.map(Number).sort((a, b) => a - b);
}

/** Opens a shard's environment for reading and closes it after `use`. */
export async function withShard<T>(dataDir: string, no: number, use: (environment: Environment) => T): Promise<T> {
  const environment = openEnvironment(join(dataDir, 'shards', String(no)), { readOnly: true, onFatal: refuse });
  try {
    return use(environment);
  } finally {
    await environment.close();
  }
}

/** One tenant's datastore in an environment, as its own keys see it. */
export function tenantLookup(environment: Lookup, prefix: Bytes): Lookup {
  return {
    get: (key) => environment.get(prefix + key),
    *range(from, to, reverse) {
      for (const { key, value } of environment.range(prefix + from, prefix + to, reverse))
        yield { key: key.slice(prefix.length), value };
    },
  };
}

/** The prefixes of all tenants' datastores in an environment, in order. */
export function tenantPrefixes(environment: Lookup): Bytes[] {
  const found: Bytes[] = [];
  let from = '\0';
  for (;;) {
    let next: Bytes | null = null;
    for (const { key } of environment.range(from, META_PREFIX)) {
      next = key.slice(0, PREFIX_BYTES);
      break;
    }
    if (next === null) return found;
    found.push(next);
    from = after(next);
  }
}

/**
 * Throws PageDamage where a walk over all keys has not met as many as LMDB counts: a page then refers to another one than it did, and
 * the entries below it are out of reach.
 */
export function refuseMissing(environment: Environment, no: number, met: number): void {
  const { entries } = environment.stats();
  if (met !== entries) throw new PageDamage(`shard ${no}`, `LMDB counts ${entries} entries, and ${met} can be reached`);
}

function refuse(error: Error): never {
  throw error;
}

/** Above every key. */
export const KEYS_END = '\xff'.repeat(16);
