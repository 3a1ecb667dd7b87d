/** The intake service as its thread hosts it. It knows no tenant and no credential. */
import { defineService, type Service } from '#actors/host/service.ts';
import { intakeHandlers } from './handlers.ts';
import type { Intake } from './open-intake.ts';
import { refuse } from './refusals.ts';
import { intakeRoutes } from './routes.ts';

/** The service over an opened intake; its rows follow the intake's settings. */
export function intakeService(intake: Intake): Service {
  const { http } = intake.settings;
  return defineService({
    name: 'intake',
    routes: intakeRoutes({ bodyBytesMax: http.bodyBytesMax, origins: [] }),
    handlers: intakeHandlers(intake),
    authenticate: () => null,
    unavailable: (call, why) => {
      const refusal = why === 'fault' || why === 'too_costly' ? refuse('intake.internal') : refuse('intake.shedding');
      if (call.route.name === 'submit') intake.turnedAway(call, refusal);
      return refusal;
    },
    activate: () => undefined,
  });
}
