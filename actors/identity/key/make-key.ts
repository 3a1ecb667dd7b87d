/** `POST /auth/admin/keys`: a key with a name, and where and how often it counts. */
import type { z } from 'zod';
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { exceededChannel } from '../authority.ts';
import { tell, type Identity } from '../identity.ts';
import { capabilitiesOf } from '../issue-key.ts';
import { newKey, SERVICE_DEFAULT, type NewKey } from '../new-key.ts';
import { viewOf } from '../operator/keys.ts';
import { administratorOf } from '../people/administrator.ts';
import { refusedRole } from '../people/roles.ts';
import { readBody } from '../read-body.ts';
import { refuse } from '../refusals.ts';
import type { Capabilities } from '../shapes.ts';
import { putKey, type ApiKeyRecord } from '../store.ts';
import type { keyRoutes } from './routes.ts';
import { makeKeyRequest } from './shapes.ts';

type Result = Outcome<typeof keyRoutes.makeAdminKey>;
type Wish = z.output<typeof makeKeyRequest>;

export function makeKey(identity: Identity, call: Call): Result {
  const caller = administratorOf(call);
  if (isRefusal(caller)) return caller;
  const body = readBody(call, makeKeyRequest);
  if (!body.ok) return body.refusal;
  const capabilities = capabilitiesOf(body.value);
  if (Buffer.byteLength(JSON.stringify(capabilities)) > limits.identity.capabilitiesBytesMax)
    return refuse('bad_request', { message: 'capabilities: too large' });
  const service = body.value.service ?? SERVICE_DEFAULT;
  return forbidden(identity, call, caller, { service, capabilities }) ?? make(identity, call, caller, body.value);
}

/** Roles as an administrator gives them to users; grants and `is_superadmin` as every issuer of a key. */
function forbidden(
  identity: Identity,
  call: Call,
  caller: Principal,
  { service, capabilities }: { readonly service: string; readonly capabilities: Capabilities },
): Result | null {
  const { position } = call.activation;
  const { roles = [], ...further } = capabilities;
  const exceeded = exceededChannel(caller, position, further);
  if (exceeded !== null) return refuse('scope_exceeds_authority', { message: exceeded });
  const join = { tenant: position.key, principal: caller, service, capabilities };
  return refusedRole(call, caller, roles) ?? identity.hooks.run('before_apikey_issue', join);
}

function make(identity: Identity, call: Call, caller: Principal, wish: Wish): Result {
  const { service, expires_in_days: expiresInDays } = wish;
  const capabilities = capabilitiesOf(wish);
  let made: NewKey;
  try {
    made = newKey(call.activation.context, { service, capabilities, expiresInDays, createdBy: caller.subject });
  } catch (error) {
    const facts = { service: 'identity', error: String(error) };
    call.activation.context.log.error(facts, 'no API key was made: random bytes could not be drawn');
    return refuse('generate_failed');
  }
  const record: ApiKeyRecord = { ...made.record, ...boundsOf(wish) };
  putKey(call.turn(), made.id, record);
  const { name, ips, per_second } = record;
  const data = { name, capabilities, expires_at: made.expiresAt, service: record.service, ips, per_second };
  tell(identity, call, { ...call.who, action: 'auth.apikey.issued', target: made.id, data });
  return reply(201, { ...viewOf(call, made.id, record), key: made.key }, { 'Cache-Control': 'no-store' });
}

function boundsOf({ name, metadata, ips, per_second }: Wish): Partial<ApiKeyRecord> {
  return {
    name,
    ...(metadata ? { metadata } : {}),
    ...(ips ? { ips } : {}),
    ...(per_second ? { per_second } : {}),
  };
}
