/** `POST /auth/apikey`. Spec: docs/contract/identity.md §4.4, §5.1. */
import type { z } from 'zod';
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { admits } from '#actors/kit/admits.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { exceededChannel } from './authority.ts';
import { principalOf, type Identity } from './identity.ts';
import { newKey, SERVICE_DEFAULT, type KeyWish, type NewKey } from './new-key.ts';
import { missingPlace } from './place.ts';
import { readBody } from './read-body.ts';
import { challenge, refuse } from './refusals.ts';
import type { routes } from './routes.ts';
import { issueRequest, type Capabilities } from './shapes.ts';
import { findUser, putKey } from './store.ts';

type Result = Outcome<typeof routes.issueKey>;

/** Checks body, position, authority and hook in the order of the contract's table, then writes the row. */
export function issueKey(identity: Identity, call: Call): Result {
  const body = readBody(call, issueRequest, true);
  if (!body.ok) return body.refusal;
  const capabilities = capabilitiesOf(body.value);
  if (Buffer.byteLength(JSON.stringify(capabilities)) > limits.identity.capabilitiesBytesMax)
    return refuse('bad_request', { message: 'capabilities: too large' });
  const createdBy = principalOf(call).subject;
  const service = body.value.service ?? SERVICE_DEFAULT;
  const wish = { service, capabilities, expiresInDays: body.value.expires_in_days, createdBy };
  return missingPlace(call) ?? forbidden(identity, call, wish) ?? persist(identity, call, wish);
}

/** The three known fields as given; null counts as absent. */
export function capabilitiesOf({ capabilities }: Pick<z.output<typeof issueRequest>, 'capabilities'>): Capabilities {
  const { roles, scope, is_superadmin } = capabilities ?? {};
  return {
    ...(roles ? { roles } : {}),
    ...(scope ? { scope } : {}),
    ...(is_superadmin === null || is_superadmin === undefined ? {} : { is_superadmin }),
  };
}

function forbidden(identity: Identity, call: Call, wish: KeyWish & { service: string }): Result | null {
  const principal = principalOf(call);
  const { position } = call.activation;
  // A key that an impersonation issued would outlive it, and would not name the operator.
  if (!admits(call.route.row.callers, principal, position)) return refuse('impersonation_denied');
  // A key outlives the token of a user who was disabled since, and a guest, whom a sweep takes away.
  const user = principal.type === 'user' ? findUser(call.turn(), principal.subject) : undefined;
  if (user?.disabled_at !== undefined) return challenge('invalid_token');
  if (user?.guest === true)
    return refuse('guest_denied', { message: 'a guest issues no keys: it becomes an account first' });
  const exceeded = exceededChannel(principal, position, wish.capabilities);
  if (exceeded !== null) return refuse('scope_exceeds_authority', { message: exceeded });
  const { service, capabilities } = wish;
  return identity.hooks.run('before_apikey_issue', { tenant: position.key, principal, service, capabilities });
}

/** Commits before it emits: an event `issued` implies a row. A full store becomes `persist_failed` in service.ts. */
function persist(identity: Identity, call: Call, wish: KeyWish): Result {
  let made: NewKey;
  try {
    made = newKey(call.activation.context, wish);
  } catch (error) {
    call.activation.context.log.error(
      { service: 'identity', error: String(error) },
      'no API key was made: random bytes could not be drawn',
    );
    return refuse('generate_failed');
  }
  putKey(call.turn(), made.id, made.record);
  call.commit();
  const { capabilities, service } = made.record;
  const { id, key, expiresAt: expires_at } = made;
  identity.emit(call, 'auth.apikey.issued', made.id, 'ok', { capabilities, expires_at, service });
  return reply(201, { id, key, expires_at, capabilities }, { 'Cache-Control': 'no-store' });
}
