/** The addresses of a tenant's forms: the list, and a form with its submissions, of which one is open. Their pages are loaded when they are opened. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { readFormSearch } from './search.ts';

const getParentRoute = () => root;
const FORMS = '/at/$customer/$product/$env/$tenant/forms';

export const formsRoutes = [
  createRoute({
    getParentRoute,
    path: FORMS,
    component: lazyRouteComponent(() => import('./list-page.tsx'), 'ListPage'),
  }),
  createRoute({
    getParentRoute,
    path: `${FORMS}/$form`,
    component: lazyRouteComponent(() => import('./form-page.tsx'), 'FormPage'),
    validateSearch: readFormSearch,
  }),
] as const;
