/** Seeds that are declared, with what the ledger knows of each (docs/contract/data-admin.md §4.2). */
import type { SeedDefinition } from '#config/definitions/product.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { Reader } from '#actors/engine/rows/store.ts';
import type { SeedEntry } from '#actors/protocol/upkeep-shapes.ts';
import { seedRecord } from './store.ts';

export function listSeeds(reader: Reader, seeds: readonly SeedDefinition[]): SeedEntry[] {
  return seeds.map((seed) => entryOf(reader, seed));
}

function entryOf(reader: Reader, { name, entity, source, strategy }: SeedDefinition): SeedEntry {
  const known = seedRecord(reader, name);
  const head = { name, entity, source, strategy };
  if (known === undefined) return { ...head, status: 'pending' };
  const { status, applied_checksum, applied_ms, error } = known;
  return {
    ...head,
    status,
    ...(applied_checksum !== '' && { applied_at: timestamp(applied_ms), applied_checksum }),
    ...(error !== '' && { error }),
  };
}
