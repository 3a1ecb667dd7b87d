/** `DELETE /auth/admin/invitations/{id}`: its link ends at once; a mail that still waits is not sent. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { refuse } from '../refusals.ts';
import { administratorOf } from './administrator.ts';
import { closeRequest } from './open-request.ts';
import type { accountRoutes } from './routes.ts';
import { findRequest } from './store.ts';

export function deleteInvitation(call: Call): Outcome<typeof accountRoutes.deleteInvitation> {
  const administrator = administratorOf(call);
  if (isRefusal(administrator)) return administrator;
  const request = findRequest(call.turn(), 'invitation', call.param('id'));
  if (request === undefined) return refuse('invitation_not_found');
  call.involve({ target: request.id, email: request.email });
  closeRequest(call.turn(), request);
  return reply(200, { ok: true });
}
