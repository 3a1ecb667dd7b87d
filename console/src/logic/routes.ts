/** The addresses of a tenant's actions and endpoints: the list, and one with its form. Their pages are loaded when they are opened. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { readCallSearch } from './search.ts';

const getParentRoute = () => root;
const LOGIC = '/at/$customer/$product/$env/$tenant/logic';

export const logicRoutes = [
  createRoute({
    getParentRoute,
    path: LOGIC,
    component: lazyRouteComponent(() => import('./list-page.tsx'), 'ListPage'),
  }),
  createRoute({
    getParentRoute,
    path: `${LOGIC}/call`,
    component: lazyRouteComponent(() => import('./call-page.tsx'), 'CallPage'),
    validateSearch: readCallSearch,
  }),
] as const;
