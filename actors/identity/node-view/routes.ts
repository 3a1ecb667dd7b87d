/**
 * Routes that show the node to its own operators, as data. Spec: docs/contract/node.md.
 * What they say of a log in a database is the answer to one look at it, which counts for `limits.nodeView.clusterFreshMs` for all who ask.
 * Who may call them: a superadmin of the control plane with a bearer that was given there, at the position of the control plane; no key, no service token, no
 * impersonation, no plane of a product and no tenant. What they cost: main reads what it has in memory, a page of tenants looks at
 * `limits.nodeView.tenantLooksMax` records of the registry and reads one row of each tenant that it shows, and answers are bounded whatever the number of tenants.
 * Whom they hurt: they change nothing, so none; past `limits.identity.nodeAsksMax` asks of one host the next gets 503. What the vault or the agent
 * guards is shown by none of them.
 */
import { callers } from '#actors/protocol/callers.ts';
import { defineRoutes } from '#actors/protocol/route.ts';
import { credentialHere } from '../credential.ts';
import type { refusals } from '../refusals.ts';
import {
  bucketsReply,
  clusterReply,
  configurationReply,
  figuresReply,
  healthReply,
  loadReply,
  logsReply,
  slowReply,
  tenantsReply,
  vaultReply,
} from './shapes.ts';

const denied = [...credentialHere, 'requires_superadmin', 'engine_unavailable'] as const;
const row = {
  methods: ['GET'],
  position: 'host',
  callers: callers({ users: [{ roles: ['superadmin'], from: 'control' }] }),
  rate: 'auth_admin',
  body: 'none',
  ack: 'fsync',
  refusals: denied,
} as const;
/** Of a row that takes parameters. */
const asked = [...denied, 'bad_request'] as const;

export const nodeViewRoutes = defineRoutes<typeof refusals>()({
  nodeBuckets: {
    ...row,
    path: '/superadmin/node/buckets',
    replies: { 200: bucketsReply },
    summary:
      'Rate profiles, their routes, how empty their buckets are, the tenants refused most; superadmin of the node',
  },
  nodeCluster: {
    ...row,
    path: '/superadmin/node/cluster',
    replies: { 200: clusterReply },
    summary:
      'The nodes on the log in a database, the shards with their owners and copies, the database; superadmin of the node',
  },
  nodeFigures: {
    ...row,
    path: '/superadmin/node/figures',
    replies: { 200: figuresReply },
    summary: 'Load, times, memory, lag and what waits within the last hour, by half minutes; superadmin of the node',
  },
  nodeHealth: {
    ...row,
    path: '/superadmin/node/health',
    replies: { 200: healthReply },
    summary: 'Threads, hosts and their shards, journals, disk, and why the node is not ready; superadmin of the node',
  },
  nodeConfiguration: {
    ...row,
    path: '/superadmin/node/configuration',
    replies: { 200: configurationReply },
    refusals: asked,
    summary: 'Settings of the node with their sources, without secrets; superadmin of the node',
  },
  nodeLoad: {
    ...row,
    path: '/superadmin/node/load',
    replies: { 200: loadReply },
    refusals: asked,
    summary: 'Requests of the last minutes by tenant, route and status; superadmin of the node',
  },
  nodeLogs: {
    ...row,
    path: '/superadmin/node/logs',
    replies: { 200: logsReply },
    refusals: asked,
    summary: 'The newest lines of the logs of all threads; superadmin of the node',
  },
  nodeSlow: {
    ...row,
    path: '/superadmin/node/slow',
    replies: { 200: slowReply },
    refusals: asked,
    summary: 'The slowest requests of the last minutes; superadmin of the node',
  },
  nodeTenants: {
    ...row,
    path: '/superadmin/node/tenants',
    replies: { 200: tenantsReply },
    refusals: asked,
    summary: 'Registered tenants by key, or those whose key holds a text: ?q=&limit=&after=; superadmin of the node',
  },
  nodeVault: {
    ...row,
    path: '/superadmin/node/vault',
    replies: { 200: vaultReply },
    summary:
      'Whether the vault is sealed, its nodes, join tokens by state, certificates that end; nothing secret; superadmin of the node',
  },
});
