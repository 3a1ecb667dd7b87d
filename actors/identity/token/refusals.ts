/** Refusals of the routes about tokens. Spec: docs/contract/identity-tokens.md. */
import { defineRefusals } from '#actors/protocol/refusal.ts';

export const tokenRefusals = defineRefusals({
  introspect_denied: {
    statuses: [403],
    family: 'coded',
    cause: 'tokens are looked up by service tokens, service keys and the tenant’s administrators',
  },
  /** Its `error` is the code (RFC 7009 §2.2.1, RFC 6749 §5.2). */
  unsupported_token_type: { statuses: [400], family: 'coded', cause: 'unsupported_token_type' },
});
