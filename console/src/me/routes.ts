/** The address of one's own account at a tenant. Its page is loaded when it is opened. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../root.tsx';

export const meRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: '/at/$customer/$product/$env/$tenant/me',
    component: lazyRouteComponent(() => import('./page.tsx'), 'MePage'),
  }),
] as const;
