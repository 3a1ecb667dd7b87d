/** Refusals of the administration of keys. Spec: docs/contract/identity-people.md §2. */
import { defineRefusals } from '#actors/protocol/refusal.ts';

export const keyRefusals = defineRefusals({
  unknown_key: { statuses: [404], family: 'coded', cause: 'the tenant has no key with this id' },
});
