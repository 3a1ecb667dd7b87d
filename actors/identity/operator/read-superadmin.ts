/** First steps of the registry's routes: body, position, an operator whose plane is over the tenant, in identity's order. */
import type { z } from 'zod';
import type { Call } from '#actors/host/call.ts';
import { admits } from '#actors/kit/admits.ts';
import type { Position } from '#actors/protocol/position.ts';
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

/** How the body of a request is read, and which tenant it names: null for a text that is not a tenant's key. */
interface Reading<T extends z.ZodType> {
  readonly shape: T;
  readonly emptyIsObject: boolean;
  readonly target: (value: z.output<T>) => Position | null;
}

/**
 * The body in its shape, when the caller is a superadmin of the control plane or of the tenant's own operator plane. A tenant's superadmin is
 * refused, even for its own tenant: operators make and provision tenants. The event of the call names the tenant, refused or not; a text that is
 * not a tenant's key may be anything and is left out.
 */
export function readSuperadmin<T extends z.ZodType>(call: Call, reading: Reading<T>): Wish<z.output<T>> {
  // A key does not stand in for a bearer here (docs/contract/identity.md §4.2 lists where it does).
  if (principalOf(call).type === 'key') return { ok: false, refusal: challenge('auth_required') };
  const body = readBody(call, reading.shape, reading.emptyIsObject);
  if (!body.ok) return body;
  const target = reading.target(body.value);
  if (target !== null) call.involve({ target: target.key });
  const refusal = missingPlace(call) ?? refusedOutsider(call, target);
  return refusal === null ? body : { ok: false, refusal };
}

function refusedOutsider(call: Call, target: Position | null): Refusal<'requires_superadmin'> | null {
  return admits(call.route.row.callers, principalOf(call), target) ? null : refuse('requires_superadmin');
}
