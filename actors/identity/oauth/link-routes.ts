/** Routes by which a user links accounts at providers, as data. Spec: docs/contract/identity-users.md §8.10. */
import { callers } from '#actors/protocol/callers.ts';
import { defineRoutes } from '#actors/protocol/route.ts';
import { authBody } from '../auth-body.ts';
import { credentialHere } from '../credential.ts';
import { CALLER_IP } from '#actors/protocol/frame.ts';
import { PROOF_HEADER } from '../proof/proven.ts';
import type { refusals } from '../refusals.ts';
import { okReply } from '../user/shapes.ts';
import { finishLinkRequest, identitiesReply, linkedReply, startLinkRequest, startReply } from './shapes.ts';

/**
 * Who may call: the user alone, and where a way to log in is added or taken away, with a fresh proof. What it costs: a state in a bounded table, one
 * exchange with a provider that the product declares. Whom it can hurt: the user, who gets a notice; a provider that fails holds up its own callers.
 */
const row = {
  position: 'host',
  callers: callers({ users: [{}], further: 'the own account' }),
  rate: 'auth_me',
  ack: 'fsync',
} as const;

const always = [...credentialHere, 'engine_unavailable', 'account_denied', 'no_accounts'] as const;
const atProvider = [...always, 'unknown_provider', 'bad_request', 'oauth_unavailable'] as const;

/** A guest becomes an account by a link, which is a sign-up. */
const asGuest = ['sign_up_closed'] as const;

const ONE = '/auth/me/oauth/{provider}';

export const linkRoutes = defineRoutes<typeof refusals>()({
  listIdentities: {
    ...row,
    methods: ['GET'],
    path: '/auth/me/oauth',
    body: 'none',
    replies: { 200: identitiesReply },
    refusals: always,
    summary: 'The accounts at providers that log one in',
  },
  startLink: {
    ...row,
    ...authBody,
    methods: ['POST'],
    path: `${ONE}/link`,
    headers: [PROOF_HEADER],
    request: startLinkRequest,
    replies: { 200: startReply },
    refusals: [
      ...atProvider,
      'proof_required',
      ...asGuest,
      'invalid_redirect_uri',
      'provider_linked',
      'persist_failed',
    ],
    summary: 'Begin to link an account at a provider to one’s own: the URL to send the user to',
  },
  finishLink: {
    ...row,
    ...authBody,
    methods: ['POST'],
    path: `${ONE}/callback`,
    request: finishLinkRequest,
    headers: [CALLER_IP, 'user-agent'],
    cookies: 'gives',
    replies: { 200: linkedReply },
    refusals: [
      ...atProvider,
      'invalid_state',
      'oauth_failed',
      'identity_taken',
      'provider_linked',
      ...asGuest,
      'email_domain',
      'login_taken',
      'session_limit',
      'invalid_credentials',
      'mint_failed',
      'persist_failed',
    ],
    summary:
      'End it, in the session that began it: code and state as the provider gave them to the product’s page; a guest becomes an account, and gets tokens',
  },
  removeIdentity: {
    ...row,
    methods: ['DELETE'],
    path: ONE,
    headers: [PROOF_HEADER],
    body: 'none',
    replies: { 200: okReply },
    refusals: [...always, 'proof_required', 'unknown_identity', 'last_login_way', 'persist_failed'],
    summary: 'An account at the provider no longer logs one in, unless it is the last way',
  },
});
