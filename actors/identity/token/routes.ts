/** Routes about tokens, and about what a position has, as data. Spec: docs/contract/identity-tokens.md. */
import { anyone, callers } from '#actors/protocol/callers.ts';
import { defineRoutes } from '#actors/protocol/route.ts';
import { authBody } from '../auth-body.ts';
import { credentialHere } from '../credential.ts';
import type { refusals } from '../refusals.ts';
import { okReply } from '../user/shapes.ts';
import { discoveryReply, introspectReply, tokenRequest } from './shapes.ts';

const row = {
  methods: ['POST'],
  position: 'host',
  whileReadOnly: true,
  ...authBody,
  urlencoded: true,
  headers: ['content-type'],
  ack: 'fsync',
  request: tokenRequest,
} as const;

export const tokenRoutes = defineRoutes<typeof refusals>()({
  introspect: {
    ...row,
    path: '/auth/introspect',
    callers: callers({ users: [{ roles: ['tenant_admin', 'superadmin'] }], service: 'here', keys: { scoped: true } }),
    rate: 'auth_introspect',
    replies: { 200: introspectReply },
    refusals: [...credentialHere, 'bad_request', 'introspect_denied', 'engine_unavailable'],
    summary: 'Whether this position takes a token, and what it says (RFC 7662)',
  },
  revoke: {
    ...row,
    path: '/auth/revoke',
    callers: anyone('the token that is to end'),
    rate: 'auth_refresh',
    replies: { 200: okReply },
    refusals: [
      'bad_request',
      'no_tenant',
      'invalid tenant',
      'tenant_inactive',
      'unsupported_token_type',
      'persist_failed',
      'engine_unavailable',
    ],
    summary: 'End a token that its holder shows (RFC 7009); an unknown one is 200, too',
  },
  discover: {
    methods: ['GET'],
    path: '/.well-known/skep',
    cookies: 'tells',
    position: 'host',
    callers: anyone(),
    rate: 'identity_anonymous',
    body: 'none',
    ack: 'fsync',
    replies: { 200: discoveryReply },
    refusals: ['no_tenant', 'invalid tenant', 'tenant_inactive', 'engine_unavailable'],
    summary: 'How users of this position log in: endpoints, providers, sessions',
  },
});
