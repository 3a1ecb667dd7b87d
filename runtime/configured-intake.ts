/** Intake's rows under a platform's settings. */
import type { Platform } from '#config/platform.ts';
import type { RouteTable } from '#actors/protocol/route.ts';
import { intakeRoutes } from '#actors/intake/routes.ts';

export function configuredIntake(platform: Platform): RouteTable {
  const { http, cors } = platform.intake;
  // Origins are compared in the form that browsers send: lower case, without the scheme's default port.
  const origins = cors.origins.map((origin) => new URL(origin).origin);
  return intakeRoutes({ bodyBytesMax: http.max_body_bytes, origins });
}
