/**
 * The admin plane: every row with its class (class.ts). The superadmin plane's mirror is derived from these rows (mirror.ts).
 * A row without a body takes `datastore` from the query, one with a body from the body (data.md "Admin plane").
 */
import { defineRoutes } from '#actors/protocol/route.ts';
import type { refusals } from '../refusals.ts';
import type { AdminRow } from './class.ts';
import { hashList, referenceList } from './shapes.ts';
import { upkeepRows } from './upkeep-routes.ts';

/** Every row of the plane. */
const plane = { position: 'door', auth: 'required', ack: 'fsync', emptyParams: true } as const;
const everywhere = ['unauthorized', 'v2.no_tenant', 'v2.engine_unavailable'] as const;
/** Rows that answer of one datastore: the gate checks the query's, `readBody` the body's. */
const administered = [...everywhere, 'v2.requires_admin', 'v2.datastore_not_found'] as const;

export const adminRows = defineRoutes<typeof refusals>()({
  ...upkeepRows,
  references: {
    ...plane,
    class: 'Read',
    methods: ['GET'],
    path: '/data/admin/data/references/{entity}',
    body: 'none',
    replies: { 200: referenceList },
    refusals: [...administered, 'v2.bad_path', 'v2.entity_not_found'],
    summary: 'List the fields that refer to an entity',
  },
  hashes: {
    ...plane,
    class: 'Read',
    methods: ['GET'],
    path: '/data/admin/data/hashes',
    body: 'none',
    replies: { 200: hashList },
    refusals: [...everywhere, 'v2.requires_admin'],
    summary: 'Whether the plane can be reached',
  },
} as const satisfies Readonly<Record<string, AdminRow>>);

export type AdminRows = typeof adminRows;
