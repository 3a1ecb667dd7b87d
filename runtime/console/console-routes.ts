/**
 * Which routes the console's listener serves beside its pages: those that a page of it calls, by path and verb. Callers, costs and refusals are those of their rows; no route answers
 * here that the gateway does not have. A page that needs another one adds its path. Rows, documents, people, submissions and deliveries of tenants come as JSON alone: answers in a form that a tenant has chosen or written (files,
 * bytes of assets, scripted endpoints, the BFF) never belong here, since they would be of the origin that holds an operator's login. Why so: docs/decisions/browser.md BR-6.
 */
import type { CompiledRoute } from '#actors/host/call.ts';
import type { Method } from '#actors/protocol/method.ts';

const LOGINS: ReadonlySet<string> = new Set([
  '/auth/login',
  '/auth/refresh',
  '/auth/logout',
  '/auth/webauthn/login/begin',
  '/auth/webauthn/login/finish',
]);

/** Records of audit logs, as JSON, and their proofs. The raw bytes of tiles are for programs. */
const AUDIT: ReadonlySet<string> = new Set([
  '/audit/logs',
  '/audit/logs/{id}',
  '/audit/logs/{id}/records',
  '/audit/logs/{id}/cosigned',
  '/audit/logs/{id}/proof/inclusion',
]);

/** The node, as its operators see it (docs/contract/node.md). */
const NODE = '/superadmin/node/';

/** The registry of tenants and their plans, as its operators see them (docs/contract/identity-users.md §6). */
const REGISTRY = '/superadmin/registry/';

/** Rows of the tenant whose bearer asks: what they are, one or a page of them at a time, by REST or GraphQL, and those of a file that come in (none leave so: an export has a form that its caller chooses). */
const ROWS: ReadonlyMap<string, readonly Method[]> = new Map([
  ['/data/schema', ['GET']],
  ['/data/stateflows', ['GET']],
  ['/data/changes', ['GET']],
  ['/data/contentstore/list', ['GET']],
  ['/data/graphql', ['POST']],
  ['/data/rest/{entity}', ['GET', 'POST']],
  ['/data/bulk', ['POST']],
  ['/data/rest/{entity}/id/{id}', ['GET', 'PUT', 'PATCH', 'DELETE']],
  ['/data/rest/{entity}/id/{id}/restore', ['POST']],
]);

/** Triggers of the tenant, their events that wait or failed, submissions of its forms, and another try (docs/contract/triggers.md §4, §7.4). */
const TRIGGERS: typeof ROWS = new Map([
  ['/data/admin/data/triggers', ['GET']],
  ['/data/admin/data/triggers/events', ['GET']],
  ['/data/admin/data/triggers/events/{id}/retry', ['POST']],
  ['/data/admin/data/submissions', ['GET']],
  ['/data/admin/data/submissions/export', ['GET']],
]);

/** What the rules say to a user of the tenant (docs/contract/data-admin.md §10.4). */
const EXPLAINED: typeof ROWS = new Map([['/data/admin/data/explain', ['POST']]]);

/** Locks, seeds and retention of the tenant (docs/contract/data-admin.md §4, §5, §6); claims of an archive elsewhere are a program's. */
const UPKEEP: typeof ROWS = new Map([
  ['/data/admin/data/locks', ['GET']],
  ['/data/admin/data/locks/{resource}', ['DELETE']],
  ['/data/admin/data/seeds', ['GET']],
  ['/data/admin/data/seeds/runs', ['POST']],
  ['/data/admin/data/retention/entities', ['GET']],
  ['/data/admin/data/retention/preview', ['GET']],
  ['/data/admin/data/retention/runs', ['POST']],
]);

/** Files of the tenant's stores: what is known of them, bytes that come in, and pictures that the node makes; never bytes that were stored (docs/contract/content.md §5). */
const FILES: typeof ROWS = new Map([
  ['/store/{name}/asset', ['GET']],
  ['/store/{name}/asset/{id}', ['GET', 'PATCH', 'DELETE']],
  ['/store/{name}/asset/{id}/image/{size}', ['GET']],
  ['/store/{name}/upload', ['POST']],
  ['/store/{name}/upload/{id}', ['GET', 'PATCH', 'DELETE']],
  ['/store/{name}/folder', ['GET', 'POST']],
  ['/store/{name}/folder/{id}', ['DELETE']],
]);

/** Documents of the tenant's apps, as JSON: what there is, what editors make of it, tokens that show one before it is published, deliveries of webhooks (docs/contract/content.md §6, §7, §8.4). */
const DOCUMENTS: typeof ROWS = new Map([
  ['/content/-/apps', ['GET']],
  ['/content/-/apps/{app}/{type}', ['GET']],
  ['/content/-/deliveries', ['GET']],
  ['/content/-/deliveries/{id}/redeliver', ['POST']],
  ['/content/{app}/{type}', ['GET', 'POST']],
  ['/content/{app}/{type}/{id}', ['GET', 'PATCH', 'DELETE']],
  ['/content/{app}/{type}/{id}/versions', ['GET']],
  ['/content/{app}/preview', ['POST']],
]);

/** People of the tenant whose administrator asks: found and added, their roles and access, their sessions, invitations; keys of programs (docs/contract/identity-people.md §1, §2, docs/contract/identity-users.md §8.4). */
const PEOPLE: ReadonlyMap<string, readonly Method[]> = new Map([
  ['/auth/admin/roles', ['GET']],
  ['/auth/admin/users', ['GET', 'POST']],
  ['/auth/admin/users/{id}', ['GET', 'PATCH']],
  ['/auth/admin/users/{id}/sessions', ['GET', 'DELETE']],
  ['/auth/admin/users/{id}/sessions/{session}', ['DELETE']],
  ['/auth/admin/keys', ['GET', 'POST']],
  ['/auth/admin/keys/{id}', ['DELETE']],
  ['/auth/admin/invitations', ['GET', 'POST']],
  ['/auth/admin/invitations/{id}', ['DELETE']],
]);

const OF_TENANTS: Readonly<Record<string, typeof ROWS>> = {
  data: new Map([...ROWS, ...TRIGGERS, ...EXPLAINED, ...UPKEEP]),
  identity: PEOPLE,
  content: new Map([...FILES, ...DOCUMENTS]),
};

/** `tenants`: whether people of tenants log in at this listener. */
export function isForConsole({ service, row: { listener, path, methods } }: CompiledRoute, tenants: boolean): boolean {
  const isOperators = LOGINS.has(path) || [NODE, REGISTRY].some((part) => path.startsWith(part));
  if (service === 'identity' && isOperators) return listener !== 'own';
  if (service === 'audit') return listener !== 'own' && methods[0] === 'GET' && AUDIT.has(path);
  const verbs = tenants ? OF_TENANTS[service]?.get(path) : undefined;
  return verbs !== undefined && methods.every((method) => verbs.includes(method));
}
