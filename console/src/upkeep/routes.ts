/** The addresses of a tenant's upkeep, at the tenant and from the control plane. The page is loaded when it is opened. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { readUpkeepSearch } from './search.ts';

export const upkeepRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: '/at/$customer/$product/$env/$tenant/upkeep',
    component: lazyRouteComponent(() => import('./page.tsx'), 'UpkeepPage'),
    validateSearch: readUpkeepSearch,
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/tenants/$customer/$product/$env/$tenant/upkeep',
    component: lazyRouteComponent(() => import('./page.tsx'), 'TenantUpkeepPage'),
    validateSearch: readUpkeepSearch,
  }),
] as const;
