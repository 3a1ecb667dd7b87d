/** The addresses of the console. Each area brings its own; the rail shows them in this order. */
import { createRoute, createRouter, redirect } from '@tanstack/react-router';
import { auditRoutes } from './audit/routes.ts';
import { operationsRoutes } from './operations/routes.ts';
import { root } from './root.tsx';

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/operations' });
  },
});

export const router = createRouter({
  routeTree: root.addChildren([home, ...operationsRoutes, ...auditRoutes]),
  basepath: '/console',
  trailingSlash: 'never',
  defaultPreload: false,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
