/** The addresses of a tenant's scratchpad. Its pages and their editor are loaded when they are opened. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { readExpressionSearch, readGraphqlSearch, readRestSearch } from './search.ts';

const getParentRoute = () => root;
const AT = '/at/$customer/$product/$env/$tenant/scratchpad';

export const scratchRoutes = [
  createRoute({
    getParentRoute,
    path: AT,
    component: lazyRouteComponent(() => import('./graphql-page.tsx'), 'GraphqlPage'),
    validateSearch: readGraphqlSearch,
  }),
  createRoute({
    getParentRoute,
    path: `${AT}/expression`,
    component: lazyRouteComponent(() => import('./expression-page.tsx'), 'ExpressionPage'),
    validateSearch: readExpressionSearch,
  }),
  createRoute({
    getParentRoute,
    path: `${AT}/rest`,
    component: lazyRouteComponent(() => import('./rest-page.tsx'), 'RestPage'),
    validateSearch: readRestSearch,
  }),
] as const;
