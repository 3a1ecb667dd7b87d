/** The address of the audit logs. Its page is loaded when it is opened. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { readSearch } from './search.ts';

export const auditRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: '/audit',
    component: lazyRouteComponent(() => import('./page.tsx'), 'AuditPage'),
    validateSearch: readSearch,
  }),
] as const;
