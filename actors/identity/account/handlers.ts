/** The handler of each route of accounts. */
import type { Handlers } from '#actors/host/service.ts';
import type { Identity } from '../identity.ts';
import { told, toldEither, toldLater } from '../told.ts';
import { changeEmail } from './change-email.ts';
import { changeMe } from './change-me.ts';
import { changePassword } from './change-password.ts';
import { confirmAccount } from './confirm-account.ts';
import { confirmEmail } from './confirm-email.ts';
import { createInvitation } from './create-invitation.ts';
import { deleteInvitation } from './delete-invitation.ts';
import { deleteMe } from './delete-me.ts';
import { listInvitations } from './list-invitations.ts';
import type { meRoutes } from './me-routes.ts';
import { endOwnSession, listOwnSessions } from './own-sessions.ts';
import { requestSignUp } from './request-sign-up.ts';
import type { accountRoutes } from './routes.ts';
import { showMe } from './show-me.ts';

/** A page asks for the account at each view, which changes nothing: it is no event. */
export function meHandlers(identity: Identity): Handlers<typeof meRoutes> {
  return {
    showMe,
    changeMe: (call) => told(identity, call, 'account_change', () => changeMe(identity, call)),
    deleteMe: (call) => toldLater(identity, call, 'account_delete', async () => deleteMe(identity, call)),
    changePassword: (call) => toldLater(identity, call, 'account_password', async () => changePassword(identity, call)),
    changeEmail: (call) => toldLater(identity, call, 'account_email', async () => changeEmail(identity, call)),
    confirmEmail: (call) => told(identity, call, 'account_email_confirm', () => confirmEmail(identity, call)),
    listOwnSessions: (call) => told(identity, call, 'account_session_list', () => listOwnSessions(call)),
    endOwnSession: (call) => told(identity, call, 'account_session_end', () => endOwnSession(identity, call)),
  };
}

export function accountHandlers(identity: Identity): Handlers<typeof accountRoutes> {
  return {
    signUp: (call) => toldEither(identity, call, 'sign_up_request', () => requestSignUp(identity, call)),
    confirmAccount: (call) => toldLater(identity, call, 'sign_up_confirm', async () => confirmAccount(identity, call)),
    createInvitation: (call) => told(identity, call, 'invitation_create', () => createInvitation(identity, call)),
    listInvitations: (call) => told(identity, call, 'invitation_list', () => listInvitations(call)),
    deleteInvitation: (call) => told(identity, call, 'invitation_delete', () => deleteInvitation(call)),
  };
}
