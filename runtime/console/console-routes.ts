/**
 * Which routes the console's listener serves beside its pages: those that a page of it calls, by their paths. Callers, costs and refusals are those of their rows; no route answers
 * here that the gateway does not have. A page that needs another one adds its path, and answers with what a tenant has stored or written (files, assets, documents, scripted
 * endpoints, the BFF) never belong here: they would be of the origin that holds an operator's login.
 */
import type { CompiledRoute } from '#actors/host/call.ts';

/** By service. Of audit, rows that read. */
const PATHS: Readonly<Record<string, ReadonlySet<string>>> = {
  identity: new Set(['/auth/login', '/auth/refresh', '/auth/logout']),
  // Records, as JSON, and their proofs. The raw bytes of tiles are for programs.
  audit: new Set([
    '/audit/logs',
    '/audit/logs/{id}',
    '/audit/logs/{id}/records',
    '/audit/logs/{id}/cosigned',
    '/audit/logs/{id}/proof/inclusion',
  ]),
};

/** The node, as its operators see it (docs/contract/node.md). */
const NODE = '/superadmin/node/';

export function isForConsole({ service, row: { listener, path, methods } }: CompiledRoute): boolean {
  if (listener === 'own') return false;
  if (service === 'audit' && methods[0] !== 'GET') return false;
  return PATHS[service]?.has(path) === true || (service === 'identity' && path.startsWith(NODE));
}
