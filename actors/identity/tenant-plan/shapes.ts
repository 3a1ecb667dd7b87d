/** Bodies of the plans of a tenant. Spec: docs/contract/identity-users.md §6.1. */
import { z } from 'zod';
import { planReply } from '../deploy/shapes.ts';
import { ledgerPlan } from './ledger-shape.ts';

export { applyReply, applyRequest } from '../deploy/shapes.ts';
export const planShown = ledgerPlan;

export const planRequest = z.strictObject({
  /** The checkout of its product on the node as it is now, or the revision that the tenant served before the present one. */
  to: z.enum(['checkout', 'former']).optional(),
  /** Whether the plan may drop what is not declared any more. */
  allow_drops: z.boolean().optional(),
});

/** A plan to the checkout has no revision yet: it gets one when it is applied. */
export const planMade = planReply.partial({ revision: true, serves: true });
