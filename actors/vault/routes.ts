/** Routes of the vault: on its own listener only. Source: docs/contract/vault.md §2, §4. */
import { limits } from '#config/limits.ts';
import { healthyShape } from '#actors/protocol/probe-shapes.ts';
import { defineRoutes } from '#actors/protocol/route.ts';
import { certificateRoutes } from './certificate/certificate-routes.ts';
import { nodeRoutes } from './node/node-routes.ts';
import type { refusals } from './refusals.ts';
import { COMMON, of, post, probe, read } from './row-kit.ts';
import * as shapes from './shapes.ts';

export const routes = defineRoutes<typeof refusals>()({
  ready: {
    ...probe,
    path: '/ready',
    replies: { 200: shapes.readyShape, 503: shapes.notReadyShape },
    refusals: [],
    summary: 'Readiness; 503 while the backend does not answer or the vault is sealed.',
  },
  health: {
    ...probe,
    path: '/health',
    replies: { 200: healthyShape },
    refusals: [],
    summary: 'Whether the service lives.',
  },
  status: {
    ...read,
    path: '/status',
    replies: { 200: shapes.statusShape },
    refusals: COMMON,
    summary: 'The state of the vault: seal, backend, waiting events.',
  },
  put: {
    ...of,
    methods: ['PUT'],
    path: '/secret/{name}',
    body: 'json',
    bodyBytesMax: limits.vault.bodyBytesMax,
    request: shapes.newSecretShape,
    replies: { 200: shapes.writtenShape, 201: shapes.writtenShape },
    refusals: [...COMMON, 'vault.cas_mismatch', 'vault.too_large'],
    summary: 'Write a new version; 201 for the first of a name. `cas` names the version that must be the newest.',
  },
  get: {
    ...read,
    path: '/secret/{name}',
    replies: { 200: shapes.secretShape },
    refusals: [...COMMON, 'vault.secret_not_found', 'vault.version_not_found', 'vault-failed-to-retrieve-secret'],
    summary: 'The newest version, or `?version=N` while it is readable. HEAD says whether it is there.',
  },
  remove: {
    ...of,
    methods: ['DELETE'],
    path: '/secret/{name}',
    body: 'none',
    replies: { 200: shapes.deletedShape },
    refusals: [...COMMON, 'vault.secret_not_found', 'vault.version_not_found'],
    summary: 'Delete what is readable, or one `?version=N`; `?destroy=true` drops the bytes too.',
  },
  versions: {
    ...read,
    path: '/secret/{name}/versions',
    replies: { 200: shapes.versionsShape },
    refusals: [...COMMON, 'vault.secret_not_found'],
    summary: 'The state of each version of a secret.',
  },
  list: {
    ...read,
    path: '/secret',
    replies: { 200: shapes.namesShape },
    refusals: COMMON,
    summary: 'Names of secrets, in order: `prefix`, `after`, `limit`.',
  },
  sealStatus: {
    ...probe,
    path: '/seal',
    replies: { 200: shapes.sealShape },
    refusals: ['vault-not-connected'],
    summary: 'Whether the vault is sealed, and how many shares it has been given.',
  },
  init: {
    ...post,
    path: '/seal/init',
    request: shapes.initShape,
    replies: { 201: shapes.sharesShape },
    refusals: [...COMMON, 'vault.initialized'],
    summary: 'Make the root key of a vault that is sealed with shares; the shares are given only in this answer.',
  },
  unseal: {
    ...post,
    path: '/seal/unseal',
    request: shapes.shareShape,
    replies: { 200: shapes.sealShape },
    refusals: [...COMMON, 'vault.unseal_failed'],
    summary: 'Give one share; the vault opens with the last share that it needs.',
  },
  seal: {
    ...post,
    path: '/seal',
    body: 'none',
    replies: { 200: shapes.sealShape },
    refusals: COMMON,
    summary: 'Zero the keys; a vault that is sealed with a key opens again at its next start or reload.',
  },
  rotateTenant: {
    ...post,
    path: '/tenant-key/rotate',
    body: 'none',
    replies: { 200: shapes.rotatedShape },
    refusals: COMMON,
    summary: 'A new key for the tenant of the headers (or the node): it encrypts what is written from now on.',
  },
  ...certificateRoutes,
  ...nodeRoutes,
  scaffold: {
    ...post,
    path: '/operator/{family}/{verb}',
    body: 'none',
    replies: {},
    refusals: [...COMMON, 'vault.not_implemented'],
    always: 'vault.not_implemented',
    summary:
      '`root rotate-plan|rotate-execute`, `backend migrate`, `signer test`, `policy lint`, `migrate-service`: 501.',
  },
});
export type Routes = typeof routes;
