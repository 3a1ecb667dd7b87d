/** First steps of the routes that take a code: body, position, holder, in identity's order. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import { missingPlace } from '../place.ts';
import { readBody } from '../read-body.ts';
import { holderOf } from './holder.ts';
import { codeRequest } from './shapes.ts';

interface CodeWish {
  readonly kind: 'wish';
  readonly subject: string;
  readonly code: string;
}

export function readCode(call: Call): CodeWish | Refusal<'bad_request' | 'no_tenant' | 'mfa_denied'> {
  const body = readBody(call, codeRequest);
  if (!body.ok) return body.refusal;
  const missing = missingPlace(call);
  if (missing !== null) return missing;
  const holder = holderOf(call);
  return isRefusal(holder) ? holder : { kind: 'wish', subject: holder.subject, code: body.value.code };
}
