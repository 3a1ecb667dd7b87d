/** Routes of accounts as data. Spec: docs/contract/identity-users.md §8. */
import { anyone, callers } from '#actors/protocol/callers.ts';
import { CALLER_IP } from '#actors/protocol/frame.ts';
import { defineRoutes } from '#actors/protocol/route.ts';
import { authBody } from '../auth-body.ts';
import { credentialHere } from '../credential.ts';
import type { refusals } from '../refusals.ts';
import { okReply, tokenReply } from '../user/shapes.ts';
import { ADMINISTRATORS } from './conferrable.ts';
import { confirmAccountRequest, invitationReply, invitationsReply, inviteRequest, signUpRequest } from './shapes.ts';

const inactive = ['no_tenant', 'invalid tenant', 'tenant_inactive', 'engine_unavailable', 'no_accounts'] as const;

/** Anonymous: nothing but an address, or the link that was mailed to it. */
const open = { methods: ['POST'], position: 'host', ...authBody, ack: 'fsync' } as const;

/** An impersonation does not invite: what it does ends with it. */
const administration = {
  position: 'host',
  callers: callers({ users: [{ roles: ADMINISTRATORS }], keys: { roles: ADMINISTRATORS } }),
  ack: 'fsync',
} as const;

const administered = [...credentialHere, 'engine_unavailable', 'invitation_denied', 'no_accounts'] as const;

export const accountRoutes = defineRoutes<typeof refusals>()({
  signUp: {
    ...open,
    path: '/auth/sign-up',
    callers: anyone('an address, to whose holder a link is mailed'),
    rate: 'auth_sign_up',
    headers: ['accept-language'],
    request: signUpRequest,
    replies: { 202: okReply },
    refusals: [
      ...inactive,
      'bad_request',
      'sign_up_closed',
      'email_domain',
      'no_mail',
      'sign_ups_full',
      'captcha_required',
      'captcha_invalid',
      'captcha_unavailable',
      'persist_failed',
    ],
    summary: 'Mail a link that makes an account; the same answer whether the address has one or not',
  },
  confirmAccount: {
    ...open,
    path: '/auth/sign-up/confirm',
    cookies: 'gives',
    callers: anyone('the token of a mailed link'),
    rate: 'auth_login',
    headers: [CALLER_IP, 'user-agent'],
    request: confirmAccountRequest,
    replies: { 200: tokenReply },
    refusals: [
      ...inactive,
      'bad_request',
      'invalid_one_time_token',
      'sign_up_closed',
      'email_domain',
      'login_taken',
      'session_limit',
      'invalid_credentials',
      'mint_failed',
      'issue_failed',
    ],
    summary: 'Choose a password with the token of a sign-up or an invitation, and be logged in',
  },
  createInvitation: {
    ...administration,
    methods: ['POST'],
    path: '/auth/admin/invitations',
    rate: 'auth_invitation',
    ...authBody,
    request: inviteRequest,
    replies: { 201: invitationReply },
    refusals: [...administered, 'bad_request', 'login_taken', 'no_mail', 'invitations_full', 'persist_failed'],
    summary: 'Mail an invitation with roles; it replaces an open one of the same address',
  },
  listInvitations: {
    ...administration,
    methods: ['GET'],
    path: '/auth/admin/invitations',
    body: 'none',
    replies: { 200: invitationsReply },
    refusals: [...administered, 'bad_request'],
    summary: 'Open invitations, oldest first; ?limit= and ?after=, the id that `next` names',
  },
  deleteInvitation: {
    ...administration,
    methods: ['DELETE'],
    path: '/auth/admin/invitations/{id}',
    whileReadOnly: true,
    body: 'none',
    replies: { 200: okReply },
    refusals: [...administered, 'invitation_not_found', 'persist_failed'],
    summary: 'Withdraw an invitation: its link ends at once',
  },
});
