/** Reads bodies by their declared shape; every fault is `bad_request` and names the field. */
import type { z } from 'zod';
import type { Call } from '#actors/host/call.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { refuse } from './refusals.ts';

/** Wraps the caller's object: unwrapped, a body with the members of a refusal would pass for one. */
export type Read<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly refusal: Refusal<'bad_request'> };

const bad = (message: string): Read<never> => ({ ok: false, refusal: refuse('bad_request', { message }) });

/** The body as a JSON object; no bytes at all count as `{}` where `emptyIsObject`. */
export function readObject(call: Call, emptyIsObject = false): Read<object> {
  if (emptyIsObject && call.body.length === 0) return { ok: true, value: {} };
  const parsed = call.json();
  if (!parsed.ok) return bad(`the body is not valid JSON: ${parsed.fault}`);
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return bad('the body is not a JSON object');
  return { ok: true, value };
}

/** The object in its shape, without fields that the shape does not know. */
export function readShape<T extends z.ZodType>(object: object, shape: T): Read<z.output<T>> {
  const result = shape.safeParse(object);
  if (result.success) return { ok: true, value: result.data };
  const issue = result.error.issues[0]!;
  return bad(`${issue.path.join('.')}: ${issue.message}`);
}

/** `readObject`, then `readShape`. */
export function readBody<T extends z.ZodType>(call: Call, shape: T, emptyIsObject = false): Read<z.output<T>> {
  const object = readObject(call, emptyIsObject);
  return object.ok ? readShape(object.value, shape) : object;
}
