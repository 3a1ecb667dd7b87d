/**
 * The admin plane: every row with its class (class.ts). The superadmin plane's mirror is derived from these rows (mirror.ts).
 * A row without a body takes `datastore` from the query, one with a body from the body (docs/contract/data-admin.md).
 */
import { defineRoutes } from '#actors/protocol/route.ts';
import type { refusals } from '../refusals.ts';
import { CLASSES } from './class.ts';
import { upkeepRows } from './upkeep-routes.ts';
import { appliedPlan, appliedSteps, generatedPlan, ledgerPlan, planApply, planGenerate } from './plan/shapes.ts';
import { BODY_REFUSALS } from './body-refusals.ts';
import { actionExplain, actionExplained, actionList, hashList, referenceList } from './shapes.ts';
import { changeGroupRows } from './changes/routes.ts';
import { explainRows } from './explain/routes.ts';
import { submissionRows } from './submission/routes.ts';
import { triggerRows } from './trigger/routes.ts';

/** Every row of the plane. */
const plane = { position: 'door', ack: 'fsync', emptyParams: true } as const;
const everywhere = ['unauthorized', 'v2.no_tenant', 'v2.engine_unavailable'] as const;
/** Rows about one datastore: the gate checks the name in the query, `readBody` the one in the body. */
const administered = [...everywhere, 'v2.requires_admin', 'v2.datastore_not_found'] as const;

export const adminRows = defineRoutes<typeof refusals>()({
  ...upkeepRows,
  ...triggerRows,
  ...submissionRows,
  ...changeGroupRows,
  ...explainRows,
  plan_generate: {
    ...plane,
    callers: CLASSES.Generate,
    methods: ['POST'],
    path: '/data/admin/data/plans',
    body: 'json',
    request: planGenerate,
    replies: { 200: generatedPlan },
    refusals: [...everywhere, 'v2.requires_admin', ...BODY_REFUSALS, 'v2.definitions_invalid'],
    summary: 'Make a migration plan: what is declared now against what is stored',
  },
  plan_show: {
    ...plane,
    callers: CLASSES.Read,
    methods: ['GET'],
    path: '/data/admin/data/plans/{id}',
    body: 'none',
    replies: { 200: ledgerPlan },
    refusals: [...administered, 'v2.missing_plan_id', 'v2.plan_not_found'],
    summary: 'Show a plan and its steps',
  },
  plan_apply: {
    ...plane,
    callers: CLASSES.Apply,
    methods: ['POST'],
    path: '/data/admin/data/plans/{id}/apply',
    body: 'json',
    request: planApply,
    replies: { 200: appliedPlan, 207: appliedPlan },
    refusals: [
      ...everywhere,
      'v2.requires_superadmin',
      ...BODY_REFUSALS,
      'v2.missing_plan_id',
      'v2.bad_risk',
      'v2.plan_not_found',
      'v2.locked',
      'v2.lock_lost',
      'v2.plan_apply_failed',
    ],
    summary: 'Apply a plan up to a confirmed risk',
  },
  plan_applied: {
    ...plane,
    callers: CLASSES.Read,
    methods: ['GET'],
    path: '/data/admin/data/applied',
    body: 'none',
    replies: { 200: appliedSteps },
    refusals: [...administered, 'v2.missing_plan_id'],
    summary: 'List the applied steps of a plan',
  },
  action_list: {
    ...plane,
    callers: CLASSES.Read,
    methods: ['GET'],
    path: '/data/admin/data/actions',
    body: 'none',
    replies: { 200: actionList },
    refusals: administered,
    summary: 'List the declared actions',
  },
  action_explain: {
    ...plane,
    callers: CLASSES.Read,
    methods: ['POST'],
    path: '/data/admin/data/actions/{name}/explain',
    body: 'json',
    request: actionExplain,
    replies: { 200: actionExplained },
    refusals: [
      ...everywhere,
      'v2.requires_admin',
      ...BODY_REFUSALS,
      'v2.action_not_found',
      'v2.action_writes',
      'v2.forbidden',
      'v2.bad_params',
      'v2.action_failed',
      'v2.engine_unexpected_type',
    ],
    whileReadOnly: true,
    summary: 'Say how the statement of an action finds its rows, and how many it looks at',
  },
  references: {
    ...plane,
    callers: CLASSES.Read,
    methods: ['GET'],
    path: '/data/admin/data/references/{entity}',
    body: 'none',
    replies: { 200: referenceList },
    refusals: [...administered, 'v2.bad_path', 'v2.entity_not_found'],
    summary: 'List the fields that refer to an entity',
  },
  hashes: {
    ...plane,
    callers: CLASSES.Read,
    methods: ['GET'],
    path: '/data/admin/data/hashes',
    body: 'none',
    replies: { 200: hashList },
    refusals: [...everywhere, 'v2.requires_admin'],
    summary: 'Whether the plane can be reached',
  },
});

export type AdminRows = typeof adminRows;
