/** The address of a tenant's API keys. Its page is loaded when it is opened. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { readKeySearch } from './search.ts';

export const keysRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: '/at/$customer/$product/$env/$tenant/keys',
    component: lazyRouteComponent(() => import('./page.tsx'), 'KeysPage'),
    validateSearch: readKeySearch,
  }),
] as const;
