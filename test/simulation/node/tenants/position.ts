/** Tenants with a data service: they live in the archive of the host beside those that turns are asked of. */
import { positionOf } from '#actors/protocol/position.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';

export const LIVING = 2;
const FIRST_NO = 100;

export const livingKey = (no: number): string => entryOf(no).position.key;

export function entryOf(no: number): TenantEntry {
  const position = positionOf('acme', 'shop', 'dev', `living${no}`)!;
  return { no: FIRST_NO + no, position, shard: no % 2, state: 'active', localdir: null };
}

export const DIRECTORY: readonly TenantEntry[] = Array.from({ length: LIVING }, (_, no) => entryOf(no));
