/** The body of an admin route: a JSON object of known members, `datastore` among them; an empty body is an empty object. */
import { z } from 'zod';
import type { Call } from '#actors/host/call.ts';
import { shown } from '#actors/kit/shown.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import { refuse } from '../refusals.ts';
import type { BODY_REFUSALS } from './body-refusals.ts';
import { unknownDatastore } from './gate.ts';

type BodyRefusal = Refusal<(typeof BODY_REFUSALS)[number]>;

/** The shape of a body with these members; null never counts as absent. */
export function bodyShape<T extends z.ZodRawShape>(members: T) {
  return z.strictObject({ datastore: z.string().optional(), ...members });
}

/** The body's members, or the refusal that says what is wrong with it and where. */
export function readBody<T extends z.ZodType<{ datastore?: string | undefined }>>(
  call: Call,
  shape: T,
): z.output<T> | BodyRefusal {
  const value = call.body.length === 0 ? {} : objectOf(call);
  if (isRefusal(value)) return value as BodyRefusal;
  const parsed = shape.safeParse(value);
  if (!parsed.success) return refuse('v2.invalid_body', faultOf(parsed.error));
  return unknownDatastore(parsed.data.datastore) ?? parsed.data;
}

function objectOf(call: Call): object | BodyRefusal {
  const json = call.json();
  if (!json.ok) return refuse('v2.bad_json', { message: json.fault });
  const { value } = json;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  return refuse('v2.bad_json', { message: 'the body is not a JSON object' });
}

function faultOf({ issues }: z.ZodError) {
  const { path, message } = issues[0]!;
  const at = shown(path.map(String).join('.'));
  return { message: shown(at === '' ? message : `${at}: ${message}`), details: { path: at } };
}
