/** Routes of signing in with a provider as data. Spec: docs/contract/identity-users.md §2. */
import { anyone } from '#actors/protocol/callers.ts';
import { CALLER_IP } from '#actors/protocol/frame.ts';
import { defineRoutes } from '#actors/protocol/route.ts';
import type { refusals } from '../refusals.ts';
import { tokenReply } from '../user/shapes.ts';
import { startReply } from './shapes.ts';

const row = {
  methods: ['GET'],
  position: 'host',
  callers: anyone('a sign-in with the provider'),
  rate: 'auth_login',
  body: 'none',
  ack: 'fsync',
} as const;

const common = [
  'no_tenant',
  'invalid tenant',
  'tenant_inactive',
  'engine_unavailable',
  'persist_failed',
  'unknown_provider',
  'oauth_unavailable',
] as const;

export const oauthRoutes = defineRoutes<typeof refusals>()({
  startOauth: {
    ...row,
    path: '/auth/oauth/{provider}/start',
    /** For its event: a GET that opens a state. */
    headers: [CALLER_IP],
    replies: { 200: startReply },
    refusals: [...common, 'invalid_redirect_uri'],
    summary:
      'Begin a sign-in with an OpenID provider: the URL to send the user to; ?redirect_uri= names one of the declared return addresses',
  },
  finishOauth: {
    ...row,
    path: '/auth/oauth/{provider}/callback',
    headers: [CALLER_IP, 'user-agent'],
    cookies: 'gives',
    replies: { 200: tokenReply },
    refusals: [
      ...common,
      'bad_request',
      'invalid_state',
      'oauth_failed',
      'login_taken',
      'mfa_required',
      'session_limit',
      'invalid_credentials',
      'mint_failed',
    ],
    summary: 'End it: ?code=&state= as the provider gave them to the product’s page; tokens like a login’s',
  },
});
