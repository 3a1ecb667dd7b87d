/** Routes of proofs as data. Spec: docs/contract/identity-users.md §9. */
import { callers } from '#actors/protocol/callers.ts';
import { CALLER_BUCKET } from '#actors/protocol/frame.ts';
import { defineRoutes } from '#actors/protocol/route.ts';
import { authBody } from '../auth-body.ts';
import { credentialHere } from '../credential.ts';
import { requestReply } from '../passkey/shapes.ts';
import type { refusals } from '../refusals.ts';
import { proofReply, proofRequest } from './shapes.ts';

/**
 * Who may call: the user alone; what a key, a service or an impersonation shows proves nothing of the user. What it costs: a password's hash, so it shares
 * bucket and guard of the login. Whom it can hurt: guesses count as those of a login do, and lock no owner out who has logged in before.
 */
const row = {
  methods: ['POST'],
  position: 'host',
  callers: callers({ users: [{}], further: 'the own account' }),
  ack: 'fsync',
} as const;

const always = [...credentialHere, 'engine_unavailable', 'account_denied', 'persist_failed'] as const;

export const proofRoutes = defineRoutes<typeof refusals>()({
  beginProof: {
    ...row,
    path: '/auth/proof/begin',
    rate: 'auth_me',
    body: 'none',
    replies: { 200: requestReply },
    refusals: [...always, 'webauthn_disabled', 'unknown_passkey'],
    summary: 'Begin to prove by passkey that the user is there: options for the browser',
  },
  giveProof: {
    ...row,
    ...authBody,
    path: '/auth/proof',
    rate: 'auth_login',
    headers: [CALLER_BUCKET],
    request: proofRequest,
    replies: { 200: proofReply },
    refusals: [
      ...always,
      'bad_request',
      'invalid_credentials',
      'webauthn_disabled',
      'invalid_challenge',
      'invalid_passkey',
    ],
    summary:
      'Show password, passkey or a fresh login once more; the proof counts five minutes for what endangers an account',
  },
});
