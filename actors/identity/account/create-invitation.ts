/** `POST /auth/admin/invitations`: an administrator of the tenant invites the holder of an address. */
import type { z } from 'zod';
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { Identity } from '../identity.ts';
import { readBody } from '../read-body.ts';
import { busy, refuse } from '../refusals.ts';
import { findLogin } from '../store.ts';
import { enqueueMail, hasMailRoom } from '../user/enqueue-mail.ts';
import { administratorOf } from './administrator.ts';
import { refusedRole } from './conferrable.ts';
import { openRequest } from './open-request.ts';
import type { accountRoutes } from './routes.ts';
import { inviteRequest, type Invitation } from './shapes.ts';
import type { AccountRequest } from './store.ts';

type Result = Outcome<typeof accountRoutes.createInvitation>;

/** An administrator sees the tenant's users, so a known address is told apart. No allowance of mails holds here: an administrator answers for them. */
export function createInvitation(identity: Identity, call: Call): Result {
  const body = readBody(call, inviteRequest);
  if (!body.ok) return body.refusal;
  const administrator = administratorOf(call);
  if (isRefusal(administrator)) return administrator;
  const refused = refusedRole(call, body.value.roles);
  if (refused !== null) return refuse('invitation_denied', { message: refused });
  if (identity.mail?.links.invitation === undefined) return refuse('no_mail');
  const { email } = body.value;
  call.involve({ email });
  if (findLogin(call.turn(), email) !== undefined) return refuse('login_taken');
  return hasMailRoom(identity, call) ? open(identity, call, administrator, body.value) : busy();
}

function open(
  identity: Identity,
  call: Call,
  { type, subject: id }: Principal,
  { email, roles }: z.output<typeof inviteRequest>,
): Result {
  const { invitationMs: lifeMs, invitationsMax: max } = limits.account;
  const by = { type: type === 'key' ? 'key' : 'user', id } as const;
  const request = openRequest(call, { kind: 'invitation', email, roles, by, lifeMs, max });
  if (request === null) {
    call.commit(); // what the sweep has deleted stays deleted
    return refuse('invitations_full');
  }
  call.involve({ target: request.id, data: { roles } });
  enqueueMail(identity, call, { kind: 'invitation', user: request.id, to: email, expires_at: request.expires_at });
  return reply(201, shownInvitation(request));
}

export function shownInvitation({ id, email, roles, by, created_at, expires_at }: AccountRequest): Invitation {
  return { id, email, roles: [...roles], invited_by: by?.id ?? '', created_at, expires_at };
}
