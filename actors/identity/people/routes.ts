/** Routes by which an administrator of a tenant manages its people, as data. Spec: docs/contract/identity-people.md §1. */
import { callers } from '#actors/protocol/callers.ts';
import { defineRoutes } from '#actors/protocol/route.ts';
import { authBody } from '../auth-body.ts';
import { credentialHere } from '../credential.ts';
import type { refusals } from '../refusals.ts';
import { listReply } from '../session/shapes.ts';
import {
  addRequest,
  changeRequest,
  endedReply,
  okReply,
  roleListReply,
  userDetailReply,
  userListReply,
  userReply,
} from './shapes.ts';

/**
 * A user of the position by a bearer of its own: what is made here outlives an impersonation and would not name the operator, so none counts, and
 * a key does not stand for a person who administers others.
 */
export const administrators = callers({ users: [{ roles: ['tenant_admin', 'superadmin'] }] });

const row = {
  position: 'host',
  callers: administrators,
  /** Counts an address's calls before the credential is read: passwords are hashed and mails are sent here. */
  rate: 'auth_admin',
  ack: 'fsync',
} as const;
const always = [...credentialHere, 'requires_tenant_admin', 'engine_unavailable'] as const;
const ofUser = [...always, 'unknown_user'] as const;
const changing = [...ofUser, 'user_out_of_reach', 'persist_failed'] as const;
const deleting = { ...row, methods: ['DELETE'], body: 'none' } as const;
/** Access can be taken away at any time: also where the tenant is read-only. */
const ending = { ...deleting, whileReadOnly: true } as const;
const USER = '/auth/admin/users/{id}';

export const peopleRoutes = defineRoutes<typeof refusals>()({
  listUsers: {
    ...row,
    methods: ['GET'],
    path: '/auth/admin/users',
    body: 'none',
    replies: { 200: userListReply },
    refusals: [...always, 'bad_request'],
    summary: 'List users, or find them by the beginning of address or name: ?q=&role=&limit=&after=',
  },
  listRoles: {
    ...row,
    methods: ['GET'],
    path: '/auth/admin/roles',
    body: 'none',
    replies: { 200: roleListReply },
    refusals: always,
    summary: 'List the roles of the product with what its definitions give them',
  },
  showUser: {
    ...row,
    methods: ['GET'],
    path: USER,
    body: 'none',
    replies: { 200: userDetailReply },
    refusals: ofUser,
    summary: 'Show one user',
  },
  addUser: {
    ...row,
    ...authBody,
    methods: ['POST'],
    path: '/auth/admin/users',
    request: addRequest,
    replies: { 201: userReply },
    refusals: [
      ...always,
      'bad_request',
      'undeclared_role',
      'scope_exceeds_authority',
      'login_taken',
      'no_mail',
      'persist_failed',
    ],
    summary: 'Add a user; without a password send_reset mails a link that sets one',
  },
  changeUser: {
    ...row,
    ...authBody,
    methods: ['PATCH'],
    path: USER,
    request: changeRequest,
    replies: { 200: userReply },
    refusals: [
      ...changing,
      'bad_request',
      'undeclared_role',
      'scope_exceeds_authority',
      'guest_denied',
      'last_administrator',
    ],
    summary: 'Change names and roles, disable and enable a user, take a consent to impersonation away',
  },
  removeUser: {
    ...deleting,
    path: USER,
    replies: { 200: okReply },
    refusals: [...changing, 'last_administrator'],
    summary: 'Delete a user and all logins of the user',
  },
  resetSecondFactor: {
    ...row,
    methods: ['POST'],
    path: `${USER}/reset-second-factor`,
    body: 'none',
    replies: { 200: okReply },
    refusals: changing,
    summary: 'Remove a lost second factor and its recovery codes',
  },
  unlinkProvider: {
    ...deleting,
    path: `${USER}/oauth/{provider}`,
    replies: { 200: okReply },
    refusals: [...changing, 'unknown_identity', 'last_login_way'],
    summary: 'An account at the provider no longer logs the user in, unless it is the last way',
  },
  sendReset: {
    ...row,
    methods: ['POST'],
    path: `${USER}/send-reset`,
    body: 'none',
    replies: { 202: okReply },
    refusals: [...changing, 'user_disabled', 'guest_denied', 'no_mail'],
    summary: 'Mail the user a link that sets a new password',
  },
  listUserSessions: {
    ...row,
    methods: ['GET'],
    path: `${USER}/sessions`,
    body: 'none',
    replies: { 200: listReply },
    refusals: ofUser,
    summary: 'Sessions of a user, newest first',
  },
  endUserSessions: {
    ...ending,
    path: `${USER}/sessions`,
    replies: { 200: endedReply },
    refusals: changing,
    summary: 'End all sessions and refresh tokens of a user',
  },
  endUserSession: {
    ...ending,
    path: `${USER}/sessions/{session}`,
    replies: { 200: endedReply },
    refusals: [...changing, 'session_not_found'],
    summary: 'End one session of a user',
  },
});
