/** What every route of a tenant's plans begins with: an operator over the tenant that the path names, and the body. */
import type { z } from 'zod';
import type { Call } from '#actors/host/call.ts';
import { isPlane, parsePosition, type Position } from '#actors/protocol/position.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { readSuperadmin, type Wish } from '../operator/read-superadmin.ts';
import { refuse } from '../refusals.ts';

export interface Asked<T> {
  readonly kind: 'asked';
  readonly target: Position;
  readonly value: T;
}

type Refused = Extract<Wish<never>, { readonly ok: false }>['refusal'] | Refusal<'unknown_tenant'>;

/** A text that is no tenant's key, and a plane, which has no schema, are unknown tenants. The shape is that of the body; no bytes at all count as `{}`. */
export function askedOf<T extends z.ZodType>(call: Call, shape: T): Asked<z.output<T>> | Refused {
  const target = parsePosition(call.param('key'));
  const wish = readSuperadmin(call, { shape, emptyIsObject: true, target: () => target });
  if (!wish.ok) return wish.refusal;
  if (target === null || isPlane(target)) return refuse('unknown_tenant');
  return { kind: 'asked', target, value: wish.value };
}
