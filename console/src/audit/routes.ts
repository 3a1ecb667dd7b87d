/** The addresses of the audit logs, at the control plane and of a tenant at its own place. Their pages are loaded when they are opened. */
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
  createRoute({
    getParentRoute: () => root,
    path: '/at/$customer/$product/$env/$tenant/audit',
    component: lazyRouteComponent(() => import('./tenant-page.tsx'), 'TenantAuditPage'),
    validateSearch: readSearch,
  }),
] as const;
