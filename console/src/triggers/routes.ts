/** The address of a tenant's triggers. Its page is loaded when it is opened. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { readTriggerSearch } from './search.ts';

export const triggersRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: '/at/$customer/$product/$env/$tenant/triggers',
    component: lazyRouteComponent(() => import('./page.tsx'), 'TriggersPage'),
    validateSearch: readTriggerSearch,
  }),
] as const;
