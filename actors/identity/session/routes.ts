/** The session routes as data. Spec: docs/contract/identity-users.md §4.3. */
import { callers } from '#actors/protocol/callers.ts';
import { defineRoutes } from '#actors/protocol/route.ts';
import { credential } from '../credential.ts';
import type { refusals } from '../refusals.ts';
import { listReply, listRequest, revokeReply, revokeRequest, rotateReply, rotateRequest } from './shapes.ts';

/** Neither a key nor a service token has a session. An operator sees and ends the own impersonation. */
const people = callers({
  users: [{ impersonation: 'readonly' }],
  further: 'own sessions; those of the tenant for its tenant_admin and superadmin',
});
const row = {
  methods: ['POST'],
  position: 'host',
  whileReadOnly: true,
  callers: people,
  body: 'json',
  ack: 'fsync',
} as const;

export const sessionRoutes = defineRoutes<typeof refusals>()({
  listSessions: {
    ...row,
    path: '/internal/session/list',
    request: listRequest,
    replies: { 200: listReply },
    refusals: [...credential, 'engine_unavailable', 'bad_request', 'session_denied'],
    summary: 'Sessions that live or ended a while ago, newest first: one’s own, or the tenant’s for its admin',
  },
  revokeSession: {
    ...row,
    path: '/internal/session/revoke',
    request: revokeRequest,
    replies: { 200: revokeReply },
    refusals: [
      ...credential,
      'engine_unavailable',
      'bad_request',
      'session_denied',
      'session_not_found',
      'persist_failed',
    ],
    summary: 'Revoke a session: its tokens stop with the next request',
  },
  rotateSession: {
    ...row,
    path: '/internal/session/rotate',
    request: rotateRequest,
    replies: { 200: rotateReply },
    refusals: [
      ...credential,
      'engine_unavailable',
      'bad_request',
      'session_denied',
      'session_not_found',
      'persist_failed',
    ],
    summary: 'Give a session a new id; tokens that name the old one stop at once',
  },
});
