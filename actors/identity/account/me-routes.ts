/** Routes of a user's own account as data. Spec: docs/contract/identity-users.md §8.6 to §8.9. */
import { anyone, callers } from '#actors/protocol/callers.ts';
import { CALLER_BUCKET } from '#actors/protocol/frame.ts';
import { defineRoutes } from '#actors/protocol/route.ts';
import { authBody } from '../auth-body.ts';
import { credentialHere } from '../credential.ts';
import type { refusals } from '../refusals.ts';
import { okReply } from '../user/shapes.ts';
import {
  changeMeRequest,
  deleteMeRequest,
  emailRequest,
  emailTokenRequest,
  meReply,
  ownSessionsReply,
  passwordRequest,
} from './shapes.ts';

/** The user alone: what a key, a service or an impersonation does must not change whose account it is. */
const owner = callers({ users: [{}], further: 'the own account' });

const always = [...credentialHere, 'engine_unavailable', 'account_denied', 'no_accounts'] as const;
const me = { position: 'host', callers: owner, rate: 'auth_me', ack: 'fsync' } as const;

/** These ask for the password, so they share the bucket of the login, and cost as much. */
const proven = { ...me, ...authBody, rate: 'auth_login', headers: [CALLER_BUCKET] } as const;
const unproven = [...always, 'bad_request', 'invalid_credentials', 'persist_failed'] as const;

export const meRoutes = defineRoutes<typeof refusals>()({
  showMe: {
    ...me,
    methods: ['GET'],
    path: '/auth/me',
    /** An operator who acts for a user sees as whom. */
    callers: callers({ users: [{ impersonation: 'readonly' }], further: 'the own account' }),
    body: 'none',
    replies: { 200: meReply },
    refusals: always,
    summary: 'One’s own account',
  },
  changeMe: {
    ...me,
    ...authBody,
    methods: ['PATCH'],
    path: '/auth/me',
    request: changeMeRequest,
    replies: { 200: meReply },
    refusals: [...always, 'bad_request', 'persist_failed'],
    summary: 'Change one’s names and the language of one’s mails, and whether operators may act for one',
  },
  deleteMe: {
    ...proven,
    methods: ['DELETE'],
    path: '/auth/me',
    request: deleteMeRequest,
    replies: { 200: okReply },
    refusals: [...unproven, 'last_administrator'],
    summary: 'Delete one’s own account with its logins, factors and identities',
  },
  changePassword: {
    ...proven,
    methods: ['POST'],
    path: '/auth/me/password',
    request: passwordRequest,
    replies: { 200: okReply },
    refusals: unproven,
    summary: 'Change one’s password; every other login ends',
  },
  changeEmail: {
    ...proven,
    methods: ['POST'],
    path: '/auth/me/email',
    request: emailRequest,
    replies: { 202: okReply },
    refusals: [...unproven, 'email_domain', 'no_mail'],
    summary: 'Mail a link to a new address; the same answer whether another user has it or not',
  },
  confirmEmail: {
    methods: ['POST'],
    position: 'host',
    callers: anyone('the token of a mailed link'),
    rate: 'auth_login',
    ...authBody,
    ack: 'fsync',
    path: '/auth/me/email/confirm',
    request: emailTokenRequest,
    replies: { 200: okReply },
    refusals: [
      'no_tenant',
      'invalid tenant',
      'tenant_inactive',
      'engine_unavailable',
      'no_accounts',
      'bad_request',
      'invalid_one_time_token',
      'email_domain',
      'login_taken',
      'persist_failed',
    ],
    summary: 'Log in with a new address from now on, with the token of the link that went there',
  },
  listOwnSessions: {
    ...me,
    methods: ['GET'],
    path: '/auth/me/sessions',
    body: 'none',
    replies: { 200: ownSessionsReply },
    refusals: always,
    summary: 'One’s own logins, and the impersonations by operators with their reasons, newest first',
  },
  endOwnSession: {
    ...me,
    methods: ['DELETE'],
    path: '/auth/me/sessions/{id}',
    whileReadOnly: true,
    body: 'none',
    replies: { 200: okReply },
    refusals: [...always, 'session_not_found', 'persist_failed'],
    summary: 'End one of one’s own logins, or an impersonation',
  },
});
