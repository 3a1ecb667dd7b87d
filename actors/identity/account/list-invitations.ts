/** `GET /auth/admin/invitations`. */
import { z } from 'zod';
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { instantMs } from '#config/values/instant.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { readShape } from '../read-body.ts';
import { administratorOf } from './administrator.ts';
import { shownInvitation } from './create-invitation.ts';
import type { accountRoutes } from './routes.ts';
import type { Invitation } from './shapes.ts';
import { requestsAfter } from './store.ts';

const { invitationListMax } = limits.account;

const page = z.object({
  after: z.string().max(limits.session.idCharsMax).default(''),
  limit: z.coerce.number().int().min(1).max(invitationListMax).default(invitationListMax),
});

/** Expired ones that no sweep has met are left out. `next` is null on the last page. */
export function listInvitations(call: Call): Outcome<typeof accountRoutes.listInvitations> {
  const administrator = administratorOf(call);
  if (isRefusal(administrator)) return administrator;
  const asked = readShape(Object.fromEntries(call.query), page);
  if (!asked.ok) return asked.refusal;
  const { after, limit } = asked.value;
  const invitations: Invitation[] = [];
  for (const request of requestsAfter(call.turn(), 'invitation', after)) {
    if (call.now >= instantMs(request.expires_at)) continue;
    if (invitations.length === limit) return reply(200, { invitations, next: invitations.at(-1)!.id });
    invitations.push(shownInvitation(request));
  }
  return reply(200, { invitations, next: null });
}
