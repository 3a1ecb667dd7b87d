/** Bodies of writes: the row object with no wrapper (docs/contract/data.md §6.1, §6.3). */
import type { Call } from '#actors/host/call.ts';
import type { Input } from '#actors/kit/field-check.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { refuse } from '../refusals.ts';

/** The body as an object, or 400 `v2.bad_json` saying what is wrong with it. */
export function objectBody(call: Call): Input | Refusal<'v2.bad_json'> {
  const parsed = call.exactJson();
  if (!parsed.ok) return refuse('v2.bad_json', { message: parsed.fault });
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refuse('v2.bad_json', { message: 'body must be a JSON object' });
  return value as Input;
}
