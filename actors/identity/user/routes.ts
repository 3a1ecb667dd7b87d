/** Routes of users' logins as data. Spec: docs/contract/identity-users.md §1, docs/contract/identity.md §4.6. */
import { anyone, callers } from '#actors/protocol/callers.ts';
import { defineRoutes } from '#actors/protocol/route.ts';
import { authBody } from '../auth-body.ts';
import type { refusals } from '../refusals.ts';
import {
  addressRequest,
  confirmRequest,
  consumeRequest,
  loginRequest,
  logoutRequest,
  okReply,
  refreshRequest,
  tokenReply,
} from './shapes.ts';
import { CALLER_BUCKET, CALLER_IP } from '#actors/protocol/frame.ts';

const row = {
  methods: ['POST'],
  position: 'host',
  callers: anyone('what the body shows: a password, a refresh token, the token of a mailed link'),
  ...authBody,
  ack: 'fsync',
} as const;

const always = ['bad_request', 'no_tenant', 'invalid tenant', 'tenant_inactive', 'engine_unavailable'] as const;

/** Headers whose values a session stores. */
const headers = [CALLER_IP, 'user-agent'];

const link = {
  ...row,
  request: addressRequest,
  replies: { 202: okReply },
  refusals: [...always, 'persist_failed'],
} as const;

/** These take a credential, so they share the bucket of the login, which leaves room to retry after a refused new password. */
const confirm = {
  ...row,
  rate: 'auth_login',
  request: confirmRequest,
  replies: { 200: okReply },
  refusals: [...always, 'invalid_one_time_token', 'persist_failed'],
} as const;

export const userRoutes = defineRoutes<typeof refusals>()({
  login: {
    ...row,
    whileReadOnly: true,
    path: '/auth/login',
    rate: 'auth_login',
    headers: [...headers, CALLER_BUCKET],
    request: loginRequest,
    cookies: 'gives',
    replies: { 200: tokenReply },
    refusals: [
      ...always,
      'rate_limited',
      'invalid_credentials',
      'mfa_required',
      'session_limit',
      'mint_failed',
      'issue_failed',
    ],
    summary: 'Log a user in with a password and, where one is enabled, a second factor',
  },
  refresh: {
    ...row,
    whileReadOnly: true,
    path: '/auth/refresh',
    rate: 'auth_refresh',
    headers,
    request: refreshRequest,
    cookies: 'gives',
    replies: { 200: tokenReply },
    refusals: [...always, 'invalid_refresh_token', 'refresh_reused', 'mint_failed', 'issue_failed'],
    summary: 'Exchange a refresh token for new tokens; a reused one revokes all of its login',
  },
  logout: {
    ...row,
    /** The bearer token is optional and may have expired: the handler judges it. */
    callers: callers({ users: [{ impersonation: 'readonly' }], instead: 'a refresh token' }),
    whileReadOnly: true,
    path: '/auth/logout',
    rate: 'auth_refresh',
    cookies: 'ends',
    request: logoutRequest,
    replies: { 200: okReply },
    refusals: [...always, 'auth_required', 'invalid_token', 'persist_failed'],
    summary: 'End a login: the one of the refresh token, of the bearer’s session, or every one of the bearer',
  },
  requestReset: {
    ...link,
    path: '/auth/password/reset',
    rate: 'auth_reset',
    summary: 'Mail a link that resets the password; the same answer whether the address is known or not',
  },
  confirmReset: { ...confirm, path: '/auth/password/reset/confirm', summary: 'Set a new password with a link’s token' },
  confirmPassword: { ...confirm, path: '/auth/password/confirm', summary: 'The same under its short path' },
  requestMagicLink: {
    ...link,
    whileReadOnly: true,
    path: '/auth/magic-link',
    rate: 'auth_magic_link',
    summary: 'Mail a link that logs in; the same answer whether the address is known or not',
  },
  consumeMagicLink: {
    ...row,
    whileReadOnly: true,
    path: '/auth/magic-link/consume',
    rate: 'auth_login',
    headers,
    request: consumeRequest,
    cookies: 'gives',
    replies: { 200: tokenReply },
    refusals: [
      ...always,
      'invalid_one_time_token',
      'invalid_credentials',
      'mfa_required',
      'session_limit',
      'mint_failed',
      'issue_failed',
    ],
    summary: 'Log in with a magic link’s token',
  },
});
