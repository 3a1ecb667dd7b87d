/** The admin plane's rows of triggers and of their events that wait or have failed (docs/contract/triggers.md §4). */
import { defineRoutes } from '#actors/protocol/route.ts';
import type { refusals } from '../../refusals.ts';
import { CLASSES } from '../class.ts';
import * as shapes from './shapes.ts';

const plane = { position: 'door', ack: 'fsync', emptyParams: true, body: 'none' } as const;
const reading = { ...plane, callers: CLASSES.Read, methods: ['GET'] } as const;
const changing = { ...plane, callers: CLASSES.Maintenance } as const;
const everywhere = [
  'unauthorized',
  'v2.no_tenant',
  'v2.engine_unavailable',
  'v2.requires_admin',
  'v2.datastore_not_found',
] as const;

export const triggerRows = defineRoutes<typeof refusals>()({
  triggers: {
    ...reading,
    path: '/data/admin/data/triggers',
    replies: { 200: shapes.triggerList },
    refusals: everywhere,
    summary: 'List triggers, with how many of their events wait, succeeded, failed and were dropped',
  },
  trigger_events: {
    ...reading,
    path: '/data/admin/data/triggers/events',
    replies: { 200: shapes.eventList },
    refusals: [...everywhere, 'v2.bad_outcome'],
    summary: 'List events of triggers that wait, oldest first, then those that ended without success, newest first',
  },
  trigger_event_retry: {
    ...changing,
    methods: ['POST'],
    path: '/data/admin/data/triggers/events/{id}/retry',
    replies: { 200: shapes.eventRetried },
    refusals: [...everywhere, 'v2.trigger_event_not_found', 'v2.outbox_full'],
    summary: 'Put an event that ended without success back, under its id; one that waits is tried soon',
  },
  trigger_event_drop: {
    ...changing,
    methods: ['DELETE'],
    path: '/data/admin/data/triggers/events/{id}',
    replies: { 200: shapes.eventDropped },
    refusals: [...everywhere, 'v2.trigger_event_not_found'],
    summary: 'End an event that waits, or forget one that has ended',
  },
});

export type TriggerRows = typeof triggerRows;
