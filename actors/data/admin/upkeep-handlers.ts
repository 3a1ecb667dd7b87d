/** Which function answers which row of a tenant's upkeep. */
import type { Handlers } from '#actors/host/service.ts';
import { locks, releaseLocked } from './lock/handlers.ts';
import { seedRun, seeds } from './seed/handlers.ts';
import type { UpkeepRows } from './upkeep-routes.ts';

export const upkeepHandlers: Handlers<UpkeepRows> = {
  locks,
  lock_release: releaseLocked,
  seeds,
  seed_run: seedRun,
};
