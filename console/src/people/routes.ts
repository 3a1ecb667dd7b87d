/** The addresses of a tenant's people: the list, in which one of them is open, one that is added, invitations, and roles. Their pages are loaded when they are opened. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { readPeopleSearch } from './search.ts';

const getParentRoute = () => root;
const PEOPLE = '/at/$customer/$product/$env/$tenant/people';

export const peopleRoutes = [
  createRoute({
    getParentRoute,
    path: PEOPLE,
    component: lazyRouteComponent(() => import('./list-page.tsx'), 'ListPage'),
    validateSearch: readPeopleSearch,
  }),
  createRoute({
    getParentRoute,
    path: `${PEOPLE}/add`,
    component: lazyRouteComponent(() => import('./add-page.tsx'), 'AddPage'),
  }),
  createRoute({
    getParentRoute,
    path: `${PEOPLE}/roles`,
    component: lazyRouteComponent(() => import('./roles-page.tsx'), 'RolesPage'),
  }),
  createRoute({
    getParentRoute,
    path: `${PEOPLE}/invitations`,
    component: lazyRouteComponent(() => import('./invitations-page.tsx'), 'InvitationsPage'),
  }),
] as const;
