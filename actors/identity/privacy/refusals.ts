/** Refusals of exports and erasures. Spec: docs/contract/privacy.md. */
import { coded, defineRefusals } from '#actors/protocol/refusal.ts';

export const privacyRefusals = defineRefusals({
  erasures_full: coded(503, 'too many erasures of this tenant are under way: try again later'),
  exports_full: coded(503, 'other exports of persons of this tenant are under way: try again later'),
});
