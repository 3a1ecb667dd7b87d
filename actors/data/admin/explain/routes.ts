/**
 * The admin plane's row of explanations (docs/contract/data-admin.md §10.4). Who: administrators of the tenant and superadmins; each answer is on record. What it costs: two
 * turns, one for the roles of the user, one with the rules of one row (../../explain/explain.ts). It writes nothing else, so that it answers of a read-only tenant, too.
 */
import { defineRoutes } from '#actors/protocol/route.ts';
import type { refusals } from '../../refusals.ts';
import { BODY_REFUSALS } from '../body-refusals.ts';
import { CLASSES } from '../class.ts';
import * as shapes from './shapes.ts';

export const explainRows = defineRoutes<typeof refusals>()({
  access_explain: {
    position: 'door',
    ack: 'fsync',
    emptyParams: true,
    callers: CLASSES.Read,
    methods: ['POST'],
    path: '/data/admin/data/explain',
    body: 'json',
    whileReadOnly: true,
    request: shapes.explainWish,
    replies: { 200: shapes.explained },
    refusals: [
      'unauthorized',
      'v2.no_tenant',
      'v2.engine_unavailable',
      'v2.requires_admin',
      ...BODY_REFUSALS,
      'v2.unknown_user',
      'v2.not_explained',
    ],
    summary: 'What the rules say to a user who sends a request: which rule decides, and what its conditions give',
  },
});

export type ExplainRows = typeof explainRows;
