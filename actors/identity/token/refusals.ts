/** Refusals of the routes about tokens. Spec: docs/contract/identity-tokens.md. */
import { coded, defineRefusals } from '#actors/protocol/refusal.ts';

export const tokenRefusals = defineRefusals({
  introspect_denied: coded(403, 'tokens are looked up by service tokens, service keys and the tenant’s administrators'),
  /** Its `error` is the code (RFC 7009 §2.2.1, RFC 6749 §5.2). */
  unsupported_token_type: coded(400, 'unsupported_token_type'),
});
