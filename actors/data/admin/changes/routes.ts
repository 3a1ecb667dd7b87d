/**
 * The admin plane's rows of consumer groups (docs/contract/changes.md §8.4). Who: administrators of the tenant and superadmins. What it costs: one record for each
 * group that may be declared.
 */
import { defineRoutes } from '#actors/protocol/route.ts';
import type { refusals } from '../../refusals.ts';
import { CLASSES } from '../class.ts';
import * as shapes from './shapes.ts';

const plane = { position: 'door', ack: 'fsync', emptyParams: true, body: 'none' } as const;
const everywhere = [
  'unauthorized',
  'v2.no_tenant',
  'v2.engine_unavailable',
  'v2.requires_admin',
  'v2.datastore_not_found',
] as const;

export const changeGroupRows = defineRoutes<typeof refusals>()({
  change_groups: {
    ...plane,
    callers: CLASSES.Read,
    methods: ['GET'],
    path: '/data/admin/data/changes/groups',
    replies: { 200: shapes.groupList },
    refusals: everywhere,
    summary: 'List consumer groups of changes, each with its place',
  },
  change_group_remove: {
    ...plane,
    callers: CLASSES.Maintenance,
    methods: ['DELETE'],
    path: '/data/admin/data/changes/groups/{name}',
    replies: { 200: shapes.groupRemoved },
    refusals: [...everywhere, 'v2.changes_group_not_found'],
    summary: 'Remove the place of a consumer group: the next caller that acknowledges has the group',
  },
});

export type ChangeGroupRows = typeof changeGroupRows;
