/** The route by which an administrator brings users of another system, as data. Spec: docs/contract/identity-import.md §1. */
import { defineRoutes } from '#actors/protocol/route.ts';
import { credentialHere } from '../credential.ts';
import { administrators } from '../people/routes.ts';
import type { refusals } from '../refusals.ts';
import { importReply, importRequest } from './shapes.ts';

export const importRoutes = defineRoutes<typeof refusals>()({
  importUsers: {
    methods: ['POST'],
    path: '/auth/admin/users/import',
    position: 'host',
    callers: administrators,
    rate: 'auth_admin',
    headers: ['content-type'],
    /** Its handler reads it, after the caller was judged: bodies of `/auth/` that are read before a credential are small. */
    body: 'stream',
    ack: 'fsync',
    request: importRequest,
    replies: { 200: importReply },
    refusals: [...credentialHere, 'requires_tenant_admin', 'engine_unavailable', 'bad_request', 'persist_failed'],
    summary:
      'Import users with their password hashes: JSON, JSON lines or CSV; each row is answered, existing users stay as they are',
  },
});
