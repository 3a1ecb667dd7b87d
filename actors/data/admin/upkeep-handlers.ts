/** The handlers of a tenant's upkeep, by row. */
import type { Handlers } from '#actors/host/service.ts';
import { claimed, confirmed, pending } from './handoff/handlers.ts';
import { locks, releaseLocked } from './lock/handlers.ts';
import { drain, stats, tasks } from './materialize/handlers.ts';
import { archives, entities, preview, retentionRun } from './retention/handlers.ts';
import { seedRun, seeds } from './seed/handlers.ts';
import type { UpkeepRows } from './upkeep-routes.ts';

export const upkeepHandlers: Handlers<UpkeepRows> = {
  locks,
  lock_release: releaseLocked,
  seeds,
  seed_run: seedRun,
  retention_run: retentionRun,
  retention_preview: preview,
  handoff_claim: claimed,
  handoff_confirm: confirmed,
  handoff_pending: pending,
  retention_archives: archives,
  retention_entities: entities,
  materialize_pending: tasks,
  materialize_stats: stats,
  materialize_drain: drain,
};
