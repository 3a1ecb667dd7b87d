/** `POST /auth/token`. Spec: docs/contract/identity.md §3.2, §5.3. */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { admits } from '#actors/kit/admits.ts';
import { mintServiceToken } from '#actors/kit/token/mint.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { principalOf, type Identity } from './identity.ts';
import { refuse } from './refusals.ts';
import type { routes } from './routes.ts';

type Result = Outcome<typeof routes.exchangeKey>;

/** Mints a service token for a service key. authenticate() has admitted only valid keys at their position. */
export function exchangeKey(identity: Identity, call: Call): Result {
  const { subject, scope } = principalOf(call);
  const audience = call.query.get('audience') || null;
  const outcome = mint(identity, call, audience);
  if (isRefusal(outcome))
    identity.emit(call, 'auth.apikey.exchange_failed', subject, outcome.code, { audience, scope: [] });
  else identity.emit(call, 'auth.apikey.exchanged', subject, 'ok', { audience, scope });
  return outcome;
}

function mint(identity: Identity, call: Call, audience: string | null): Result {
  const { subject, scope } = principalOf(call);
  if (!admits(call.route.row.callers, principalOf(call), call.activation.position)) return refuse('not_a_service_key');
  const lifetimeSeconds = limits.identity.serviceTokenSeconds;
  const wish = { keyId: subject, tenant: call.activation.position.key, scope, audience, lifetimeSeconds };
  try {
    const token = mintServiceToken(identity.context.ring, identity.context.clock.now(), wish);
    return reply(200, { token, token_type: 'Bearer', expires_in: lifetimeSeconds }, { 'Cache-Control': 'no-store' });
  } catch (error) {
    call.activation.context.log.error(
      { service: 'identity', error: String(error) },
      'no token could be signed: see skep key ring list',
    );
    return refuse('mint_failed');
  }
}
