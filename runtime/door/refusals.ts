/** What the door itself answers: the only bodies that it makes. Everything else is the services'. */
import type { CompiledRoute } from '#actors/host/call.ts';
import { refuse as refuseIntake } from '#actors/intake/refusals.ts';
import { defineRefusals, refuserOf } from '#actors/protocol/refusal.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';

export const doorRefusals = defineRefusals({
  'invalid tenant': {
    statuses: [400],
    family: 'coded',
    cause: 'invalid tenant',
  },
  'v2.no_tenant': {
    statuses: [403],
    family: 'coded',
    cause: 'the tenant at this position is not active: provision it first',
  },
  body_too_large: { statuses: [413], family: 'coded', cause: 'the body is larger than this route takes' },
  body_too_slow: { statuses: [408], family: 'coded', cause: 'the body did not arrive in time' },
  rate_limited: { statuses: [429], family: 'rate', cause: 'the bucket of this profile and caller is empty' },
  overloaded: { statuses: [503], family: 'coded', cause: 'too many requests are in flight; try again shortly' },
  unavailable: {
    statuses: [503],
    family: 'coded',
    cause: 'the thread that serves this tenant restarts; a change that was in flight may or may not have happened',
  },
  not_found: { statuses: [404], family: 'bare', cause: 'no route at this path' },
  method_not_allowed: { statuses: [405], family: 'bare', cause: 'a known path with a verb that has no row' },
});

export const refuseAtDoor = refuserOf(doorRefusals);

/** A body above the cap, in the words of the service where it has its own. */
export function refuseTooLarge(route: CompiledRoute, bytesMax: number): Refusal {
  const message = `the body is larger than ${bytesMax} bytes`;
  if (route.row.to === 'intake') return refuseIntake('intake.too_large', { message });
  return refuseAtDoor('body_too_large', { message });
}

/** A body that was not there by the listener's read timeout. */
export function refuseTooSlow(route: CompiledRoute): Refusal {
  return route.row.to === 'intake' ? refuseIntake('intake.read_timeout') : refuseAtDoor('body_too_slow');
}
