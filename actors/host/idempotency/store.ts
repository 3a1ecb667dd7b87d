/** Answers that are kept for a retry, and the order in which they expire. */
import { TABLES } from '#storage/catalogue.ts';
import type { Turn } from '#storage/port.ts';
import { Table } from '#storage/table.ts';

/** A reply as it was sent, and the request that it answered. */
export interface KeptAnswer {
  /** SHA-256 of the request: the same key with another one is refused. */
  readonly request: string;
  readonly status: number;
  readonly type: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly expiresAtMs: number;
}

interface Expiry {
  readonly id: string;
  readonly expiresAtMs: number;
}

const answers = new Table<KeptAnswer>('idempotency', TABLES.idempotency);
const expiries = new Table<Expiry>('idempotency_expiry', TABLES.idempotency_expiry);

/** The answer under an id, unless it has expired. */
export function getAnswer(turn: Turn, id: string, nowMs: number): KeptAnswer | undefined {
  const kept = answers.get(turn, id);
  return kept === undefined || kept.expiresAtMs <= nowMs ? undefined : kept;
}

export function putAnswer(turn: Turn, id: string, answer: KeptAnswer): void {
  const { expiresAtMs } = answer;
  answers.put(turn, answer, id);
  expiries.put(turn, { id, expiresAtMs }, expiresAtMs, id);
}

/** Drops up to `limit` answers that have expired, oldest first. */
export function sweepAnswers(turn: Turn, nowMs: number, limit: number): void {
  const expired: Expiry[] = [];
  for (const expiry of expiries.scan(turn)) {
    if (expiry.expiresAtMs > nowMs || expired.length === limit) break;
    expired.push(expiry);
  }
  for (const { id, expiresAtMs } of expired) {
    expiries.del(turn, expiresAtMs, id);
    // Its key may have been used again since.
    if (answers.get(turn, id)?.expiresAtMs === expiresAtMs) answers.del(turn, id);
  }
}
