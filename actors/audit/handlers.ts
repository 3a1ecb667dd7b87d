/** One handler per route row of routes.ts. */
import type { Handlers } from '#actors/host/service.ts';
import { reply } from '#actors/protocol/route.ts';
import { append } from './append.ts';
import type { Audit } from './audit.ts';
import { query } from './query.ts';
import type { Routes } from './routes.ts';
import { listLogs, proveConsistency, proveInclusion, showCheckpoint, showCosigned, showLog, showTile } from './show.ts';
import { showNewest, showSource } from './source-mark.ts';

export function handlersOf(audit: Audit): Handlers<Routes> {
  return {
    append: (call) => append(audit, call),
    records: (call) => query(audit, call),
    logs: (call) => listLogs(audit, call),
    log: (call) => showLog(audit, call),
    checkpoint: (call) => showCheckpoint(audit, call),
    cosigned: (call) => showCosigned(audit, call),
    tile: (call) => showTile(audit, call),
    inclusion: (call) => proveInclusion(audit, call),
    consistency: (call) => proveConsistency(audit, call),
    source: (call) => showSource(audit, call),
    newest: (call) => showNewest(audit, call),
    health: () => reply(200, { healthy: true, version: audit.version }),
    ready: () => (audit.draining ? reply(503, { ready: false }) : reply(200, { ready: true })),
  };
}
