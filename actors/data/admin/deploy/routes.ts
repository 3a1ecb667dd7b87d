/**
 * What a deploy asks of a tenant beside the admin plane (docs/contract/platform.md §1.10): a row that no address leads to. Identity's routes
 * `/superadmin/deploy/…` authorize the caller and relay the call (actors/protocol/relay.ts).
 * Who may call it: identity of the same node alone. What it costs: the definitions of one kept revision are loaded and compared, in turns.
 * Whom it hurts: a fault is this call's; nothing is applied.
 */
import { z } from 'zod';
import { callers } from '#actors/protocol/callers.ts';
import { defineRoutes } from '#actors/protocol/route.ts';
import type { refusals } from '../../refusals.ts';
import { generatedPlan } from '../plan/shapes.ts';

export const deployRows = defineRoutes<typeof refusals>()({
  deploy_plan: {
    callers: callers({ further: 'identity of the same node' }),
    methods: ['POST'],
    path: '/inside/deploy/{tenant}/plan',
    position: 'door',
    ack: 'fsync',
    body: 'json',
    replies: { 200: generatedPlan.extend({ revision: z.string(), serves: z.string().nullable() }) },
    refusals: ['v2.bad_json', 'v2.invalid_body', 'v2.definitions_invalid'],
    summary: 'Make a plan to a kept revision',
  },
});

export type DeployRows = typeof deployRows;
