/** The addresses of tenants: the list, a new one, one of them. Their pages are loaded when they are opened. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { readTenantSearch, readTenantsSearch } from './search.ts';

const getParentRoute = () => root;

export const tenantsRoutes = [
  createRoute({
    getParentRoute,
    path: '/tenants',
    component: lazyRouteComponent(() => import('./list-page.tsx'), 'ListPage'),
    validateSearch: readTenantsSearch,
  }),
  createRoute({
    getParentRoute,
    path: '/tenants/new',
    component: lazyRouteComponent(() => import('./new-page.tsx'), 'NewPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/tenants/$customer/$product/$env/$tenant',
    component: lazyRouteComponent(() => import('./tenant-page.tsx'), 'TenantPage'),
    validateSearch: readTenantSearch,
  }),
] as const;
