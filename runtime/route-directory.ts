/** The route and refusal rows of every service: the door routes by them, OpenAPI and the documentation are generated from them. Data only, no handlers. */
import type { RefusalTable } from '#actors/protocol/refusal.ts';
import type { RouteTable } from '#actors/protocol/route.ts';
import { refusals as auditRefusals } from '#actors/audit/refusals.ts';
import { routes as auditRoutes } from '#actors/audit/routes.ts';
import { refusals as bffRefusals } from '#actors/bff/refusals.ts';
import { routes as bffRoutes } from '#actors/bff/routes.ts';
import { refusals as contentRefusals } from '#actors/content/refusals.ts';
import { routes as contentRoutes } from '#actors/content/routes.ts';
import { refusals as dataRefusals } from '#actors/data/refusals.ts';
import { routes as dataRoutes } from '#actors/data/routes.ts';
import { refusals as identityRefusals } from '#actors/identity/refusals.ts';
import { routes as identityRoutes } from '#actors/identity/routes.ts';
import { refusals as intakeRefusals } from '#actors/intake/refusals.ts';
import { intakeRoutes } from '#actors/intake/routes.ts';
import { refusals as vaultRefusals } from '#actors/vault/refusals.ts';
import { routes as vaultRoutes } from '#actors/vault/routes.ts';

export interface ServiceRows {
  readonly name: string;
  readonly routes: RouteTable;
  readonly refusals: RefusalTable;
}

/** In the order of the documentation. A room with a routes.ts that is missing here fails test/architecture/tables.test.ts. */
export const routeDirectory: readonly ServiceRows[] = [
  { name: 'identity', routes: identityRoutes, refusals: identityRefusals },
  { name: 'data', routes: dataRoutes, refusals: dataRefusals },
  { name: 'intake', routes: intakeRoutes(), refusals: intakeRefusals },
  { name: 'bff', routes: bffRoutes, refusals: bffRefusals },
  { name: 'content', routes: contentRoutes, refusals: contentRefusals },
  { name: 'vault', routes: vaultRoutes, refusals: vaultRefusals },
  { name: 'audit', routes: auditRoutes, refusals: auditRefusals },
];
