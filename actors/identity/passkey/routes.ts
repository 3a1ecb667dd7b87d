/** Routes of passkeys as data. Spec: docs/contract/identity-users.md §3.2. */
import { anyone, callers } from '#actors/protocol/callers.ts';
import { CALLER_IP } from '#actors/protocol/frame.ts';
import { defineRoutes } from '#actors/protocol/route.ts';
import { authBody } from '../auth-body.ts';
import { credentialHere } from '../credential.ts';
import { PROOF_HEADER } from '../proof/proven.ts';
import type { refusals } from '../refusals.ts';
import { tokenReply } from '../user/shapes.ts';
import {
  changeRequest,
  creationReply,
  listReply,
  loginRequest,
  passkeyReply,
  registerRequest,
  removeReply,
  requestReply,
} from './shapes.ts';

/** A passkey is seen and changed by its user alone (owner.ts): no key, no service, no impersonation. */
const own = { users: [{}], further: 'the user alone' } as const;

/**
 * Where passkeys are off, the contract gives one answer to every request, so neither position nor credential nor standing comes before it. A
 * read-only tenant refuses what a registration stages, at the commit.
 */
const register = {
  methods: ['POST'],
  position: 'host',
  callers: callers({ ...own, late: true }),
  whileReadOnly: true,
  rate: 'identity_anonymous',
  ack: 'fsync',
} as const;
const registerRefusals = ['webauthn_disabled', ...credentialHere, 'passkey_denied', 'engine_unavailable'] as const;

const login = {
  methods: ['POST'],
  whileReadOnly: true,
  position: 'host',
  callers: anyone('a passkey of the user'),
  rate: 'auth_login',
  ack: 'fsync',
} as const;
const loginRefusals = [
  'no_tenant',
  'invalid tenant',
  'tenant_inactive',
  'webauthn_disabled',
  'engine_unavailable',
] as const;

const manage = { position: 'host', callers: callers(own), ack: 'fsync' } as const;
const manageRefusals = [...credentialHere, 'webauthn_disabled', 'passkey_denied', 'engine_unavailable'] as const;

export const passkeyRoutes = defineRoutes<typeof refusals>()({
  webauthnBegin: {
    ...register,
    path: '/auth/webauthn/register/begin',
    headers: [PROOF_HEADER],
    body: 'none',
    replies: { 200: creationReply },
    refusals: [...registerRefusals, 'proof_required', 'persist_failed'],
    summary: 'Begin to register a passkey: options for the browser',
  },
  webauthnFinish: {
    ...register,
    ...authBody,
    path: '/auth/webauthn/register/finish',
    request: registerRequest,
    replies: { 201: passkeyReply },
    refusals: [
      ...registerRefusals,
      'bad_request',
      'invalid_challenge',
      'invalid_passkey',
      'passkey_exists',
      'persist_failed',
    ],
    summary: 'Register a passkey with the authenticator’s answer',
  },
  webauthnLoginBegin: {
    ...login,
    path: '/auth/webauthn/login/begin',
    body: 'none',
    replies: { 200: requestReply },
    refusals: loginRefusals,
    summary: 'Begin a login by passkey, without a name: options for the browser',
  },
  webauthnLoginFinish: {
    ...login,
    ...authBody,
    path: '/auth/webauthn/login/finish',
    cookies: 'gives',
    headers: [CALLER_IP, 'user-agent'],
    request: loginRequest,
    replies: { 200: tokenReply },
    refusals: [
      ...loginRefusals,
      'bad_request',
      'invalid_challenge',
      'invalid_passkey',
      'invalid_credentials',
      'mfa_required',
      'rate_limited',
      'session_limit',
      'mint_failed',
      'issue_failed',
    ],
    summary: 'Log in with a passkey, or end a login that asked for one as its second step',
  },
  listPasskeys: {
    ...manage,
    methods: ['GET'],
    path: '/auth/webauthn/credentials',
    body: 'none',
    replies: { 200: listReply },
    refusals: manageRefusals,
    summary: 'The passkeys of the user',
  },
  changePasskey: {
    ...manage,
    ...authBody,
    methods: ['PATCH'],
    headers: [PROOF_HEADER],
    path: '/auth/webauthn/credentials/{id}',
    request: changeRequest,
    replies: { 200: passkeyReply },
    refusals: [...manageRefusals, 'bad_request', 'unknown_passkey', 'proof_required', 'persist_failed'],
    summary: 'Rename a passkey, or make it a second factor of other logins',
  },
  removePasskey: {
    ...manage,
    methods: ['DELETE'],
    headers: [PROOF_HEADER],
    path: '/auth/webauthn/credentials/{id}',
    body: 'none',
    replies: { 200: removeReply },
    refusals: [...manageRefusals, 'unknown_passkey', 'proof_required', 'last_login_way', 'persist_failed'],
    summary: 'Remove a passkey, unless it is the last way to log in',
  },
});
