/** The rate gate's own refusal. Spec: docs/contract/identity.md §7.3. */
import { defineRefusals } from '#actors/protocol/refusal.ts';

export const refusals = defineRefusals({
  rate_limited: { statuses: [429], family: 'rate', cause: 'too many requests of this caller under this rate profile' },
});
