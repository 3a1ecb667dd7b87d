/** How the door refuses: the only bodies that it makes (actors/protocol/door-refusals.ts). Everything else is the services'. */
import type { CompiledRoute } from '#actors/host/call.ts';
import { refuse as refuseIntake } from '#actors/intake/refusals.ts';
import { doorRefusals } from '#actors/protocol/door-refusals.ts';
import { refuserOf } from '#actors/protocol/refusal.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';

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
