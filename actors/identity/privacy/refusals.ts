/** Refusals of exports and erasures. Spec: docs/contract/privacy.md. */
import { defineRefusals } from '#actors/protocol/refusal.ts';

export const privacyRefusals = defineRefusals({
  erasures_full: {
    statuses: [503],
    family: 'coded',
    cause: 'too many erasures of this tenant are under way: try again later',
  },
  exports_full: {
    statuses: [503],
    family: 'coded',
    cause: 'other exports of persons of this tenant are under way: try again later',
  },
});
