/** Refusals of deploys. Spec: docs/contract/platform.md §1.10. */
import { defineRefusals } from '#actors/protocol/refusal.ts';

export const deployRefusals = defineRefusals({
  deploy_denied: { statuses: [403], family: 'coded', cause: 'the key is not one for deploys to this product' },
  /** The message names file, line and column. */
  product_refused: { statuses: [422], family: 'coded', cause: 'the product cannot be served' },
  product_too_large: { statuses: [413], family: 'coded', cause: 'the archive has more bytes than a product may have' },
  unknown_revision: {
    statuses: [409],
    family: 'coded',
    cause: 'no such revision was sent lately: send the product again',
  },
  /** The message says why: a lock, a plan that is unknown, a schema that has changed. */
  deploy_failed: { statuses: [409, 500, 503], family: 'coded', cause: 'the tenant did not take the plan' },
});
