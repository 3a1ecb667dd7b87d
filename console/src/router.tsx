/** The addresses of the console. Each area brings its own; the rail shows them in this order. */
import { createRoute, createRouter, redirect } from '@tanstack/react-router';
import { actingRoutes } from './acting/routes.ts';
import { auditRoutes } from './audit/routes.ts';
import { contentRoutes } from './content/routes.ts';
import { dataRoutes } from './data/routes.ts';
import { formsRoutes } from './forms/routes.ts';
import { parseSearch, stringifySearch } from './frame/search.ts';
import { keysRoutes } from './keys/routes.ts';
import { logicRoutes } from './logic/routes.ts';
import { meRoutes } from './me/routes.ts';
import { mediaRoutes } from './media/routes.ts';
import { operationsRoutes } from './operations/routes.ts';
import { peopleRoutes } from './people/routes.ts';
import { productsRoutes } from './products/routes.ts';
import { root } from './root.tsx';
import { schemaRoutes } from './schema/routes.ts';
import { scratchRoutes } from './scratch/routes.ts';
import { tenantsRoutes } from './tenants/routes.ts';
import { triggersRoutes } from './triggers/routes.ts';
import { upkeepRoutes } from './upkeep/routes.ts';
import { vaultRoutes } from './vault/routes.ts';

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/operations' });
  },
});

/** Logs in somewhere else; the gate shows it (session/gate.tsx). */
const logIn = createRoute({ getParentRoute: () => root, path: '/log-in', component: () => null });

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    logIn,
    ...operationsRoutes,
    ...tenantsRoutes,
    ...productsRoutes,
    ...vaultRoutes,
    ...actingRoutes,
    ...meRoutes,
    ...auditRoutes,
    ...dataRoutes,
    ...logicRoutes,
    ...contentRoutes,
    ...mediaRoutes,
    ...formsRoutes,
    ...triggersRoutes,
    ...peopleRoutes,
    ...keysRoutes,
    ...upkeepRoutes,
    ...schemaRoutes,
    ...scratchRoutes,
  ]),
  basepath: '/console',
  trailingSlash: 'never',
  defaultPreload: false,
  parseSearch,
  stringifySearch,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
