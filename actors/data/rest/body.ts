/** Bodies of writes: the row object with no wrapper (docs/contract/data.md §6.1, §6.3). */
import type { Call } from '#actors/host/call.ts';
import type { Input } from '#actors/kit/field-check.ts';
import { isJsonObject } from '#actors/kit/long-number.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { refuse } from '../refusals.ts';

/** The body as an object, or 400 `v2.bad_json` saying what is wrong with it. */
export function objectBody(call: Call): Input | Refusal<'v2.bad_json'> {
  const parsed = call.exactJson();
  if (!parsed.ok) return refuse('v2.bad_json', { message: parsed.fault });
  const { value } = parsed;
  if (!isJsonObject(value)) return refuse('v2.bad_json', { message: 'body must be a JSON object' });
  return value;
}

/** The body as an object, or as an array of at least one; else 400 `v2.bad_json`. */
export function rowsBody(call: Call): Input | readonly Input[] | Refusal<'v2.bad_json'> {
  const parsed = call.exactJson();
  if (!parsed.ok) return refuse('v2.bad_json', { message: parsed.fault });
  const { value } = parsed;
  if (!Array.isArray(value) || value.length === 0)
    return isJsonObject(value)
      ? value
      : refuse('v2.bad_json', { message: 'body must be a JSON object, or an array of at least one' });
  const strange = value.findIndex((row) => !isJsonObject(row));
  if (strange < 0) return value as readonly Input[];
  return refuse('v2.bad_json', { message: `row ${strange} must be a JSON object`, details: { row: strange } });
}
