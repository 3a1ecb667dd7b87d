/** The admin plane's rows of a tenant's upkeep: locks, seeds, retention, handoff, materialized fields (data.md "Admin plane"). */
import { defineRoutes } from '#actors/protocol/route.ts';
import type { refusals } from '../refusals.ts';
import type { AdminRow } from './class.ts';
import { BODY_REFUSALS } from './read-body.ts';
import { lockList, lockReleased, seedList, seedReport, seedRun } from './upkeep-shapes.ts';

const plane = { position: 'door', auth: 'required', ack: 'fsync', emptyParams: true } as const;
const everywhere = ['unauthorized', 'v2.no_tenant', 'v2.engine_unavailable'] as const;
const reading = { ...plane, class: 'Read', methods: ['GET'], body: 'none' } as const;
const read = [...everywhere, 'v2.requires_admin', 'v2.datastore_not_found'] as const;
const locked = ['v2.locked', 'v2.lock_lost'] as const;

export const upkeepRows = defineRoutes<typeof refusals>()({
  locks: {
    ...reading,
    path: '/data/admin/data/locks',
    replies: { 200: lockList },
    refusals: read,
    summary: 'List locks',
  },
  lock_release: {
    ...plane,
    class: 'Locks',
    methods: ['DELETE'],
    path: '/data/admin/data/locks/{resource}',
    body: 'none',
    replies: { 200: lockReleased },
    refusals: [...everywhere, 'v2.requires_superadmin', 'v2.datastore_not_found', 'v2.bad_path'],
    summary: 'Release a lock whoever holds it: the holder fails at its next heartbeat',
  },
  seeds: {
    ...reading,
    path: '/data/admin/data/seeds',
    replies: { 200: seedList },
    refusals: read,
    summary: 'List seeds with what the ledger knows of them',
  },
  seed_run: {
    ...plane,
    class: 'Seed',
    methods: ['POST'],
    path: '/data/admin/data/seeds/runs',
    body: 'json',
    request: seedRun,
    replies: { 200: seedReport, 207: seedReport },
    refusals: [...everywhere, 'v2.requires_admin', ...BODY_REFUSALS, ...locked, 'v2.seed_not_found'],
    summary: 'Run seeds; 207 when one failed',
  },
} as const satisfies Readonly<Record<string, AdminRow>>);

export type UpkeepRows = typeof upkeepRows;
