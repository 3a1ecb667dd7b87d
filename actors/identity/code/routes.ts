/** Routes of logins with a mailed code as data. Spec: docs/contract/identity-mails.md §5. */
import { anyone } from '#actors/protocol/callers.ts';
import { CALLER_BUCKET, CALLER_IP } from '#actors/protocol/frame.ts';
import { defineRoutes } from '#actors/protocol/route.ts';
import { authBody } from '../auth-body.ts';
import type { refusals } from '../refusals.ts';
import { addressRequest, okReply, tokenReply } from '../user/shapes.ts';
import { consumeCodeRequest } from './shapes.ts';

const row = { methods: ['POST'], position: 'host', whileReadOnly: true, ...authBody, ack: 'fsync' } as const;

const always = ['bad_request', 'no_tenant', 'invalid tenant', 'tenant_inactive', 'engine_unavailable'] as const;

export const codeRoutes = defineRoutes<typeof refusals>()({
  requestCode: {
    ...row,
    callers: anyone('nothing: the mail goes to the address'),
    headers: ['accept-language'],
    path: '/auth/code',
    rate: 'auth_code',
    request: addressRequest,
    replies: { 202: okReply },
    refusals: [...always, 'persist_failed'],
    summary: 'Mail a code that logs in; the same answer whether the address is known or not',
  },
  consumeCode: {
    ...row,
    callers: anyone('what the body shows: a mailed code'),
    headers: [CALLER_IP, 'user-agent', CALLER_BUCKET],
    path: '/auth/code/consume',
    cookies: 'gives',
    rate: 'auth_login',
    request: consumeCodeRequest,
    replies: { 200: tokenReply },
    refusals: [
      ...always,
      'rate_limited',
      'invalid_mailed_code',
      'invalid_credentials',
      'mfa_required',
      'session_limit',
      'mint_failed',
      'issue_failed',
    ],
    summary: 'Log in with a mailed code',
  },
});
