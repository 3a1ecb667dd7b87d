/** JSON bodies. */
import type { Call } from '#actors/host/call.ts';
import { end } from './refused.ts';

/** The body as an object, or 400. */
export function objectOf(call: Call): Record<string, unknown> {
  const parsed = call.json();
  if (!parsed.ok) return end('content.bad_body', { message: parsed.fault });
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return end('content.bad_body', { message: 'the body must be a JSON object' });
  return { ...value };
}
