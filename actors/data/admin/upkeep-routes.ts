/** The admin plane's rows of a tenant's upkeep: locks, seeds, retention, handoff, materialized fields (docs/contract/data-admin.md §4, §5, §6, §7). */
import { defineRoutes } from '#actors/protocol/route.ts';
import type { refusals } from '../refusals.ts';
import { CLASSES } from './class.ts';
import { BODY_REFUSALS } from './body-refusals.ts';
import * as told from '#actors/protocol/upkeep-shapes.ts';
import * as shapes from './upkeep-shapes.ts';

const plane = { position: 'door', ack: 'fsync', emptyParams: true } as const;
const everywhere = ['unauthorized', 'v2.no_tenant', 'v2.engine_unavailable'] as const;
const reading = { ...plane, callers: CLASSES.Read, methods: ['GET'], body: 'none' } as const;
const read = [...everywhere, 'v2.requires_admin', 'v2.datastore_not_found'] as const;
/** Refusals of rows with a body that superadmins alone may call. */
const retained = [...everywhere, 'v2.requires_superadmin', ...BODY_REFUSALS] as const;
const writing = { ...plane, callers: CLASSES.Retention, methods: ['POST'], body: 'json' } as const;
const locked = ['v2.locked', 'v2.lock_lost'] as const;

export const upkeepRows = defineRoutes<typeof refusals>()({
  locks: {
    ...reading,
    path: '/data/admin/data/locks',
    replies: { 200: told.lockList },
    refusals: read,
    summary: 'List locks',
  },
  lock_release: {
    ...plane,
    callers: CLASSES.Locks,
    methods: ['DELETE'],
    path: '/data/admin/data/locks/{resource}',
    body: 'none',
    replies: { 200: told.lockReleased },
    refusals: [...everywhere, 'v2.requires_superadmin', 'v2.datastore_not_found', 'v2.bad_path'],
    summary: 'Release any lock: its holder fails at the next heartbeat',
  },
  seeds: {
    ...reading,
    path: '/data/admin/data/seeds',
    replies: { 200: told.seedList },
    refusals: read,
    summary: 'List seeds with what the ledger knows of them',
  },
  seed_run: {
    ...plane,
    callers: CLASSES.Seed,
    methods: ['POST'],
    path: '/data/admin/data/seeds/runs',
    body: 'json',
    request: shapes.seedRun,
    replies: { 200: told.seedReport, 207: told.seedReport },
    refusals: [...everywhere, 'v2.requires_admin', ...BODY_REFUSALS, ...locked, 'v2.seed_not_found'],
    summary: 'Run seeds; 207 when one failed',
  },
  retention_run: {
    ...writing,
    path: '/data/admin/data/retention/runs',
    request: shapes.retentionRun,
    replies: { 200: told.retentionReport, 207: told.retentionReport },
    refusals: [...retained, ...locked, 'v2.entity_not_found'],
    summary: 'Run a pass of retention; 207 when a row failed',
  },
  retention_preview: {
    ...reading,
    path: '/data/admin/data/retention/preview',
    replies: { 200: told.retentionPreview },
    refusals: [...read, 'v2.entity_not_found'],
    summary: 'Count what a pass of retention would find',
  },
  handoff_claim: {
    ...writing,
    path: '/data/admin/data/retention/handoff/claim',
    request: shapes.handoffClaim,
    replies: { 200: shapes.handoffClaimed },
    refusals: [...retained, 'v2.missing_claimer'],
    summary: 'Claim rows that are to go to an archive elsewhere',
  },
  handoff_confirm: {
    ...writing,
    path: '/data/admin/data/retention/handoff/confirm',
    request: shapes.handoffConfirm,
    replies: { 200: shapes.handoffConfirmed },
    refusals: [...retained, 'v2.empty_confirmations'],
    summary: 'Confirm where claimed rows were stored, or say that they failed',
  },
  handoff_pending: {
    ...reading,
    path: '/data/admin/data/retention/handoff/pending',
    replies: { 200: shapes.handoffPending },
    refusals: read,
    summary: 'Count handoffs by entity, target and status',
  },
  retention_archives: {
    ...reading,
    path: '/data/admin/data/retention/archives',
    replies: { 200: shapes.archiveList },
    refusals: read,
    summary: 'List the declared archives',
  },
  retention_entities: {
    ...reading,
    path: '/data/admin/data/retention/entities',
    replies: { 200: told.retentionEntities },
    refusals: read,
    summary: 'List entities with their personal fields and their retention',
  },
  materialize_pending: {
    ...reading,
    path: '/data/admin/data/materialize/pending',
    replies: { 200: shapes.pendingTasks },
    refusals: [...read, 'v2.bad_cursor'],
    summary: 'List materialized fields that are to be computed',
  },
  materialize_stats: {
    ...reading,
    path: '/data/admin/data/materialize/stats',
    replies: { 200: shapes.materializeStats },
    refusals: read,
    summary: 'Count tasks of materialized fields, with the state of their runner',
  },
  materialize_drain: {
    ...plane,
    callers: CLASSES.Maintenance,
    methods: ['POST'],
    path: '/data/admin/data/materialize/drain',
    body: 'none',
    replies: { 200: shapes.drained },
    refusals: [...everywhere, 'v2.requires_admin', 'v2.datastore_not_found'],
    summary: 'Compute materialized fields now, in one pass',
  },
});

export type UpkeepRows = typeof upkeepRows;
