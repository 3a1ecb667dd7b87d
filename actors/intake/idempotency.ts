/**
 * Retried submissions. For 24 hours a retry under the same key gets the first id again; a different submission under the key is refused. A retry
 * that comes while the first submission is being stored waits and gets the same answer, so that a double click does not show an error after a
 * success. Spec: docs/contract/intake.md §4.5, docs/contract/common.md §4.3.
 */
import { limits } from '#config/limits.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { IDEMPOTENCY_FIELD, isEmpty, valueOf, type Input } from './input.ts';
import { refuse } from './refusals.ts';

/** Visible ASCII, which a header can have. */
const KEY = /^[\x21-\x7e]+$/;

/** The key of a request, '' without one. Refuses 400 for one that is malformed, and for two that differ. */
export function idempotencyKey(header: string | undefined, input: Input): string | Refusal<'intake.bad_request'> {
  const field = valueOf(input, IDEMPOTENCY_FIELD);
  if (input.repeated.has(IDEMPOTENCY_FIELD)) return bad('was given more than once');
  const byField = isEmpty(field) ? '' : field;
  const byHeader = header ?? '';
  if (byField !== '' && byHeader !== '' && byField !== byHeader) return bad('differs between header and field');
  const key = byHeader === '' ? byField : byHeader;
  if (key === '') return '';
  const fits = typeof key === 'string' && key.length <= limits.intake.idempotencyKeyCharsMax && KEY.test(key);
  return fits ? key : bad(`must be 1 to ${limits.intake.idempotencyKeyCharsMax} visible ASCII characters`);
}

function bad(what: string): Refusal<'intake.bad_request'> {
  return refuse('intake.bad_request', { message: `the idempotency key ${what}` });
}

/** The first submission under a key. */
export interface FirstUse {
  readonly id: string;
  readonly received_at: string;
  readonly digest: string;
}

/** Whether a first use is recent enough to bind its key. */
export function isBinding(use: FirstUse, nowMs: number): boolean {
  return Date.parse(use.received_at) > nowMs - limits.intake.idempotencyMs;
}

/** First uses in memory, oldest first, at most `keysMax`: for `backend: jsonl`. */
export class RecentKeys {
  readonly #uses = new Map<string, FirstUse>();
  readonly #keysMax: number;

  constructor(keysMax: number = limits.intake.idempotencyKeysMax) {
    this.#keysMax = keysMax;
  }

  get(form: string, key: string): FirstUse | undefined {
    return this.#uses.get(`${form}\n${key}`);
  }

  /** Forgets first uses by their ids. */
  forget(ids: ReadonlySet<string> | ReadonlyMap<string, unknown>): void {
    for (const [name, { id }] of this.#uses) if (ids.has(id)) this.#uses.delete(name);
  }

  /** Remembers a use; forgets uses that no longer bind, and the oldest beyond the bound. */
  add(form: string, key: string, use: FirstUse, nowMs: number): void {
    this.#uses.delete(`${form}\n${key}`);
    this.#uses.set(`${form}\n${key}`, use);
    for (const [name, oldest] of this.#uses) {
      if (this.#uses.size <= this.#keysMax && isBinding(oldest, nowMs)) return;
      this.#uses.delete(name);
    }
  }
}
