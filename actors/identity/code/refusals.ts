/** Refusals of logins with a mailed code. Spec: docs/contract/identity-mails.md §5. */
import { defineRefusals } from '#actors/protocol/refusal.ts';

export const codeRefusals = defineRefusals({
  invalid_mailed_code: {
    statuses: [401],
    family: 'coded',
    cause: 'the code is wrong, used, expired or was guessed at too often',
  },
});
