/** The token that a body shows: form-encoded as RFC 7662 and RFC 7009 say, or JSON. */
import type { Call } from '#actors/host/call.ts';
import { bodyText } from '#actors/kit/json.ts';
import { refuse } from '../refusals.ts';
import { readBody, readShape, type Read } from '../read-body.ts';
import { tokenRequest } from './shapes.ts';

const FORM = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;

/** A member that comes twice is refused (RFC 6749 §3.2), since two readers could take different ones. */
export function readToken(call: Call): Read<{ readonly token: string }> {
  if (!FORM.test(call.header('content-type') ?? '')) return readBody(call, tokenRequest);
  const pairs = [...new URLSearchParams(bodyText(call.body) ?? '')];
  if (new Set(pairs.map(([name]) => name)).size < pairs.length) {
    const message = 'a parameter comes twice: send each one once';
    return { ok: false, refusal: refuse('bad_request', { message }) };
  }
  return readShape(Object.fromEntries(pairs), tokenRequest);
}
