/** What the registry's routes begin with: body, position, superadmin, in identity's order. */
import type { z } from 'zod';
import type { Call } from '#actors/host/call.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { principalOf } from '../identity.ts';
import { missingPlace } from '../place.ts';
import { readBody } from '../read-body.ts';
import { challenge, refuse } from '../refusals.ts';

export type Wish<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      readonly refusal: Refusal<'auth_required' | 'bad_request' | 'no_tenant' | 'requires_superadmin'>;
    };

/** The body in its shape, of a caller who is a superadmin at his position (decisions.md "All services", Planes). */
export function readSuperadmin<T extends z.ZodType>(call: Call, shape: T, emptyIsObject: boolean): Wish<z.output<T>> {
  // A key does not stand in for a bearer here (identity.md "Authentication" lists where it does).
  if (principalOf(call).type === 'key') return { ok: false, refusal: challenge('auth_required') };
  const body = readBody(call, shape, emptyIsObject);
  if (!body.ok) return body;
  const refusal = missingPlace(call) ?? (isSuperadmin(principalOf(call)) ? null : refuse('requires_superadmin'));
  return refusal === null ? body : { ok: false, refusal };
}

/** Nobody is one by acting for one. */
function isSuperadmin({ superadmin, actor }: Principal): boolean {
  return superadmin && actor === null;
}
