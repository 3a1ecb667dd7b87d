/** Refusals of what needs a fresh proof. Spec: docs/contract/identity-users.md §9. */
import { coded, defineRefusals } from '#actors/protocol/refusal.ts';

export const proofRefusals = defineRefusals({
  proof_required: coded(
    403,
    'the login is too old for this: get a proof at POST /auth/proof and send it in X-Skep-Proof, or log in again',
  ),
});
