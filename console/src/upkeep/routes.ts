/** The address of a tenant's upkeep. Its page is loaded when it is opened. */
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
] as const;
