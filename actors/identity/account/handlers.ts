/** The handler of each route of accounts. */
import type { Handlers } from '#actors/host/service.ts';
import type { Identity } from '../identity.ts';
import { told, toldLater } from '../told.ts';
import { confirmAccount } from './confirm-account.ts';
import { createInvitation } from './create-invitation.ts';
import { deleteInvitation } from './delete-invitation.ts';
import { listInvitations } from './list-invitations.ts';
import { requestSignUp } from './request-sign-up.ts';
import type { accountRoutes } from './routes.ts';

export function accountHandlers(identity: Identity): Handlers<typeof accountRoutes> {
  return {
    signUp: (call) => told(identity, call, 'sign_up_request', () => requestSignUp(identity, call)),
    confirmAccount: (call) => toldLater(identity, call, 'sign_up_confirm', async () => confirmAccount(identity, call)),
    createInvitation: (call) => told(identity, call, 'invitation_create', () => createInvitation(identity, call)),
    listInvitations: (call) => told(identity, call, 'invitation_list', () => listInvitations(call)),
    deleteInvitation: (call) => told(identity, call, 'invitation_delete', () => deleteInvitation(call)),
  };
}
