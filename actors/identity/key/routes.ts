/** Routes by which an administrator of a tenant manages its API keys, as data. Spec: docs/contract/identity-people.md §2. */
import { defineRoutes } from '#actors/protocol/route.ts';
import { authBody } from '../auth-body.ts';
import { credentialHere } from '../credential.ts';
import { administrators } from '../people/routes.ts';
import type { refusals } from '../refusals.ts';
import {
  changeKeyRequest,
  keyListReply,
  keyView,
  madeKeyReply,
  makeKeyRequest,
  revokedReply,
  revokeKeysRequest,
} from './shapes.ts';

const row = { position: 'host', callers: administrators, rate: 'auth_admin', ack: 'fsync' } as const;
const always = [...credentialHere, 'requires_tenant_admin', 'engine_unavailable'] as const;

export const keyRoutes = defineRoutes<typeof refusals>()({
  listAdminKeys: {
    ...row,
    methods: ['GET'],
    path: '/auth/admin/keys',
    body: 'none',
    replies: { 200: keyListReply },
    refusals: [...always, 'bad_request'],
    summary: 'List API keys, never their secrets: ?subject=&limit=&after=',
  },
  makeAdminKey: {
    ...row,
    ...authBody,
    methods: ['POST'],
    path: '/auth/admin/keys',
    request: makeKeyRequest,
    replies: { 201: madeKeyReply },
    refusals: [
      ...always,
      'bad_request',
      'undeclared_role',
      'scope_exceeds_authority',
      'hook_denied',
      'generate_failed',
      'persist_failed',
    ],
    summary: 'Make an API key with a name, addresses and a rate; the only time its plaintext exists',
  },
  changeAdminKey: {
    ...row,
    ...authBody,
    methods: ['PATCH'],
    path: '/auth/admin/keys/{id}',
    request: changeKeyRequest,
    replies: { 200: keyView },
    refusals: [...always, 'bad_request', 'unknown_key', 'persist_failed'],
    summary: 'Change name and metadata of an API key',
  },
  revokeAdminKey: {
    ...row,
    methods: ['DELETE'],
    path: '/auth/admin/keys/{id}',
    whileReadOnly: true,
    body: 'none',
    replies: { 200: revokedReply },
    refusals: [...always, 'unknown_key', 'hook_denied', 'persist_failed'],
    summary: 'Revoke an API key',
  },
  revokeAdminKeys: {
    ...row,
    ...authBody,
    methods: ['POST'],
    path: '/auth/admin/keys/revoke',
    /** Access can be taken away at any time. */
    whileReadOnly: true,
    request: revokeKeysRequest,
    replies: { 200: revokedReply },
    refusals: [...always, 'bad_request', 'hook_denied', 'persist_failed'],
    summary: 'Revoke API keys by their ids, or all that a subject has issued',
  },
});
