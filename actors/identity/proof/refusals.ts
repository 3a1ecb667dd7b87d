/** Refusals of what needs a fresh proof. Spec: docs/contract/identity-users.md §9. */
import { defineRefusals } from '#actors/protocol/refusal.ts';

export const proofRefusals = defineRefusals({
  proof_required: {
    statuses: [403],
    family: 'coded',
    cause:
      'the login is too old for this: get a proof at POST /auth/proof and send it in X-Skep-Proof, or log in again',
  },
});
