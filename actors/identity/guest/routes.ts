/** Routes of guests as data. Spec: docs/contract/identity-guests.md. */
import { anyone, callers } from '#actors/protocol/callers.ts';
import { CALLER_IP } from '#actors/protocol/frame.ts';
import { defineRoutes } from '#actors/protocol/route.ts';
import { authBody } from '../auth-body.ts';
import { credentialHere } from '../credential.ts';
import type { refusals } from '../refusals.ts';
import { okReply, tokenReply } from '../user/shapes.ts';
import { guestRequest, upgradeRequest } from './shapes.ts';

const captcha = ['captcha_required', 'captcha_invalid', 'captcha_unavailable'] as const;

export const guestRoutes = defineRoutes<typeof refusals>()({
  createGuest: {
    methods: ['POST'],
    path: '/auth/guest',
    position: 'host',
    callers: anyone('an answer to a captcha, where the product asks for one'),
    rate: 'auth_guest',
    ...authBody,
    headers: [CALLER_IP, 'user-agent'],
    cookies: 'gives',
    ack: 'fsync',
    request: guestRequest,
    replies: { 200: tokenReply },
    refusals: [
      'no_tenant',
      'invalid tenant',
      'tenant_inactive',
      'engine_unavailable',
      'no_accounts',
      'no_guests',
      'bad_request',
      ...captcha,
      'guests_full',
      'session_limit',
      'invalid_credentials',
      'mint_failed',
      'issue_failed',
    ],
    summary: 'Come in as a guest: a user without address and password, with tokens as a login gives them',
  },
  upgradeGuest: {
    methods: ['POST'],
    path: '/auth/me/upgrade',
    position: 'host',
    callers: callers({ users: [{}], further: 'a guest, for the own account' }),
    rate: 'auth_sign_up',
    ...authBody,
    headers: ['accept-language'],
    ack: 'fsync',
    request: upgradeRequest,
    replies: { 202: okReply },
    refusals: [
      ...credentialHere,
      'engine_unavailable',
      'account_denied',
      'no_accounts',
      'bad_request',
      'not_a_guest',
      'sign_up_closed',
      'email_domain',
      'no_mail',
      ...captcha,
      'sign_ups_full',
      'persist_failed',
    ],
    summary: 'Mail a link that makes the guest an account; the same answer whether the address has one or not',
  },
});
