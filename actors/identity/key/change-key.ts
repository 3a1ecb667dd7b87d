/** `PATCH /auth/admin/keys/{id}`: name and metadata. What a key allows never changes: a new key does that. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { tell, type Identity } from '../identity.ts';
import { viewOf } from '../operator/keys.ts';
import { findKey } from '../operator/store.ts';
import { administratorOf } from '../people/administrator.ts';
import { readBody } from '../read-body.ts';
import { refuse } from '../refusals.ts';
import { putKey } from '../store.ts';
import type { keyRoutes } from './routes.ts';
import { changeKeyRequest } from './shapes.ts';

export function changeKey(identity: Identity, call: Call): Outcome<typeof keyRoutes.changeAdminKey> {
  const caller = administratorOf(call);
  if (isRefusal(caller)) return caller;
  const id = call.param('id');
  const present = findKey(call.turn(), id);
  if (present === undefined) return refuse('unknown_key');
  call.involve({ target: id });
  const body = readBody(call, changeKeyRequest);
  if (!body.ok) return body.refusal;
  const { metadata: before, ...rest } = present;
  const { name = present.name, metadata = before } = body.value;
  const changed = {
    ...rest,
    ...(name === undefined ? {} : { name }),
    ...(metadata === undefined || metadata === null ? {} : { metadata }),
  };
  putKey(call.turn(), id, changed);
  const data = { name: changed.name, changed: Object.keys(body.value) };
  tell(identity, call, { ...call.who, action: 'auth.apikey.changed', target: id, data });
  return reply(200, viewOf(call, id, changed));
}
