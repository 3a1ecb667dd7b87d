/** Identity's routes as data. Spec: docs/contract/identity.md §5, §6. */
import { anyone, callers } from '#actors/protocol/callers.ts';
import { defineRoutes } from '#actors/protocol/route.ts';
import { meRoutes } from './account/me-routes.ts';
import { accountRoutes } from './account/routes.ts';
import { authBody } from './auth-body.ts';
import { captchaRoutes } from './captcha/routes.ts';
import { codeRoutes } from './code/routes.ts';
import { deployRoutes } from './deploy/routes.ts';
import { credential } from './credential.ts';
import { guestRoutes } from './guest/routes.ts';
import { importRoutes } from './import/routes.ts';
import { keyRoutes } from './key/routes.ts';
import { mfaRoutes } from './mfa/routes.ts';
import { nodeViewRoutes } from './node-view/routes.ts';
import { operatorRoutes } from './operator/routes.ts';
import { oauthRoutes } from './oauth/routes.ts';
import { privacyRoutes } from './privacy/routes.ts';
import { peopleRoutes } from './people/routes.ts';
import { proofRoutes } from './proof/routes.ts';
import { linkRoutes } from './oauth/link-routes.ts';
import { passkeyRoutes } from './passkey/routes.ts';
import type { refusals } from './refusals.ts';
import { sessionRoutes } from './session/routes.ts';
import {
  bootstrapReply,
  bootstrapRequest,
  exchangeReply,
  issueReply,
  issueRequest,
  jwksReply,
  revokeReply,
} from './shapes.ts';
import { tenantUpkeepRoutes } from './tenant-upkeep/routes.ts';
import { tenantPlanRoutes } from './tenant-plan/routes.ts';
import { tokenRoutes } from './token/routes.ts';
import { userRoutes } from './user/routes.ts';

const revoke = {
  methods: ['DELETE'],
  /** Access can be taken away at any time. */
  whileReadOnly: true,
  position: 'host',
  /** The contract requires no ownership; a read-only impersonation changes nothing all the same. */
  callers: callers({ users: [{ impersonation: 'full' }], service: 'here', keys: {} }),
  body: 'none',
  ack: 'fsync',
  replies: { 200: revokeReply },
  refusals: [...credential, 'missing_id', 'hook_denied', 'impersonation_denied', 'engine_unavailable'],
} as const;

/** A request without an id is refused before its caller is authorized; any credential gets that far. */
const withoutId = {
  ...revoke,
  callers: callers({ users: [{ impersonation: 'readonly' }], service: 'here', keys: {} }),
  replies: {},
  refusals: ['missing_id', ...credential, 'engine_unavailable'],
  always: 'missing_id',
} as const;

export const routes = defineRoutes<typeof refusals>()({
  bootstrap: {
    methods: ['POST'],
    path: '/auth/bootstrap',
    position: 'none',
    callers: anyone('the bootstrap token, once'),
    rate: 'auth_login',
    ...authBody,
    ack: 'fsync',
    request: bootstrapRequest,
    replies: { 201: bootstrapReply },
    refusals: [
      'bootstrap_closed',
      'bad_request',
      'bootstrap_denied',
      'login_taken',
      'persist_failed',
      'engine_unavailable',
    ],
    summary: 'Create the very first superadmin; closes itself after use',
  },
  issueKey: {
    methods: ['POST'],
    path: '/auth/apikey',
    position: 'host',
    callers: callers({
      users: [{}],
      service: 'here',
      keys: {},
      further: 'the authority of the issuer over what the key is to carry',
    }),
    rate: 'auth_apikey',
    ...authBody,
    ack: 'fsync',
    request: issueRequest,
    replies: { 201: issueReply },
    refusals: [
      ...credential,
      'bad_request',
      'scope_exceeds_authority',
      'guest_denied',
      'impersonation_denied',
      'hook_denied',
      'generate_failed',
      'persist_failed',
      'engine_unavailable',
    ],
    summary: 'Issue an API key; the only time its plaintext exists',
  },
  revokeKey: { ...revoke, path: '/auth/apikey/{id}', summary: 'Revoke an API key' },
  /** The contract states an answer for a path without an id; without these rows it would be 405 or 404. */
  revokeNothing: { ...withoutId, path: '/auth/apikey', summary: 'Revoke without an id: always refused' },
  revokeEmpty: { ...withoutId, path: '/auth/apikey/', summary: 'Revoke with an empty id: always refused' },
  exchangeKey: {
    methods: ['POST'],
    whileReadOnly: true,
    path: '/auth/token',
    position: 'host',
    callers: callers({ keys: { scoped: true } }),
    rate: 'auth_token',
    body: 'none',
    ack: 'fsync',
    replies: { 200: exchangeReply },
    refusals: [
      'rate_limited',
      'apikey_required',
      'invalid_api_key',
      'no_tenant',
      'invalid tenant',
      'not_a_service_key',
      'mint_failed',
      'engine_unavailable',
    ],
    summary: 'Exchange a service key for a service token; ?audience= names the service it is for',
  },
  jwks: {
    methods: ['GET'],
    path: '/.well-known/jwks.json',
    position: 'none',
    callers: anyone(),
    rate: 'identity_anonymous',
    body: 'none',
    ack: 'fsync',
    replies: { 200: jwksReply },
    refusals: ['engine_unavailable'],
    summary: 'Public keys that verify this issuer’s tokens, newest first',
  },
  ...mfaRoutes,
  ...operatorRoutes,
  ...nodeViewRoutes,
  ...tenantPlanRoutes,
  ...tenantUpkeepRoutes,
  ...userRoutes,
  ...codeRoutes,
  ...tokenRoutes,
  ...oauthRoutes,
  ...passkeyRoutes,
  ...sessionRoutes,
  ...peopleRoutes,
  ...importRoutes,
  ...deployRoutes,
  ...privacyRoutes,
  ...keyRoutes,
  ...accountRoutes,
  ...captchaRoutes,
  ...guestRoutes,
  ...meRoutes,
  ...linkRoutes,
  ...proofRoutes,
});
