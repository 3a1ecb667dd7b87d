/** The rate gate's own refusal. Spec identity.md "Rate-limit rejection body". */
import { defineRefusals } from '#actors/protocol/refusal.ts';

export const refusals = defineRefusals({
  rate_limited: { statuses: [429], family: 'rate', cause: 'too many requests of this caller under this rate profile' },
});
