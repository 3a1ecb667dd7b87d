/** Refusals of the administration of keys. Spec: docs/contract/identity-people.md §2. */
import { coded, defineRefusals } from '#actors/protocol/refusal.ts';

export const keyRefusals = defineRefusals({
  unknown_key: coded(404, 'the tenant has no key with this id'),
});
