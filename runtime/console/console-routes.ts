/**
 * Which routes the console's listener serves beside its pages: those that a page of it calls, by their paths. Callers, costs and refusals are those of their rows; no route answers
 * here that the gateway does not have. A page that needs another one adds its path, and answers with what a tenant has stored or written (files, assets, documents, scripted
 * endpoints, the BFF) never belong here: they would be of the origin that holds an operator's login.
 */
import type { CompiledRoute } from '#actors/host/call.ts';

const PATHS: ReadonlySet<string> = new Set(['/auth/login', '/auth/refresh', '/auth/logout']);

/** The node, as its operators see it (docs/contract/node.md). */
const NODE = '/superadmin/node/';

export function isForConsole({ service, row: { listener, path } }: CompiledRoute): boolean {
  return service === 'identity' && listener !== 'own' && (PATHS.has(path) || path.startsWith(NODE));
}
