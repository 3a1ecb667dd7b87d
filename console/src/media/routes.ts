/** The address of a tenant's files. Its page is loaded when it is opened. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { readMediaSearch } from './search.ts';

export const mediaRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: '/at/$customer/$product/$env/$tenant/media',
    component: lazyRouteComponent(() => import('./page.tsx'), 'MediaPage'),
    validateSearch: readMediaSearch,
  }),
] as const;
