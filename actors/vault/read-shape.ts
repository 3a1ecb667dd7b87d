/** Reads a verb's body, its lifetimes and the page parameters of its lists. */
import type { z } from 'zod';
import { parseDuration } from '#config/values/duration.ts';
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { refuse } from './refusals.ts';

type Bad = Refusal<'vault.bad_request'>;

export const bad = (message: string): Bad => refuse('vault.bad_request', { message });

/** The body in its shape. Messages never repeat values: tokens and keys are among them. */
export function readShape<S extends z.ZodType>(call: Call, shape: S): z.output<S> | Bad {
  const json = call.json();
  if (!json.ok) return bad(json.fault);
  const read = shape.safeParse(json.value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  return bad(`${issue!.path.join('.') || 'the body'}: ${issue!.message}`);
}

/** Milliseconds of the requested lifetime; the default when none is requested. */
export function lifetimeOf(text: string | undefined, standardMs: number, maxMs: number, minMs = 1000): number | Bad {
  if (text === undefined) return standardMs;
  const ms = parseDuration(text);
  if (ms === null) return bad('ttl: write a duration such as 90s, 15m or 24h');
  if (ms < minMs || ms > maxMs) return bad(`ttl: ask for${minMs / 1000} to ${maxMs / 1000} seconds`);
  return ms;
}

export interface Page {
  readonly after: string | null;
  readonly limit: number;
}

const CURSOR = /^[0-9A-Za-z/_.-]{1,128}$/;

/** `after` and `limit` of a list. */
export function pageOf(call: Call): Page | Bad {
  const after = call.query.get('after');
  if (after !== null && !CURSOR.test(after)) return bad('after: give the `next` of the page before');
  const limit = wholeOf(call, 'limit', limits.pki.listDefault, 1, limits.pki.listMax);
  return typeof limit === 'number' ? { after, limit } : limit;
}

/** A whole number from the query. */
export function wholeOf(call: Call, name: string, standard: number, min: number, max: number): number | Bad {
  const text = call.query.get(name);
  if (text === null) return standard;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : bad(`${name}: write a whole number from ${min} to ${max}`);
}
