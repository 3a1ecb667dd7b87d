/** Routes of the second factor as data. Spec: docs/contract/identity-users.md §3.1, docs/contract/identity.md §4.2. */
import { callers } from '#actors/protocol/callers.ts';
import { defineRoutes } from '#actors/protocol/route.ts';
import { authBody } from '../auth-body.ts';
import { credential } from '../credential.ts';
import type { refusals } from '../refusals.ts';
import { codeRequest, disableReply, enableReply, setupReply } from './shapes.ts';

/** A second factor is changed by its holder alone (holder.ts): no service, no impersonation. */
const holders = callers({
  users: [{}],
  keys: {},
  further: 'the user, the user behind an ordinary key, or the key itself',
});
const row = { methods: ['POST'], position: 'host', callers: holders, rate: 'auth_mfa', ack: 'fsync' } as const;

const withCode = { ...row, ...authBody, request: codeRequest } as const;

export const mfaRoutes = defineRoutes<typeof refusals>()({
  setupTotp: {
    ...row,
    path: '/auth/mfa/totp/setup',
    body: 'none',
    replies: { 200: setupReply },
    refusals: [...credential, 'engine_unavailable', 'mfa_denied', 'mfa_enabled', 'persist_failed'],
    summary: 'Begin a TOTP enrolment; a new setup replaces one that was not enabled',
  },
  enableTotp: {
    ...withCode,
    path: '/auth/mfa/totp/enable',
    replies: { 200: enableReply },
    refusals: [
      ...credential,
      'engine_unavailable',
      'bad_request',
      'mfa_denied',
      'mfa_enabled',
      'mfa_not_setup',
      'invalid_code',
      'persist_failed',
    ],
    summary: 'Enable TOTP with a first code; the recovery codes are shown this once',
  },
  disableTotp: {
    ...withCode,
    path: '/auth/mfa/totp/disable',
    replies: { 200: disableReply },
    refusals: [
      ...credential,
      'engine_unavailable',
      'bad_request',
      'mfa_denied',
      'mfa_not_enabled',
      'invalid_code',
      'persist_failed',
    ],
    summary: 'Disable TOTP with a code or a recovery code; the recovery codes go with it',
  },
  renewRecoveryCodes: {
    ...withCode,
    path: '/auth/mfa/recovery-codes',
    replies: { 200: enableReply },
    refusals: [
      ...credential,
      'engine_unavailable',
      'bad_request',
      'mfa_denied',
      'mfa_not_enabled',
      'invalid_code',
      'persist_failed',
    ],
    summary: 'Replace the recovery codes, with a code or a recovery code',
  },
});
