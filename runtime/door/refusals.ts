/** The door's own refusals (actors/protocol/door-refusals.ts), the only bodies that it makes; all others come from services. */
import type { CompiledRoute } from '#actors/host/call.ts';
import { refuse as refuseIntake } from '#actors/intake/refusals.ts';
import { doorRefusals } from '#actors/protocol/door-refusals.ts';
import { refuserOf, type Refusal } from '#actors/protocol/refusal.ts';

export const refuseAtDoor = refuserOf(doorRefusals);

/** Refuses a body above the cap, with the service's own refusal where it has one. */
export function refuseTooLarge(route: CompiledRoute, bytesMax: number): Refusal {
  const message = `the body is larger than ${bytesMax} bytes`;
  if (route.row.to === 'intake') return refuseIntake('intake.too_large', { message });
  return refuseAtDoor('body_too_large', { message });
}

/** Refuses a body that was not complete by the listener's read timeout. */
export function refuseTooSlow(route: CompiledRoute): Refusal {
  return route.row.to === 'intake' ? refuseIntake('intake.read_timeout') : refuseAtDoor('body_too_slow');
}
