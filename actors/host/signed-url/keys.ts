/**
 * The keys that sign the URLs of a tenant's files, a pair for each service: the newest signs, and the one before it verifies too. They are made
 * here, stored with the tenant, and shown to no caller and no operator.
 */
import { limits } from '#config/limits.ts';
import { TABLES } from '#storage/catalogue.ts';
import type { Lookup, Turn } from '#storage/port.ts';
import { Table } from '#storage/table.ts';
import type { Work } from '../work.ts';

export interface UrlKey {
  /** Counts from 1; a URL names it. */
  readonly id: number;
  readonly secret: Uint8Array;
  readonly madeAtMs: number;
}

interface UrlKeys {
  readonly newest: UrlKey;
  readonly before: UrlKey | null;
}

const KEY_BYTES = 32;
const table = new Table<UrlKeys>('url_key', TABLES.url_key);

/** The key that signs now; the first one, and the next one where its time has come, are staged in the turn of the work. */
export function signingKey(work: Work, service: string): UrlKey {
  const turn = work.turn();
  const known = table.get(turn, service);
  if (known !== undefined && work.now - known.newest.madeAtMs < limits.signedUrl.keyLifeMs) return known.newest;
  return staged(work, turn, service, known, known?.newest ?? null);
}

/** The key of this number, if it still counts. */
export function verifyingKey(reader: Lookup, service: string, id: number): UrlKey | undefined {
  const known = table.get(reader, service);
  if (known === undefined) return undefined;
  if (known.newest.id === id) return known.newest;
  return known.before?.id === id ? known.before : undefined;
}

/** Stages a new key. With `ends` the one before it counts no more either, so that every URL that is out ends. Gives the number of the new key. */
export function rotateKeys(work: Work, service: string, ends: boolean): number {
  const turn = work.turn();
  const known = table.get(turn, service);
  return staged(work, turn, service, known, ends ? null : (known?.newest ?? null)).id;
}

function staged(work: Work, turn: Turn, service: string, known: UrlKeys | undefined, before: UrlKey | null): UrlKey {
  const secret = work.activation.context.random(KEY_BYTES);
  const newest = { id: (known?.newest.id ?? 0) + 1, secret, madeAtMs: work.now };
  table.put(turn, { newest, before }, service);
  return newest;
}
