/** The address of acting for a person, at the operator plane of a product. Its page is loaded when it is opened. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { readActSearch } from './search.ts';

export const actingRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: '/at/$customer/$product/$env/$tenant/act-as',
    component: lazyRouteComponent(() => import('./page.tsx'), 'ActAsPage'),
    validateSearch: readActSearch,
  }),
] as const;
