/** Refusals of logins with a mailed code. Spec: docs/contract/identity-mails.md §5. */
import { coded, defineRefusals } from '#actors/protocol/refusal.ts';

export const codeRefusals = defineRefusals({
  invalid_mailed_code: coded(401, 'the code is wrong, used, expired or was guessed at too often'),
});
