/** The address of a tenant's schema. The page and what lays it out are loaded when they are opened. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { readSearch } from './search.ts';

export const schemaRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: '/at/$customer/$product/$env/$tenant/schema',
    component: lazyRouteComponent(() => import('./page.tsx'), 'SchemaPage'),
    validateSearch: readSearch,
  }),
] as const;
