/** The route of captchas as data. Spec: docs/contract/identity-captcha.md §2. */
import { anyone } from '#actors/protocol/callers.ts';
import { defineRoutes } from '#actors/protocol/route.ts';
import type { refusals } from '../refusals.ts';
import { challengeReply } from './shapes.ts';

export const captchaRoutes = defineRoutes<typeof refusals>()({
  captchaChallenge: {
    methods: ['GET'],
    path: '/auth/captcha',
    position: 'host',
    callers: anyone(),
    rate: 'auth_captcha',
    body: 'none',
    ack: 'fsync',
    replies: { 200: challengeReply },
    refusals: [
      'no_tenant',
      'invalid tenant',
      'tenant_inactive',
      'engine_unavailable',
      'no_accounts',
      'no_captcha',
      'bad_request',
    ],
    summary: 'A challenge for ALTCHA’s widget; ?for= names what its answer is shown to',
  },
});
