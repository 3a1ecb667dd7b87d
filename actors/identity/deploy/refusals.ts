/** Refusals of deploys. Spec: docs/contract/platform.md §1.10. */
import { coded, defineRefusals } from '#actors/protocol/refusal.ts';

export const deployRefusals = defineRefusals({
  deploy_denied: coded(403, 'the key is not one for deploys to this product'),
  /** The message names file, line and column. */
  product_refused: coded(422, 'the product cannot be served'),
  product_too_large: coded(413, 'the archive has more bytes than a product may have'),
  unknown_revision: coded(409, 'no such revision was sent lately: send the product again'),
  /** The message says why: a lock, a plan that is unknown, a schema that has changed. */
  deploy_failed: coded([409, 500, 503], 'the tenant did not take the plan'),
});
