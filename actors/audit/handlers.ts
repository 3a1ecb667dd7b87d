/** One handler per route row of routes.ts. */
import type { Handlers } from '#actors/host/service.ts';
import { healthy } from '#actors/host/readiness.ts';
import { reply } from '#actors/protocol/route.ts';
import { append } from './append.ts';
import type { Audit } from './audit.ts';
import { erase } from './erase.ts';
import { QUERY_PARAMETERS } from './filters.ts';
import { only } from './parameters.ts';
import { query } from './query.ts';
import type { Routes } from './routes.ts';
import { listLogs, proveConsistency, proveInclusion, showCheckpoint, showCosigned, showLog, showTile } from './show.ts';
import { showNewest, showSource } from './source-mark.ts';

const NONE: readonly string[] = [];

export function handlersOf(audit: Audit): Handlers<Routes> {
  return {
    append: only(['wait'], (call) => append(audit, call)),
    records: only(QUERY_PARAMETERS, (call) => query(audit, call)),
    erase: only(NONE, (call) => erase(audit, call)),
    logs: only(NONE, (call) => listLogs(audit, call)),
    log: only(NONE, (call) => showLog(audit, call)),
    checkpoint: only(NONE, (call) => showCheckpoint(audit, call)),
    cosigned: only(NONE, (call) => showCosigned(audit, call)),
    tile: only(NONE, (call) => showTile(audit, call)),
    inclusion: only(['index', 'size'], (call) => proveInclusion(audit, call)),
    consistency: only(['from', 'to'], (call) => proveConsistency(audit, call)),
    source: only(NONE, (call) => showSource(audit, call)),
    newest: only(['prefix', 'source', 'member'], (call) => showNewest(audit, call)),
    health: () => healthy(audit.version),
    ready: () => (audit.draining ? reply(503, { ready: false }) : reply(200, { ready: true })),
  };
}
